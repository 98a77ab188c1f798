// SPDX-License-Identifier: GPL-2.0-only
/* A short measurement of a block device by reads. */
#include "system/measure.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/log.h"
#include "base/read.h"
#include "base/util.h"

#define SMALL	4096U
#define LARGE	(1U << 20)

/* The part that is read; @at is where the next read in sequence begins. */
struct run {
	int fd;
	char *buffer;
	uint64_t first, bytes, at;
	unsigned short seed[3];
};

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ULL + t.tv_nsec;
}

static int read_random(struct run *run)
{
	uint64_t place = (uint64_t)nrand48(run->seed) % (run->bytes / SMALL);
	ssize_t n = pread(run->fd, run->buffer, SMALL, run->first + place * SMALL);

	return n < 0 ? -errno : n;
}

static int read_next(struct run *run)
{
	uint64_t size = MIN(LARGE, run->bytes / SMALL * SMALL);
	ssize_t n;

	if (run->at + size > run->bytes)
		run->at = 0;
	n = pread(run->fd, run->buffer, size, run->first + run->at);
	run->at += size;
	return n < 0 ? -errno : n;
}

/* Read until the time is over: nanoseconds of a read, and bytes per second. */
static int repeat(struct run *run, int (*once)(struct run *run), unsigned int ms,
		  uint64_t *ns, uint64_t *bytes_s)
{
	uint64_t begin = now_ns(), end = begin + ms * 1000000ULL, bytes = 0, nr = 0, spent;
	int n;

	do {
		n = once(run);
		if (n <= 0)
			return n ? n : -EIO;
		bytes += n;
		nr++;
	} while (now_ns() < end);
	spent = MAX(now_ns() - begin, 1);
	*ns = MAX(spent / nr, 1);
	*bytes_s = bytes * 1000000000.0 / spent;
	return 0;
}

static int measure(struct run *run, unsigned int ms, struct measured *m)
{
	uint64_t unused;
	int r = repeat(run, read_random, ms / 2, &m->latency_ns, &unused);

	return r ? r : repeat(run, read_next, ms / 2, &unused, &m->bytes_s);
}

/* Direct reads want whole blocks, and 4 KiB is a multiple of all of them. */
static void set_part(struct run *run, uint64_t first, uint64_t sectors)
{
	uint64_t begin = first << SECTOR_SHIFT, end = begin + (sectors << SECTOR_SHIFT);

	run->first = (begin + SMALL - 1) / SMALL * SMALL;
	run->bytes = end > run->first ? end - run->first : 0;
}

int measure_reads(const char *path, uint64_t first, uint64_t sectors, unsigned int ms,
		  struct measured *m)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_DIRECT | O_CLOEXEC | O_NONBLOCK);
	struct run run = {
		.fd = fd,
		.buffer = aligned_alloc(SMALL, LARGE),
		.seed = { 1, 2, 3 },
	};
	int r = fd < 0 ? -errno : 0;

	set_part(&run, first, sectors);
	if (!r && !run.buffer)
		r = -ENOMEM;
	if (!r)
		r = run.bytes < SMALL ? -ENOSPC : measure(&run, ms, m);
	free(run.buffer);
	if (r)
		log_err("%s: cannot measure it: %s", path,
			r == -ENOSPC ? "the part is smaller than 4 KiB" : strerror(-r));
	return r;
}
