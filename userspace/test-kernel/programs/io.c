// SPDX-License-Identifier: GPL-2.0-only
/*
 * One I/O on a device, past the page cache, for the test of a kernel.
 *
 *	io read|write DEV BYTE BYTES [FLAGS]	FLAGS: n RWF_NOWAIT, d RWF_DSYNC
 *	io discard|zeroes DEV BYTE BYTES
 *	io flush DEV
 *
 * The output is the number of bytes, or the name of the error. The exit status is 0 in both cases.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/uio.h>
#include <unistd.h>

static long io_transfer(int fd, int is_write, uint64_t at, size_t bytes, const char *words)
{
	int flags = (strchr(words, 'n') ? RWF_NOWAIT : 0) | (strchr(words, 'd') ? RWF_DSYNC : 0);
	struct iovec v = { aligned_alloc(4096, (bytes + 4095) / 4096 * 4096), bytes };

	if (!v.iov_base)
		return -1;
	memset(v.iov_base, 0x5a, bytes);
	return is_write ? pwritev2(fd, &v, 1, at, flags) : preadv2(fd, &v, 1, at, flags);
}

static long io_do(int fd, char **argv, const char *words)
{
	uint64_t range[2];

	if (!strcmp(argv[0], "flush"))
		return fsync(fd);
	range[0] = strtoull(argv[2], NULL, 0);
	range[1] = strtoull(argv[3], NULL, 0);
	if (!strcmp(argv[0], "discard"))
		return ioctl(fd, BLKDISCARD, range) ? -1 : (long)range[1];
	if (!strcmp(argv[0], "zeroes"))
		return ioctl(fd, BLKZEROOUT, range) ? -1 : (long)range[1];
	return io_transfer(fd, !strcmp(argv[0], "write"), range[0], range[1], words);
}

int main(int argc, char **argv)
{
	long n;
	int fd;

	if (argc < 3 || (argc < 5 && strcmp(argv[1], "flush"))) {
		fprintf(stderr, "io: wrong arguments\n");
		return 2;
	}
	fd = open(argv[2], (strcmp(argv[1], "read") ? O_RDWR : O_RDONLY) | O_DIRECT);
	n = fd < 0 ? -1 : io_do(fd, argv + 1, argc > 5 ? argv[5] : "");
	if (n < 0)
		printf("%s\n", strerrorname_np(errno));
	else
		printf("%ld\n", n);
	return 0;
}
