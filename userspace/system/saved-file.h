/* SPDX-License-Identifier: GPL-2.0-only */
/* The files of saved devices, and how a device compares with its own. */
#ifndef NOCLONE_SAVED_FILE_H
#define NOCLONE_SAVED_FILE_H

#include <stdbool.h>

#include "model/saved.h"

bool saved_file_exists(const char *name);

/**
 * struct saved_file - a file as this command has read it
 * @name: the name of its device
 * @text: NULL if it could not be read
 * @saved: what it says as far as that can be read
 * @damage: why that is not all, or NULL
 *
 * A command reads a file once, as there may be thousands: it is forgotten when it is locked or
 * changed, before the last check of a table, and between two rounds of a command that repeats
 * itself.
 */
struct saved_file {
	char *name;
	char *text;
	struct saved saved;
	char *damage;
};

/* Each of these belongs to the list of the files that were read, until saved_file_forget(). */
const struct saved_file *saved_file_get(const char *name);
/* The one that has a device, by its UUID: its own, or the first other one; or NULL. */
const struct saved_file *saved_file_find(const char *name, const char *uuid);
/* Forget the file of that name, or with NULL all. */
void saved_file_forget(const char *name);

/* A copy of what a file says, and of its damage: a new string, or NULL. */
char *saved_file_peek(const char *name, struct saved *s);

/* Does the file have that text already? */
bool saved_file_says(const char *name, const char *text);

/*
 * The name of the file that saved_file_find() finds, as that of a device that was renamed.  If
 * there is none, one of its name that tells no UUID may be its own.  A new string, or NULL.
 */
char *saved_file_of(const char *name, const char *uuid);
/* Of devices that have a file, sorted.  Return: 0, or a negative errno after a message. */
int saved_file_names(struct names *names);

/*
 * Has the file the mapping of the device?  It is unknown while a leg does not exist, as long as
 * the device runs on a loop device because the module was missing, and if hidden arguments differ.
 */
enum saved_match { SAVED_SAME, SAVED_DIFFERS, SAVED_UNKNOWN };

/* The names of disks that the tables use may differ. */
enum saved_match saved_file_compare(const struct table *saved, const struct table *live);

/*
 * Others that change the file, or activate or deactivate the device, wait until this file
 * descriptor is closed, but not for ever.  A negative errno after a message.
 */
int saved_file_lock(const char *name);

/*
 * With the lock: write the new file beside the old one, for replace_commit() or
 * replace_drop().  0 or a negative errno.
 */
int saved_file_stage(const char *name, const char *text);
/*
 * Has a command that was interrupted left a staged file?  @uuid: only a whole file of the
 * device with that UUID, or NULL.  Its path: a new string, or NULL.
 */
char *saved_file_leftover(const char *name, const char *uuid);

/* Why the file cannot be replaced or removed, as far as can be known; NULL if it can. */
const char *saved_file_unwritable(const char *name);
/* What a folder or link is called that has the name of a file, and what to do, or NULL. */
const char *saved_file_misplaced(const char *name);
/* Return: 0, or a negative errno after a message. */
int saved_file_remove(const char *name);

/*
 * Until the next boot: a leg has another signature than the file says, and was used
 * nevertheless.
 */
void saved_file_set_forced(const char *name, bool forced);
bool saved_file_is_forced(const char *name);

/*
 * "start" or "stop" its unit, because the device is active, or is removed: when this returns
 * the unit is, too, and no event that comes later starts it.  Does nothing without systemd,
 * and in the unit itself.
 *
 * Context: without the lock of the file, for which the unit waits.
 */
void saved_unit(const char *verb, const char *name);

/*
 * Files that are replaced in one step.  Whenever that is interrupted, also by a power cut,
 * the file is the old one or the new one.  The caller has a lock.
 */

/* Put a staged file in the place of the old one.  0 or a negative errno. */
int replace_commit(const char *path);
/* Or remove it. */
void replace_drop(const char *path);
/* Write a new file beside the old one, and commit. */
int replace_file(const char *path, const char *text);

/* Only root can open what is in it, so no other user can keep a lock. */
#define RUN_DIR	"/run/noclone"

/*
 * Wait for the lock of a file in RUN_DIR, so many seconds at most.  Return: a file
 * descriptor to close, or a negative errno, -EBUSY after that time.
 */
int run_lock_for(const char *path, unsigned int seconds);
/* The same for a minute, with a message about an error.  @what: is to be changed */
int run_lock(const char *path, const char *what);

#endif /* NOCLONE_SAVED_FILE_H */
