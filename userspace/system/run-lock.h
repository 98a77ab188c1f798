/* SPDX-License-Identifier: GPL-2.0-only */
/* Locks that end at the latest with the process that holds them. */
#ifndef NOCLONE_RUN_LOCK_H
#define NOCLONE_RUN_LOCK_H

#include <stdbool.h>

/* Only root can open files in RUN_DIR, so no other user can hold a lock forever. */
#define RUN_DIR	"/run/noclone"

/*
 * Lock the file @path in RUN_DIR. Wait at most @seconds seconds while another process has the lock.
 *
 * Return: a file descriptor, which the caller closes to end the lock; -EBUSY if another process
 * still has the lock after @seconds; -EINTR if a signal arrives that the caller has blocked; or
 * another negative errno.
 */
int run_lock_for(const char *path, unsigned int seconds);
/*
 * Lock a file as run_lock_for() does, wait at most a minute, and log each error. @what: the name of
 * the device or file that the lock protects, for the messages
 */
int run_lock(const char *path, const char *what);
/* Does another process hold the lock at this moment? */
bool run_lock_is_held(const char *path);

#endif /* NOCLONE_RUN_LOCK_H */
