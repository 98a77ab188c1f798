/* SPDX-License-Identifier: GPL-2.0-only */
/* Saving devices, so that they come back at boot. */
#ifndef NOCLONE_SAVE_H
#define NOCLONE_SAVE_H

#include <stdbool.h>

#include "model/saved.h"
#include "model/table.h"
#include "system/devmap.h"
#include "cli/options.h"

enum save_match {
	SAVE_SAME,
	SAVE_GROWN,
	SAVE_OTHER,
	SAVE_GONE,	/* a leg that was saved is not there */
	SAVE_UNKNOWN,	/* no file, a path names another file, or a stand-in runs */
};

/* Save a device that is active: 0, or a negative errno after a message. */
int save_device(const struct options *o, const char *name);
/* The same; the caller has the lock of its file. */
int save_locked(const struct options *o, const char *name);
/* Is a device saved under this name, too, which is not the one it has? */
bool save_is_twin(const char *name, const struct devmap_device *dev);
/* The first such name: a new string, or NULL. */
char *save_twin(const struct devmap_device *dev);
/* What is wrong with the path of a backing file: a new string, or NULL. */
char *save_file_trouble(const char *name);
/* Is there a file that was written by save_device(), and with this live table? */
bool save_is_current(const struct devmap_device *dev, const struct table *live);
/* Is the file with its name that of another device? */
bool save_is_of_other(const struct devmap_device *dev);
/* Does it have a backing file, but runs on a loop device instead, for want of a module? */
bool save_is_stand_in(const struct devmap_device *dev, const struct table *live);

/* Does its file say that it is not to be activated any more? */
bool save_is_outdated(const char *name);

/**
 * save_refresh - bring the file of an active device up to date
 * @dev: the device, as saved; the caller has the lock of its file
 * @dry_run: write nothing
 *
 * If its table is the one that is saved, put into the file what the legs have on them now:
 * it holds them, so that has been written through it.  If it is another one, the file is
 * outdated: save that.
 *
 * One that has only grown is not outdated: its saved part is where it was.
 *
 * Return: how they compare.
 */
enum save_match save_refresh(const struct devmap_device *dev, bool dry_run);
/*
 * After a change of the table of an active device: its file does not know, nor does one with
 * another name.  @locked: by the caller
 */
void save_hint(const char *name, bool locked);
/* The same if its own file does know. */
void save_hint_twins(const char *name);

#endif /* NOCLONE_SAVE_H */
