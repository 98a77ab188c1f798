/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Files that are replaced in one step.  Whenever that is interrupted, also by a power cut,
 * the file is the old one or the new one.  The caller has a lock.
 */
#ifndef NOCLONE_REPLACE_FILE_H
#define NOCLONE_REPLACE_FILE_H

/* Write the new file beside the old one, under its name and ".new".  0 or a negative errno. */
int replace_stage(const char *path, const char *text);
/* Put it in the place of the old one.  0 or a negative errno. */
int replace_commit(const char *path);
/* Or remove it. */
void replace_drop(const char *path);
/* What a command that was interrupted has staged: its path, a new string, or NULL. */
char *replace_leftover(const char *path);
/* Stage and commit. */
int replace_file(const char *path, const char *text);
/* The folder of a file keeps a change of names once it is on disk itself. */
int replace_sync_folder(const char *path);

#endif /* NOCLONE_REPLACE_FILE_H */
