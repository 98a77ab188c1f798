/* SPDX-License-Identifier: GPL-2.0-only */
/* Which parts of a file have blocks of their own on the disk. */
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
 * struct file_map - a summary of a file's extents
 * @known: the file system reports them; if not, the rest is empty
 * @gap: holes and unwritten extents in order: reading them gives zeroes that
 *	are not on the disk
 * @nr_gaps: how many
 * @gap_bytes: total of all gaps
 * @shared: bytes that another file has as well
 * @elsewhere: bytes without blocks that hold just them: compressed, encrypted,
 *	inline, not allocated yet
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
 * file_map_extents - make a map of what FIEMAP reports
 * @map: filled in
 * @e: extents in the order of the file
 * @nr: how many
 * @bytes: size of the file; extents beyond it are ignored
 */
void file_map_extents(struct file_map *map, const struct fiemap_extent *e,
		      unsigned int nr, uint64_t bytes);
/* Add a gap; it is merged with the last one if that ends at @begin. */
void file_map_gap(struct file_map *map, uint64_t begin, uint64_t end);

void file_map_free(struct file_map *map);

#define _cleanup_file_map_ __attribute__((cleanup(file_map_free)))

#endif /* NOCLONE_FILE_MAP_H */
