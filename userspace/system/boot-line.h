/* SPDX-License-Identifier: GPL-2.0-only */
/* The command line of the running kernel. */
#ifndef NOCLONE_BOOT_LINE_H
#define NOCLONE_BOOT_LINE_H

/* Return: the last word with this prefix on the kernel's command line, a new string, or NULL. */
char *boot_line_word(const char *prefix);
/*
 * Return: the options of the module dm-noclone on the kernel's command line, without the name of the
 * module, a new string.
 */
char *boot_line_options(void);

#endif /* NOCLONE_BOOT_LINE_H */
