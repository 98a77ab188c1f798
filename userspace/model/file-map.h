/* SPDX-License-Identifier: GPL-2.0-only */
/* Which parts of a file are on the disk, and which only seem to be there. */
#ifndef NOCLONE_FILE_MAP_H
#define NOCLONE_FILE_MAP_H

#include <stdbool.h>
#include <stdint.h>

struct fiemap_extent;

/* Bytes from @begin to before @end. */
struct file_gap {
	uint64_t begin;
	uint64_t end;
};

/**
 * struct file_map - a file's extents, summed up
 * @known: the file system could be asked; otherwise all else is empty
 * @gap: holes and unwritten extents in order: reading them gives zeroes that
 *	are not on the disk
 * @nr_gaps: how many
 * @gap_bytes: all of them together
 * @shared: bytes that another file has as well
 * @elsewhere: bytes that are not as they are in the file, or not in a place
 *	of their own: compressed, encrypted, inline, not allocated yet
 * @extents: how many there are
 */
struct file_map {
	bool known;
	struct file_gap *gap;
	unsigned int nr_gaps;
	uint64_t gap_bytes;
	uint64_t shared;
	uint64_t elsewhere;
	unsigned int extents;
};

/**
 * file_map_extents - make a map of what FIEMAP says.  No I/O.
 * @map: filled in
 * @e: extents in the order of the file
 * @nr: how many
 * @bytes: size of the file; what lies behind it does not count
 */
void file_map_extents(struct file_map *map, const struct fiemap_extent *e,
		      unsigned int nr, uint64_t bytes);
/* Add a gap; one that goes on where the last one ended makes that longer. */
void file_map_gap(struct file_map *map, uint64_t begin, uint64_t end);

void file_map_free(struct file_map *map);

#define _cleanup_file_map_ __attribute__((cleanup(file_map_free)))

#endif /* NOCLONE_FILE_MAP_H */
