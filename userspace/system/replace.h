/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Files below /etc/noclone that are replaced in one step: the files of saved devices, and the
 * policy. After an interruption, even by a power cut, the file is the old one or the new one. The
 * caller holds a lock.
 */
#ifndef NOCLONE_REPLACE_H
#define NOCLONE_REPLACE_H

/* Return: the path of the new file, a new string. */
char *replace_staged(const char *path);
/* Write the folder of a file to the disk, so that a rename in this folder is durable. */
int replace_sync_folder(const char *path);
/*
 * Write the new file beside the old one, under its name and ".new". Return: 0 or a negative errno.
 */
int replace_stage(const char *path, const char *text);
/* Put a staged file in the place of the old one. Return: 0 or a negative errno. */
int replace_commit(const char *path);
/* Remove a staged file. */
void replace_drop(const char *path);
/* Write a new file beside the old one, and put the new file in the place of the old one. */
int replace_file(const char *path, const char *text);

#endif /* NOCLONE_REPLACE_H */
