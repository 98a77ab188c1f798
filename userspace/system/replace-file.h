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

/* Only root can open what is in it, so no other user can keep a lock. */
#define RUN_DIR	"/run/noclone"

/*
 * Wait for the lock of a file in RUN_DIR, so many seconds at most.  Return: a file
 * descriptor to close, or a negative errno, -EBUSY after that time.
 */
int run_lock_for(const char *path, unsigned int seconds);
/* The same for a minute, with a message about an error.  @what: is to be changed */
int run_lock(const char *path, const char *what);

#endif /* NOCLONE_REPLACE_FILE_H */
