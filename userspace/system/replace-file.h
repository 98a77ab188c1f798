/* SPDX-License-Identifier: GPL-2.0-only */
/* Files that are replaced in one step. */
#ifndef NOCLONE_REPLACE_FILE_H
#define NOCLONE_REPLACE_FILE_H

/*
 * Write a file that is on disk, under its name and with all of @text, or as it was
 * before, whenever this is interrupted.  Return: 0 or a negative errno.
 */
int replace_file(const char *path, const char *text);

#endif /* NOCLONE_REPLACE_FILE_H */
