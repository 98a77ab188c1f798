// SPDX-License-Identifier: GPL-2.0-only
/* Asking the file system where the parts of a file are. */
#include "system/fiemap.h"

#include <errno.h>
#include <linux/fiemap.h>
#include <linux/fs.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/util.h"

#define EXTENTS_AT_ONCE	512

/* One call's worth, behind those that are there already. */
static int lookup_read_some(int fd, uint64_t from, struct fiemap *buffer,
			    struct fiemap_extent **e, unsigned int *nr)
{
	unsigned int i;

	memset(buffer, 0, sizeof(*buffer));
	buffer->fm_start = from;
	buffer->fm_length = FIEMAP_MAX_OFFSET - from;
	buffer->fm_flags = FIEMAP_FLAG_SYNC;
	buffer->fm_extent_count = EXTENTS_AT_ONCE;
	if (ioctl(fd, FS_IOC_FIEMAP, buffer))
		return -errno;
	for (i = 0; i < buffer->fm_mapped_extents; i++) {
		GROW(*e, *nr);
		(*e)[(*nr)++] = buffer->fm_extents[i];
	}
	return 0;
}

static int lookup_read_extents(int fd, struct fiemap_extent **e, unsigned int *nr)
{
	_cleanup_free_ struct fiemap *buffer =
		xzalloc(sizeof(*buffer) +
			EXTENTS_AT_ONCE * sizeof(struct fiemap_extent));
	const struct fiemap_extent *last;
	uint64_t from = 0;
	int r;

	do {
		r = lookup_read_some(fd, from, buffer, e, nr);
		if (r || !buffer->fm_mapped_extents)
			return r;
		last = &(*e)[*nr - 1];
		from = last->fe_logical + last->fe_length;
	} while (!(last->fe_flags & FIEMAP_EXTENT_LAST));
	return 0;
}

/* Unwritten extents look like holes, but only when nothing of them is cached. */
static int lookup_seek_holes(int fd, uint64_t bytes, struct file_map *map)
{
	off_t at = 0, data;

	if (fsync(fd))
		return -errno;
	map->known = true;
	while ((uint64_t)at < bytes) {
		data = lseek(fd, at, SEEK_DATA);
		if (data < 0 && errno != ENXIO)
			return -errno;
		if (data < 0)
			data = bytes;
		file_map_gap(map, at, MIN((uint64_t)data, bytes));
		if ((uint64_t)data >= bytes)
			return 0;
		map->extents++;
		at = lseek(fd, data, SEEK_HOLE);
		if (at < 0)
			return -errno;
	}
	return 0;
}

int fiemap_read(int fd, uint64_t bytes, struct file_map *map)
{
	_cleanup_free_ struct fiemap_extent *e = NULL;
	unsigned int nr = 0;
	int r = lookup_read_extents(fd, &e, &nr);

	memset(map, 0, sizeof(*map));
	if (r == -EOPNOTSUPP || r == -ENOTTY)
		return lookup_seek_holes(fd, bytes, map);
	if (!r)
		file_map_extents(map, e, nr, bytes);
	return r;
}
