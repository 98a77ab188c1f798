/* SPDX-License-Identifier: GPL-2.0-only */
/* The files of saved devices, and comparisons of a device with its file. */
#ifndef NOCLONE_SAVED_FILE_H
#define NOCLONE_SAVED_FILE_H

#include <stdbool.h>
#include <sys/stat.h>

#include "model/saved.h"

bool saved_file_exists(const char *name);

/**
 * struct saved_file - a file that this command has read
 * @name: the name of its device
 * @text: the text, or NULL if the file could not be read
 * @uuid: the UUID in the text, or NULL
 * @parsed: @saved and @damage are set; they are set in each file that a function here returns
 * @saved: the part of the content that could be read
 * @damage: why the file could not be read completely, or NULL
 * @seen: what fstat(2) told about the file just before it was read
 * @settled: nothing had been written to the file for some seconds when it was read
 * @stale: the text is used again only if stat(2) still tells the same, and the file is settled
 *
 * There may be thousands of files, so a command reads a file once and remembers it. The file is
 * forgotten when it is locked or changed. All files become stale before the last check of a table,
 * and between two rounds of a command that repeats itself.
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
 * The list of all files that were read owns a returned file. The file is valid until
 * saved_file_forget().
 */
const struct saved_file *saved_file_get(const char *name);
/* Return: a file with this UUID, or NULL. The file of @name comes before all other files. */
const struct saved_file *saved_file_find(const char *name, const char *uuid);
/* Forget the file of that name. If @name is NULL, all files that have changed are forgotten. */
void saved_file_forget(const char *name);

/* Copy the content of a file to @s. Return: its damage, a new string, or NULL. */
char *saved_file_peek(const char *name, struct saved *s);

/* Does the file already have that text? */
bool saved_file_says(const char *name, const char *text);

/*
 * Return: the name of the file of a device, a new string, or NULL. After a rename of the device,
 * the file still has the old name, not @name. If no file has this UUID, a file with the name @name
 * and without a UUID may belong to the device.
 */
char *saved_file_of(const char *name, const char *uuid);
/* Find the names of all saved devices, sorted. Return: 0, or a negative errno after a message. */
int saved_file_names(struct names *names);

/*
 * Does the file have the mapping of the device? The result is SAVED_UNKNOWN while a leg does not
 * exist, while the device runs on a loop device because the module was missing, and if hidden
 * arguments differ.
 */
enum saved_match { SAVED_SAME, SAVED_DIFFERS, SAVED_UNKNOWN };

/* Compare the mappings. The tables may use different names for the same disk. */
enum saved_match saved_file_compare(const struct table *saved, const struct table *live);

/*
 * Lock the file. Other processes that change the file, or activate or deactivate the device, wait
 * for a limited time until this file descriptor is closed.
 *
 * Return: the descriptor, or a negative errno after a message.
 */
int saved_file_lock(const char *name);

/*
 * Write the new file beside the old one. The caller holds the lock, and then calls
 * saved_file_commit() or replace_drop().
 *
 * Return: 0 or a negative errno.
 */
int saved_file_stage(const char *name, const char *text);
/* Put the staged file in the place of the old one. Return: 0 or a negative errno. */
int saved_file_commit(const char *name);
/* Write a new file beside the old one, and put the new file in the place of the old one. */
int saved_file_replace(const char *name, const char *text);
/*
 * Find a staged file that an interrupted command has left. With @uuid, only a complete file of the
 * device with that UUID counts.
 *
 * Return: its path, a new string, or NULL.
 */
char *saved_file_leftover(const char *name, const char *uuid);

/*
 * Return: why an attempt to replace or remove the file would fail, or NULL if no reason is known.
 */
const char *saved_file_unwritable(const char *name);
/* Return: if a folder or a link has the name of the file, a text with a remedy; otherwise NULL. */
const char *saved_file_misplaced(const char *name);
/* Remove the file. Return: 0, or a negative errno after a message. */
int saved_file_remove(const char *name);

/*
 * Remember until the next boot that a leg was used although it has another signature than the file
 * records.
 */
void saved_file_set_forced(const char *name, bool forced);
bool saved_file_is_forced(const char *name);

#endif /* NOCLONE_SAVED_FILE_H */
