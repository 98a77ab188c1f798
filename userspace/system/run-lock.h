/* SPDX-License-Identifier: GPL-2.0-only */
/* Locks that last as long as a process. */
#ifndef NOCLONE_RUN_LOCK_H
#define NOCLONE_RUN_LOCK_H

/* Only root can open files in RUN_DIR, so no other user can keep a lock. */
#define RUN_DIR	"/run/noclone"

/*
 * Wait at most @seconds seconds for the lock of a file in RUN_DIR.
 *
 * Return: a file descriptor that the caller closes, or a negative errno, which is -EBUSY after
 * @seconds.
 */
int run_lock_for(const char *path, unsigned int seconds);
/* Wait at most a minute for the lock, and log an error. @what: the thing that the lock protects */
int run_lock(const char *path, const char *what);

#endif /* NOCLONE_RUN_LOCK_H */
