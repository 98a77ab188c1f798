/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Replace files below /etc/noclone in one step: the files of saved devices, and the policy. After
 * an interruption, even by a power cut, the file has either its complete old content or its
 * complete new content. The caller holds a lock, so that two commands do not replace a file at the
 * same time.
 */
#ifndef NOCLONE_REPLACE_H
#define NOCLONE_REPLACE_H

/*
 * Return: the path at which the new file for @path is staged: @path with ".new" at its end, a new
 * string.
 */
char *replace_staged(const char *path);
/* Write the folder of the file @path to the disk, so that a rename in this folder is durable. */
int replace_sync_folder(const char *path);
/*
 * Stage a new file: write @text to the path of the old file with ".new" at its end. Return: 0 or a
 * negative errno.
 */
int replace_stage(const char *path, const char *text);
/* Put the staged file in the place of the file @path. Return: 0 or a negative errno. */
int replace_commit(const char *path);
/* Remove the staged file of @path, if it exists. */
void replace_drop(const char *path);
/* Stage a new file, and put it in the place of the old file. Return: 0 or a negative errno. */
int replace_file(const char *path, const char *text);

#endif /* NOCLONE_REPLACE_H */
