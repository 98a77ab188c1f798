/* SPDX-License-Identifier: GPL-2.0-only */
/* Locks that last as long as a process. */
#ifndef NOCLONE_RUN_LOCK_H
#define NOCLONE_RUN_LOCK_H

/* Only root can open what is in it, so no other user can keep a lock. */
#define RUN_DIR	"/run/noclone"

/*
 * Wait for the lock of a file in RUN_DIR, so many seconds at most.  Return: a file
 * descriptor to close, or a negative errno, -EBUSY after that time.
 */
int run_lock_for(const char *path, unsigned int seconds);
/* The same for a minute, with a message about an error.  @what: is to be changed */
int run_lock(const char *path, const char *what);

#endif /* NOCLONE_RUN_LOCK_H */
