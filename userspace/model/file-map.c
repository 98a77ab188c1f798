// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which parts of a file are on the disk.
 *
 * A hole has no place there. An unwritten extent has one, but what is read
 * from that place is what some deleted file has left. To the engine extent,
 * which passes the file system by, neither will do.
 */
#include "model/file-map.h"

#include <errno.h>
#include <linux/fiemap.h>
#include <linux/fs.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/util.h"

#define EXTENTS_AT_ONCE	512

#define NOT_IN_PLACE	(FIEMAP_EXTENT_UNKNOWN | FIEMAP_EXTENT_DELALLOC | \
			 FIEMAP_EXTENT_ENCODED | FIEMAP_EXTENT_DATA_ENCRYPTED | \
			 FIEMAP_EXTENT_NOT_ALIGNED | FIEMAP_EXTENT_DATA_INLINE | \
			 FIEMAP_EXTENT_DATA_TAIL)

void file_map_gap(struct file_map *map, uint64_t begin, uint64_t end)
{
	if (begin >= end)
		return;
	map->gap_bytes += end - begin;
	if (map->nr_gaps && map->gap[map->nr_gaps - 1].end == begin) {
		map->gap[map->nr_gaps - 1].end = end;
		return;
	}
	GROW(map->gap, map->nr_gaps);
	map->gap[map->nr_gaps++] = (struct file_gap) { begin, end };
}

static void add_extent(struct file_map *map, const struct fiemap_extent *e,
		       uint64_t begin, uint64_t end)
{
	map->extents++;
	if (e->fe_flags & FIEMAP_EXTENT_UNWRITTEN)
		file_map_gap(map, begin, end);
	else if (e->fe_flags & NOT_IN_PLACE)
		map->elsewhere += end - begin;
	else if (e->fe_flags & FIEMAP_EXTENT_SHARED)
		map->shared += end - begin;
}

void file_map_extents(struct file_map *map, const struct fiemap_extent *e,
		      unsigned int nr, uint64_t bytes)
{
	uint64_t at = 0, begin, end;
	unsigned int i;

	memset(map, 0, sizeof(*map));
	map->known = true;
	for (i = 0; i < nr; i++) {
		begin = MIN(e[i].fe_logical, bytes);
		end = MIN(e[i].fe_logical + e[i].fe_length, bytes);
		if (begin >= end)
			continue;
		file_map_gap(map, at, begin);
		add_extent(map, &e[i], begin, end);
		at = end;
	}
	file_map_gap(map, at, bytes);
}

/* One call's worth, behind those that are there already. */
static int read_some(int fd, uint64_t from, struct fiemap *buffer,
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

static int read_extents(int fd, struct fiemap_extent **e, unsigned int *nr)
{
	_cleanup_free_ struct fiemap *buffer =
		xzalloc(sizeof(*buffer) +
			EXTENTS_AT_ONCE * sizeof(struct fiemap_extent));
	const struct fiemap_extent *last;
	uint64_t from = 0;
	int r;

	do {
		r = read_some(fd, from, buffer, e, nr);
		if (r || !buffer->fm_mapped_extents)
			return r;
		last = &(*e)[*nr - 1];
		from = last->fe_logical + last->fe_length;
	} while (!(last->fe_flags & FIEMAP_EXTENT_LAST));
	return 0;
}

/* Unwritten extents look like holes, but only when nothing of them is cached. */
static int seek_holes(int fd, uint64_t bytes, struct file_map *map)
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

int file_map_read(int fd, uint64_t bytes, struct file_map *map)
{
	_cleanup_free_ struct fiemap_extent *e = NULL;
	unsigned int nr = 0;
	int r = read_extents(fd, &e, &nr);

	memset(map, 0, sizeof(*map));
	if (r == -EOPNOTSUPP || r == -ENOTTY)
		return seek_holes(fd, bytes, map);
	if (!r)
		file_map_extents(map, e, nr, bytes);
	return r;
}

void file_map_free(struct file_map *map)
{
	free(map->gap);
	memset(map, 0, sizeof(*map));
}
