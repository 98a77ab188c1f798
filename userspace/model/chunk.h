/* SPDX-License-Identifier: GPL-2.0-only */
/* Which chunk suits the devices below a striped one. */
#ifndef NOCLONE_CHUNK_H
#define NOCLONE_CHUNK_H

#include <stdint.h>

/**
 * struct queue_limits - limits of a block device
 * @physical_block: bytes
 * @minimum_io: bytes; smaller I/O costs more
 * @optimal_io: bytes, 0: not known
 * @discard_granularity: bytes; 0: no discards
 */
struct queue_limits {
	uint32_t physical_block;
	uint32_t minimum_io;
	uint32_t optimal_io;
	uint32_t discard_granularity;
};

/**
 * struct chunk_choice - a chunk, and why
 * @sectors: the chunk
 * @why: a part of a sentence
 */
struct chunk_choice {
	uint32_t sectors;
	const char *why;
};

/**
 * chunk_choose - the chunk for a striped device
 * @limits: of the devices, an array of pointers
 * @nr: how many
 * @smallest: sectors of the smallest leg; 0: not known
 *
 * A bio that crosses a border takes the clone path, so the chunk is larger than the
 * usual I/O; a power of two, so that mapping needs no division; and a multiple of what
 * the devices prefer.  What they take at once does not limit it: of a larger I/O more
 * would cross a border then.
 */
struct chunk_choice chunk_choose(const struct queue_limits *const *limits,
				 unsigned int nr, uint64_t smallest);

#endif /* NOCLONE_CHUNK_H */
