/* SPDX-License-Identifier: GPL-2.0-only */
/* The files of saved devices, and how a device compares with its own. */
#ifndef NOCLONE_SAVED_FILE_H
#define NOCLONE_SAVED_FILE_H

#include <stdbool.h>

#include "model/saved.h"

bool saved_file_exists(const char *name);
/* What a file says.  Return: 0, or a negative errno after a message. */
int saved_file_read(const char *name, struct saved *s);
/* The same as far as it can be read.  Return: NULL, or why it is damaged: a new string. */
char *saved_file_peek(const char *name, struct saved *s);

/* Does the file have that text already? */
bool saved_file_says(const char *name, const char *text);

/*
 * The name of the file that has a device, by its UUID: its own, or another one after the
 * device was renamed.  A new string, or NULL.
 */
char *saved_file_of(const char *name, const char *uuid);
/*
 * If the file of that name is a copy with the UUID of a device that is active, the name of
 * the other file: a new string, or NULL.
 */
char *saved_file_original(const char *active, const char *uuid, const char *name);
/*
 * Call @visit for each device that has a file, sorted by name.  Return: 0, or a negative
 * errno after a message.
 */
int saved_file_for_each(void (*visit)(const char *name, void *data), void *data);

/**
 * enum saved_match - a device and its file
 * @SAVED_SAME: the file has its mapping
 * @SAVED_DIFFERS: it has another one, from dmsetup for example
 * @SAVED_STAND_IN: it runs on a loop device, because the module was missing
 * @SAVED_UNKNOWN: a leg of both does not exist, so they cannot be compared
 */
enum saved_match {
	SAVED_SAME,
	SAVED_DIFFERS,
	SAVED_STAND_IN,
	SAVED_UNKNOWN,
};

/* The names of disks that the tables use may differ. */
enum saved_match saved_file_compare(const struct table *saved, const struct table *live);

/*
 * Others that change the file, or activate or deactivate the device, wait until this file
 * descriptor is closed, but not for ever.  A negative errno after a message.
 */
int saved_file_lock(const char *name);

/*
 * With the lock: write the new file beside the old one; then put it in its place, or drop it.
 * Each: 0 or a negative errno.
 */
int saved_file_stage(const char *name, const char *text);
int saved_file_commit(const char *name);
void saved_file_drop(const char *name);
/*
 * Has a command that was interrupted left a staged file?  @uuid: only a whole file of the
 * device with that UUID, or NULL.  Its path: a new string, or NULL.
 */
char *saved_file_leftover(const char *name, const char *uuid);
/*
 * Why the UUID in the file of that name cannot be read: a new string; NULL if it can, or there
 * is no file.  Such a file is taken for that of the device of its name.
 */
char *saved_file_unread(const char *name);

/* Why the file cannot be replaced or removed, as far as can be known; NULL if it can. */
const char *saved_file_unwritable(const char *name);
/* Return: 0, or a negative errno after a message. */
int saved_file_remove(const char *name);

/*
 * "start" or "stop" its unit, because the device is active, or is removed: when this returns
 * the unit is, too, and no event that comes later starts it.  Does nothing without systemd,
 * and in the unit itself.
 *
 * Context: without the lock of the file, for which the unit waits.
 */
void saved_unit(const char *verb, const char *name);

#endif /* NOCLONE_SAVED_FILE_H */
