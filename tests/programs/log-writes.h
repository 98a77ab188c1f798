/* SPDX-License-Identifier: GPL-2.0-only */
/* The log of dm-log-writes, see drivers/md/dm-log-writes.c. */
#ifndef LOG_WRITES_H
#define LOG_WRITES_H

#include <endian.h>
#include <string.h>

#include "sectors.h"

#define LOG_MAGIC	0x6a736677736872ull
#define LOG_DISCARD	(1 << 2)
#define LOG_MARK	(1 << 3)

struct log_super {
	uint64_t magic, version, nr_entries;
	uint32_t sector_bytes;
};

struct log_entry {
	uint64_t sector, nr_sectors, flags, data_bytes;
};

/* Return: how many entries it has. The first is in sector 1. */
static inline uint64_t log_open(const char *path, int *fd)
{
	struct log_super super;

	*fd = open(path, O_RDONLY);
	if (*fd < 0 || pread(*fd, &super, sizeof(super), 0) != sizeof(super))
		die("%s", path);
	if (le64toh(super.magic) != LOG_MAGIC || le32toh(super.sector_bytes) != SECTOR)
		errx(EXIT_FAILURE, "%s is no log", path);
	return le64toh(super.nr_entries);
}

/*
 * What the entry in sector @at does to a disk of @size sectors, in memory. @e: set to the entry.
 * Return: where the next one is.
 */
static inline uint64_t log_replay(int fd, uint64_t at, char *disk, uint64_t size,
				  struct log_entry *e)
{
	uint64_t sector, n;

	if (pread(fd, e, sizeof(*e), at * SECTOR) != sizeof(*e))
		die("log at %lu", at);
	at++;
	sector = le64toh(e->sector);
	n = le64toh(e->nr_sectors);
	if (sector + n > size)
		errx(EXIT_FAILURE, "the entry before sector %lu is beyond the disk", at);
	if (e->flags & htole64(LOG_DISCARD)) {
		memset(disk + sector * SECTOR, 0, n * SECTOR);
		return at;
	}
	if (n && pread(fd, disk + sector * SECTOR, n * SECTOR, at * SECTOR) != (ssize_t)n * SECTOR)
		die("log at %lu", at);
	return at + n;
}

#endif
