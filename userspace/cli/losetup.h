/* SPDX-License-Identifier: GPL-2.0-only */
/* Options of losetup(8), for users who type them here. */
#ifndef NOCLONE_LOSETUP_H
#define NOCLONE_LOSETUP_H

/*
 * Find an option that losetup has and this tool does not: @word is its long form with both dashes,
 * perhaps with an argument, or NULL, and @letter is its short form. Return: what does the same
 * here, or NULL.
 */
const char *losetup_option(const char *word, int letter);

#endif
