/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Write and read the path of a file in a table: pure functions, no state.
 *
 * dm splits arguments at blanks and removes backslashes, dmsetup cuts a line of a table at "#",
 * and the kernel's isspace() is true for the byte 0xa0. So each byte that is not printable ASCII,
 * and "#", "%" and the backslash, is written as % and two hexadecimal digits, as in a URI. The
 * output of "dmsetup table" can be loaded.
 *
 * The module, the tool, the unit tests and the fuzzers compile this file.
 */
#ifndef DM_NOCLONE_PATH_H
#define DM_NOCLONE_PATH_H

#ifdef __KERNEL__
#include <linux/types.h>
#else
#include <stdbool.h>
#include <stddef.h>
#endif

/* The room that one byte of a path may need in a table */
#define NOCLONE_PATH_GROWTH	3

static inline bool noclone_path_is_plain(unsigned char c)
{
	return c > ' ' && c < 0x7f && c != '#' && c != '%' && c != '\\';
}

static inline int noclone_hex_value(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

/**
 * noclone_path_decode - decode an argument of a table, in place
 * @path: the argument; becomes the path, which is never longer
 *
 * Return: false if two hexadecimal digits do not follow a "%", or if they are 00;
 * @path is undefined then.
 */
static inline bool noclone_path_decode(char *path)
{
	char *to = path;
	int high, low;

	while (*path) {
		if (*path != '%') {
			*to++ = *path++;
			continue;
		}
		high = noclone_hex_value(path[1]);
		low = high < 0 ? -1 : noclone_hex_value(path[2]);
		if (low < 0 || !(high | low))
			return false;
		*to++ = high * 16 + low;
		path += 3;
	}
	*to = 0;
	return true;
}

/**
 * noclone_path_encode - encode one byte of a path for a table
 * @c: a byte of a path, not 0
 * @to: room for NOCLONE_PATH_GROWTH bytes
 *
 * Return: how many bytes of @to were used: 1 or 3.
 */
static inline unsigned int noclone_path_encode(unsigned char c, char *to)
{
	static const char digits[] = "0123456789ABCDEF";

	to[0] = c;
	if (noclone_path_is_plain(c))
		return 1;
	to[0] = '%';
	to[1] = digits[c >> 4];
	to[2] = digits[c & 15];
	return 3;
}

#endif /* DM_NOCLONE_PATH_H */
