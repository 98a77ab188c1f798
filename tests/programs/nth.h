/* SPDX-License-Identifier: GPL-2.0-only */
/* The kernel's fault injection, as far as it fails one allocation of this thread. */
#ifndef NTH_H
#define NTH_H

#include "sectors.h"

static int nth_fd;

/* Allocation @n from now on fails; 0: none does. */
static inline void fail_nth(unsigned int n)
{
	char text[16];
	int length = snprintf(text, sizeof(text), "%u", n);

	if (pwrite(nth_fd, text, length, 0) != length)
		die("/proc/thread-self/fail-nth");
}

/* Return: whether an allocation has failed since fail_nth(). */
static inline bool has_failed(void)
{
	char text[16] = "";

	if (pread(nth_fd, text, sizeof(text) - 1, 0) < 0)
		die("/proc/thread-self/fail-nth");
	fail_nth(0);
	return !atoi(text);
}

static inline void nth_open(void)
{
	nth_fd = open("/proc/thread-self/fail-nth", O_RDWR);
	if (nth_fd < 0)
		die("/proc/thread-self/fail-nth");
}

#endif
