// SPDX-License-Identifier: GPL-2.0-only
/*
 * one-io DEV read|write|randread|randwrite BYTES [WORD]...: measure what one direct I/O costs, with
 * one I/O in flight. For "make bench", where the clock counts instructions.
 *
 *	fsync		each write is followed by fdatasync()
 *	size=BYTES	the I/Os are within this number of bytes at the begin of DEV; all of DEV by
 *			default
 *	huge		the data is in huge pages of 2 MiB
 *	scattered	no two pages of the data are neighbours in memory
 *	nodata		DEV does not keep the data that is written
 *
 * The program repeats the same I/Os in rounds of at most a millisecond. Other work of the machine,
 * such as its timer, falls into some rounds, so the shortest round is printed, as JSON. If the I/O
 * is long, each round has a tick of the timer, but the tick costs little compared with the I/O, so
 * a few rounds are enough. Before the rounds, the program writes to DEV and reads the data again,
 * so that only I/Os with the right data are measured.
 */
#define _GNU_SOURCE
#include <err.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define SEED	0x3c6ef372fe94f82aull
#define die(...) err(EXIT_FAILURE, __VA_ARGS__)
#define ROUNDS	20
#define FEW	5
#define LONG	(4 << 20)
#define MOST	128
#define PAGE	4096
#define HUGE	(2 << 20)

static struct {
	int fd;
	bool write, random, fsync, huge, scattered, nodata;
	size_t bytes;
	off_t size;
} load;

static char *data;
static uint64_t one_io_random;

/* Return: a random number below @n, by xorshift. The numbers repeat after each start from SEED. */
static uint64_t one_io_below(uint64_t n)
{
	one_io_random ^= one_io_random << 13;
	one_io_random ^= one_io_random >> 7;
	one_io_random ^= one_io_random << 17;
	return (one_io_random >> 11) % n;
}

static void one_io_parse(const char *word)
{
	if (!strcmp(word, "fsync"))
		load.fsync = true;
	else if (!strcmp(word, "huge"))
		load.huge = true;
	else if (!strcmp(word, "scattered"))
		load.scattered = true;
	else if (!strcmp(word, "nodata"))
		load.nodata = true;
	else if (sscanf(word, "size=%jd", &load.size) != 1)
		errx(EXIT_FAILURE, "%s: no such word", word);
}

/* Map the pages of a memory file in a mixed order: in file order they are likely to be neighbours. */
static void one_io_scatter(char *memory)
{
	int fd = memfd_create("memory", 0);
	size_t i, n = load.bytes / PAGE;

	if (fd < 0 || posix_fallocate(fd, 0, load.bytes))
		die("memory");
	for (i = 0; i < n; i++)
		if (mmap(memory + i * PAGE, PAGE, PROT_READ | PROT_WRITE,
			 MAP_SHARED | MAP_FIXED | MAP_POPULATE, fd, i * 85 % n * PAGE) == MAP_FAILED)
			die("memory");
}

static void *one_io_memory(void)
{
	int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE | (load.huge ? MAP_HUGETLB : 0);
	size_t bytes = load.huge ? (load.bytes + HUGE - 1) / HUGE * HUGE : load.bytes;
	void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, flags, -1, 0);

	if (p == MAP_FAILED)
		die("memory");
	if (load.scattered)
		one_io_scatter(p);
	return p;
}

/* Return: the offset of I/O @i. The offsets repeat after each start of one_io_random. */
static off_t one_io_offset(unsigned int i)
{
	uint64_t places = load.size / load.bytes;

	return (load.random ? one_io_below(places) : i % places) * load.bytes;
}

static void one_io_transfer(bool write, off_t offset)
{
	ssize_t done = write ? pwrite(load.fd, data, load.bytes, offset) :
		pread(load.fd, data, load.bytes, offset);

	if (done != (ssize_t)load.bytes)
		die("I/O of %zu bytes at %jd", load.bytes, (intmax_t)offset);
	if (write && load.fsync && fdatasync(load.fd))
		die("fdatasync");
}

/* Do one round of I/Os. Return: its time in nanoseconds. */
static uint64_t one_io_round(unsigned int ios)
{
	struct timespec begin, end;
	unsigned int i;

	one_io_random = SEED;
	clock_gettime(CLOCK_MONOTONIC, &begin);
	for (i = 0; i < ios; i++)
		one_io_transfer(load.write, one_io_offset(i));
	clock_gettime(CLOCK_MONOTONIC, &end);
	return (end.tv_sec - begin.tv_sec) * 1000000000ull + end.tv_nsec - begin.tv_nsec;
}

/* Write the data of a round, or read and compare it: each word contains its own offset in DEV. */
static void one_io_words(bool write, unsigned int ios)
{
	uint64_t *word = (uint64_t *)data;
	size_t at, n = load.bytes / sizeof(*word);
	unsigned int i;

	one_io_random = SEED;
	for (i = 0; i < ios; i++) {
		off_t offset = one_io_offset(i);

		for (at = 0; at < n; at++)
			word[at] = write ? offset + at * sizeof(*word) : UINT64_MAX;
		one_io_transfer(write, offset);
		for (at = 0; at < n; at++)
			if (word[at] != offset + at * sizeof(*word))
				errx(EXIT_FAILURE, "wrong data in the block at %jd", (intmax_t)offset);
	}
}

/* Return: the number of I/Os in a round, a power of two, so that all runs have the same number. */
static unsigned int one_io_choose_ios(void)
{
	unsigned int ios = MOST;
	uint64_t one;

	one_io_round(4);
	one = one_io_round(4) / 4;
	while (ios > 1 && ios * one > 1000000)
		ios /= 2;
	return ios;
}

static void one_io_measure(unsigned int ios)
{
	unsigned int i, rounds = load.bytes < LONG ? ROUNDS : FEW;
	uint64_t least = UINT64_MAX;

	for (i = 0; i < rounds; i++) {
		uint64_t ns = one_io_round(ios);

		if (ns < least)
			least = ns;
	}
	printf("{\"per_io\": %.2f, \"ios\": %u}\n", (double)least / ios, rounds * ios);
}

int main(int argc, char **argv)
{
	unsigned int ios;
	int i;

	if (argc < 4)
		errx(2, "usage: one-io DEV read|write|randread|randwrite BYTES [WORD]...");
	load.write = strstr(argv[2], "write");
	load.random = !strncmp(argv[2], "rand", 4);
	load.bytes = atol(argv[3]);
	/* O_NOATIME saves five instructions, which compare the time of access with the last one. */
	load.fd = open(argv[1], O_RDWR | O_DIRECT | O_NOATIME);
	if (load.fd < 0)
		die("%s", argv[1]);
	load.size = lseek(load.fd, 0, SEEK_END);
	for (i = 4; i < argc; i++)
		one_io_parse(argv[i]);
	data = one_io_memory();
	ios = one_io_choose_ios();
	if (!load.nodata) {
		one_io_words(true, ios);
		one_io_words(false, ios);
	}
	one_io_round(ios);
	one_io_measure(ios);
	return 0;
}
