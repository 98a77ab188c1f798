// SPDX-License-Identifier: GPL-2.0-only
/*
 * log-cut LOG DISK PERCENT: empty the disk, and write so many of the entries of the log of
 * dm-log-writes on it, as a power cut would leave it. Prints how many that were, and how many
 * marks are among them.
 */
#define _GNU_SOURCE
#include "log-writes.h"

int main(int argc, char **argv)
{
	uint64_t size, n, at = 1, marks = 0, i;
	struct log_entry e;
	int log_fd, disk_fd;
	char *disk;

	if (argc != 4)
		errx(EXIT_FAILURE, "usage: log-cut LOG DISK PERCENT");
	n = log_open(argv[1], &log_fd) * atol(argv[3]) / 100;
	disk_fd = open_direct(argv[2]);
	size = device_sectors(disk_fd);
	disk = pages(size * SECTOR);
	for (i = 0; i < n; i++) {
		at = log_replay(log_fd, at, disk, size, &e);
		marks += !!(e.flags & htole64(LOG_MARK));
	}
	if (pwrite(disk_fd, disk, size * SECTOR, 0) != (ssize_t)size * SECTOR)
		die("writing the disk");
	printf("%lu %lu\n", n, marks);
	return EXIT_SUCCESS;
}
