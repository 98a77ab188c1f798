/* SPDX-License-Identifier: GPL-2.0-only */
/* Paths as a table holds them. */
#ifndef NOCLONE_PATH_H
#define NOCLONE_PATH_H

/*
 * The path of a file as a word of a table: a new string.  The same goes into
 * messages, so that no byte of a path can spoil a terminal or JSON.
 */
char *path_encode(const char *path);

#endif /* NOCLONE_PATH_H */
