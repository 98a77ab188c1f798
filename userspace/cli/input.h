/* SPDX-License-Identifier: GPL-2.0-only */
/* Files that the command line names. */
#ifndef NOCLONE_INPUT_H
#define NOCLONE_INPUT_H

/*
 * Read a whole file, or standard input if @path is "-".  Return: 0, or a negative
 * errno after a message.
 */
int input_read(const char *path, char **text);

#endif /* NOCLONE_INPUT_H */
