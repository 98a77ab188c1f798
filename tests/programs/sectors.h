/* SPDX-License-Identifier: GPL-2.0-only */
/* What the programs of the tests share: random numbers, and sectors that know what they are. */
#ifndef SECTORS_H
#define SECTORS_H

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define SECTOR	512
#define WORDS	(SECTOR / sizeof(uint64_t))
#define die(...) err(EXIT_FAILURE, __VA_ARGS__)

static uint64_t random_state;

static inline void random_seed(uint64_t seed)
{
	random_state = (seed + 1) * 0x9e3779b97f4a7c15ull;
}

/* Below @n, by xorshift: the same everywhere for the same seed */
static inline uint64_t random_below(uint64_t n)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return (random_state >> 11) % n;
}

/* From 1 to @max, each power of two as often as the next */
static inline uint64_t random_size(uint64_t max)
{
	unsigned int bits = 64 - __builtin_clzll(max);
	uint64_t n = random_below(2ull << random_below(bits)) + 1;

	return n > max ? max : n;
}

/* Sector @sector as version @version of it is. */
static inline void stamp(void *data, uint64_t sector, uint64_t version)
{
	uint64_t *word = data, mix = (sector ^ version << 32) * 0xbf58476d1ce4e5b9ull;
	unsigned int i;

	word[0] = sector;
	word[1] = version;
	for (i = 2; i < WORDS; i++)
		word[i] = mix + i;
}

/* Return: which version of @sector that is, 0 if none has been written, or -1. */
static inline int64_t stamp_version(const void *data, uint64_t sector)
{
	const uint64_t *word = data;
	uint64_t mix = (sector ^ word[1] << 32) * 0xbf58476d1ce4e5b9ull, all = 0;
	unsigned int i;

	if (word[0] == sector && word[1]) {
		for (i = 2; i < WORDS; i++)
			if (word[i] != mix + i)
				return -1;
		return word[1];
	}
	for (i = 0; i < WORDS; i++)
		all |= word[i];
	return all ? -1 : 0;
}

/* Memory at a page's begin, and in huge pages if there are any. */
static inline char *pages(size_t bytes)
{
	char *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		die("%zu bytes", bytes);
	madvise(p, bytes, MADV_HUGEPAGE);
	return p;
}

static inline int open_direct(const char *path)
{
	int fd = open(path, O_RDWR | O_DIRECT);

	if (fd < 0)
		die("%s", path);
	return fd;
}

static inline uint64_t device_sectors(int fd)
{
	off_t bytes = lseek(fd, 0, SEEK_END);

	if (bytes <= 0)
		die("no size");
	return bytes / SECTOR;
}

#endif
