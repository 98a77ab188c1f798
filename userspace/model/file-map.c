// SPDX-License-Identifier: GPL-2.0-only
/* The parts of a file that have blocks on the disk. */
#include "model/file-map.h"

#include <linux/fiemap.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"

/*
 * The engine extent bypasses the file system. So it can use neither a hole, which has no blocks,
 * nor an unwritten extent, whose blocks still contain data of a deleted file.
 *
 * NOT_IN_PLACE: the flags of all further extents that the engine cannot use. Either the disk has no
 * block with the bytes of the extent as a program reads them, or a block with these bytes also has
 * bytes of something else.
 */
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

static void file_map_add_extent(struct file_map *map, const struct fiemap_extent *e,
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
		file_map_add_extent(map, &e[i], begin, end);
		at = end;
	}
	file_map_gap(map, at, bytes);
}

void file_map_free(struct file_map *map)
{
	free(map->gap);
	memset(map, 0, sizeof(*map));
}
