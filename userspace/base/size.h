/* SPDX-License-Identifier: GPL-2.0-only */
/* Sizes with units, as users write them, in sectors of 512 bytes. */
#ifndef NOCLONE_SIZE_H
#define NOCLONE_SIZE_H

#include <stdbool.h>
#include <stdint.h>

/**
 * size_parse - read a size
 * @text: a number and its unit
 * @sectors: set to the size
 *
 * K, M, G, T, P (or KiB, MiB, ...) are powers of 1024, KB, MB, ... powers of
 * 1000, B are bytes and s sectors.  A number other than 0 needs its unit:
 * tools disagree on what a bare one means.  Decimals are accepted if they give whole
 * sectors: 1.5M, but not 0.3K.
 *
 * Return: NULL, or a sentence saying what is wrong.
 */
const char *size_parse(const char *text, uint64_t *sectors);

/**
 * size_format - the shortest exact way to write a size
 * @sectors: size
 *
 * Return: for example "64K", "1536M", "7s"; the caller frees it.
 */
char *size_format(uint64_t sectors);

/* Rounded to at most five characters and one decimal: "1.4T" */
char *size_format_short(uint64_t sectors);

#endif /* NOCLONE_SIZE_H */
