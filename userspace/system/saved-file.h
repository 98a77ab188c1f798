/* SPDX-License-Identifier: GPL-2.0-only */
/* The files of saved devices, and comparisons of a device with its saved file. */
#ifndef NOCLONE_SAVED_FILE_H
#define NOCLONE_SAVED_FILE_H

#include <stdbool.h>
#include <sys/stat.h>

#include "model/saved.h"

bool saved_file_exists(const char *name);

/**
 * struct saved_file - the file of a saved device that this command has read
 * @name: the name of the saved device
 * @text: the text of the file, or NULL if the file could not be read
 * @uuid: the UUID in the text, or NULL
 * @parsed: true if @saved and @damage are set; true in each file that a function of this header
 *	returns
 * @saved: the content of the file, or the part of the content that could be read
 * @damage: why the file could not be read completely, or NULL
 * @seen: the result of fstat(2) just before the file was read
 * @settled: true if the last write to the file was some seconds before the file was read, so that
 *	each later write changes the times of the file
 * @stale: true if the file must be checked before its text is used again: it is read again unless
 *	it is @settled and stat(2) gives the same result as @seen
 *
 * There may be thousands of files, so a command reads a file once and keeps the result in a list. A
 * file that is locked or removed is deleted from this list. All files become stale when a file is
 * replaced, before the last check of a table, and between two rounds of a command with --watch.
 */
struct saved_file {
	char *name;
	char *text, *uuid;
	bool parsed;
	struct saved saved;
	char *damage;
	struct stat seen;
	bool settled, stale;
};

/*
 * Find the file of the device @name in the list of all files that were read, or read the file. The
 * returned file belongs to this list, so the caller does not free it. It is valid until
 * saved_file_forget().
 */
const struct saved_file *saved_file_get(const char *name);
/*
 * Return: a file with this UUID, or NULL. If several files have this UUID, and the file of @name is
 * one of them, the file of @name is returned.
 */
const struct saved_file *saved_file_find(const char *name, const char *uuid);
/*
 * Forget the file of @name, so that it is read again. If @name is NULL, all files become stale, so
 * that those that have changed are read again.
 */
void saved_file_forget(const char *name);

/*
 * Parse the file of @name into @s, which belongs to the caller. Return: why the file is damaged, a
 * new string, or NULL.
 */
char *saved_file_peek(const char *name, struct saved *s);

/* Is @text already the text of the saved file of @name? */
bool saved_file_says(const char *name, const char *text);

/*
 * Find the saved file of the device that has the name @name and the UUID @uuid. Return: the name of
 * the saved file, a new string, or NULL. After a rename of the device, its file still has the old
 * name, not @name. If no file has the UUID, but the file of the name @name has no UUID at all, this
 * file may belong to the device, and @name is returned.
 */
char *saved_file_of(const char *name, const char *uuid);
/*
 * Return: the name of the saved device whose partition has the name @name when the saved device is
 * active, a new string, or NULL.
 */
char *saved_file_with_partition(const char *name);
/* Find the names of all saved devices, sorted. Return: 0, or a negative errno after a message. */
int saved_file_names(struct names *names);

/*
 * The result of a comparison of a saved table with a live table. SAVED_UNKNOWN means that the
 * tables cannot be compared: the device has no live table, each of the two tables has a leg that
 * does not exist, the device runs on a loop device because the module was missing, or only hidden
 * arguments differ.
 */
enum saved_match { SAVED_SAME, SAVED_DIFFERS, SAVED_UNKNOWN };

/* Do both tables have the same mapping? They may use different names for the same disk. */
enum saved_match saved_file_compare(const struct table *saved, const struct table *live);

/*
 * Lock the saved file of a device. Other processes that change this file, or activate or deactivate
 * the device, wait until the returned descriptor is closed, but only for a limited time.
 *
 * Return: a file descriptor, or a negative errno after a message.
 */
int saved_file_lock(const char *name);
/* Has another process locked the saved file at this moment? */
bool saved_file_is_locked(const char *name);

/*
 * Stage a new file: write it beside the old file. The caller holds the lock of the saved file.
 * Afterwards, the caller calls saved_file_commit(), or replace_drop() to remove the new file.
 *
 * Return: 0 or a negative errno.
 */
int saved_file_stage(const char *name, const char *text);
/* Put the staged file in the place of the old file. Return: 0 or a negative errno. */
int saved_file_commit(const char *name);
/* Stage a new file, and put it in the place of the old file. Return: 0 or a negative errno. */
int saved_file_replace(const char *name, const char *text);
/*
 * Find a staged file of @name that an interrupted command has left. If @uuid is not NULL, the file
 * only counts if it is complete, and belongs to the device with this UUID.
 *
 * Return: the path of the staged file, a new string, or NULL.
 */
char *saved_file_leftover(const char *name, const char *uuid);

/*
 * Return: why an attempt to replace or remove the file would fail, or NULL if no reason is known.
 */
const char *saved_file_unwritable(const char *name);
/*
 * Return: NULL if the saved file is a regular file or does not exist. If there is a folder or a
 * symbolic link in its place, for example, return a text that says so and has a remedy.
 */
const char *saved_file_misplaced(const char *name);
/* Remove the file. Return: 0, or a negative errno after a message. */
int saved_file_remove(const char *name);

/*
 * If @forced is true, remember until the next boot that the device uses a leg although this leg has
 * another signature than its saved file records. If @forced is false, forget this.
 */
void saved_file_set_forced(const char *name, bool forced);
bool saved_file_is_forced(const char *name);

#endif /* NOCLONE_SAVED_FILE_H */
