/* SPDX-License-Identifier: GPL-2.0-only */
/* Options of losetup(8), for users who type them here. */
#ifndef NOCLONE_LOSETUP_H
#define NOCLONE_LOSETUP_H

/*
 * Find an option that losetup has and this tool does not: @word is the long form of the option with
 * both dashes, perhaps with an argument, or NULL; @letter is the short form. Return: the words of
 * this tool that do the same as the option, or NULL.
 */
const char *losetup_option(const char *word, int letter);

#endif
