// SPDX-License-Identifier: GPL-2.0-only
/*
 * log-cut LOG DISK PERCENT: empty the disk, and write so many of the entries of the log of
 * dm-log-writes on it, as a power cut would leave it. Prints how many that were, and how many
 * marks are among them.
 */
#define _GNU_SOURCE
#include <string.h>

#include "log-writes.h"

static int log_fd, disk_fd;
static char *disk;
static uint64_t disk_size, marks;

/* Return: where the next entry is. */
static uint64_t replay(uint64_t at)
{
	struct log_entry e;
	uint64_t sector, n;

	if (pread(log_fd, &e, sizeof(e), at * SECTOR) != sizeof(e))
		die("log at %lu", at);
	at++;
	sector = le64toh(e.sector);
	n = le64toh(e.nr_sectors);
	if (e.flags & htole64(LOG_MARK)) {
		marks++;
		return at;
	}
	if (sector + n > disk_size)
		errx(EXIT_FAILURE, "an entry is beyond the disk");
	if (e.flags & htole64(LOG_DISCARD)) {
		memset(disk + sector * SECTOR, 0, n * SECTOR);
		return at;
	}
	if (n && pread(log_fd, disk + sector * SECTOR, n * SECTOR, at * SECTOR) !=
	    (ssize_t)n * SECTOR)
		die("log at %lu", at);
	return at + n;
}

int main(int argc, char **argv)
{
	uint64_t entries, n, at = 1, i;

	if (argc != 4)
		errx(EXIT_FAILURE, "usage: log-cut LOG DISK PERCENT");
	entries = log_open(argv[1], &log_fd);
	disk_fd = open_direct(argv[2]);
	disk_size = device_sectors(disk_fd);
	disk = pages(disk_size * SECTOR);
	n = entries * atol(argv[3]) / 100;
	for (i = 0; i < n; i++)
		at = replay(at);
	if (pwrite(disk_fd, disk, disk_size * SECTOR, 0) != (ssize_t)disk_size * SECTOR)
		die("writing the disk");
	printf("%lu %lu\n", n, marks);
	return EXIT_SUCCESS;
}
