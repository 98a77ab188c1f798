// SPDX-License-Identifier: GPL-2.0-only
/*
 * fail-nth DEV BYTES: a write of so much at the first sector, and a read, each again and again
 * while the kernel's fault injection fails the first allocation, the second, and so on,
 * until there are no more. Each has to succeed, and the data has to be right.
 */
#define _GNU_SOURCE
#include <string.h>

#include "nth.h"

static int fd;
static char *data, *wanted;
static size_t bytes;

static void fill(unsigned int version)
{
	size_t at;

	for (at = 0; at < bytes; at += SECTOR)
		stamp(wanted + at, at / SECTOR, version);
	memcpy(data, wanted, bytes);
}

/* @n: which allocation fails, or 0. Return: whether there was one. */
static bool transfer(bool write, unsigned int n)
{
	bool failed;
	ssize_t r;
	int error;

	fail_nth(n);
	r = write ? pwrite(fd, data, bytes, 0) : pread(fd, data, bytes, 0);
	error = errno;
	failed = has_failed();
	if (r != (ssize_t)bytes || memcmp(data, wanted, bytes))
		errx(EXIT_FAILURE, "%s of %zu bytes without allocation %u: returns %zd (%s)",
		     write ? "write" : "read", bytes, n, r, r < 0 ? strerror(error) : "wrong data");
	return failed;
}

/* Return: how many allocations there are. */
static unsigned int all(bool write)
{
	unsigned int n = 0;
	bool failed;

	do {
		fill(++n);
		if (!write)
			transfer(true, 0);
		memset(data, 0xee, write ? 0 : bytes);
		failed = transfer(write, n);
		memset(data, 0xee, bytes);
		transfer(false, 0);
	} while (failed);
	return n - 1;
}

int main(int argc, char **argv)
{
	unsigned int writes, reads;

	if (argc != 3)
		errx(EXIT_FAILURE, "usage: fail-nth DEV BYTES");
	fd = open_direct(argv[1]);
	nth_open();
	bytes = atol(argv[2]);
	data = pages(bytes);
	wanted = pages(bytes);
	writes = all(true);
	reads = all(false);
	printf("%u %u\n", writes, reads);
	return EXIT_SUCCESS;
}
