/* SPDX-License-Identifier: GPL-2.0-only */
/* The parts of a file that have blocks on the disk. */
#ifndef NOCLONE_FILE_MAP_H
#define NOCLONE_FILE_MAP_H

#include <stdbool.h>
#include <stdint.h>

struct fiemap_extent;

/* A gap in a file: the bytes from @begin up to @end, without the byte at @end. */
struct file_gap {
	uint64_t begin;
	uint64_t end;
};

/**
 * struct file_map - a summary of a file's extents
 * @known: the file system has reported the extents or the holes of the file; if @known is not set,
 *	all other members are empty
 * @gap: the holes and unwritten extents in the order of the file. A read of a gap returns zeroes,
 *	which are not on the disk
 * @nr_gaps: the number of gaps
 * @gap_bytes: the total length of all gaps
 * @shared: the number of bytes in blocks that another file also uses
 * @elsewhere: the number of bytes that no block on the disk has unchanged, because they are
 *	compressed, encrypted, inline, or not allocated yet
 * @extents: the number of extents
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
 * file_map_extents - make a map from the extents that FIEMAP reports
 * @map: filled in
 * @e: the extents in the order of the file
 * @nr: the number of extents
 * @bytes: the size of the file; extents beyond it are ignored
 */
void file_map_extents(struct file_map *map, const struct fiemap_extent *e,
		      unsigned int nr, uint64_t bytes);
/*
 * Add the gap from @begin up to @end. If the last gap of the map ends at @begin, that gap becomes
 * longer, and no new gap is added.
 */
void file_map_gap(struct file_map *map, uint64_t begin, uint64_t end);

void file_map_free(struct file_map *map);

#define _cleanup_file_map_ __attribute__((cleanup(file_map_free)))

#endif /* NOCLONE_FILE_MAP_H */
