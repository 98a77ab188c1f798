/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The file of a saved device follows the device.  A verb that changes a device does
 *
 *	saved_update_begin()	wait for the lock of the file, and of its new name
 *	saved_update_stage()	write the new file beside the old one
 *	...			change the device
 *	saved_update_commit()	put the new file in the place of the old one
 *	saved_update_end()	whatever has happened
 *
 * so a file that cannot be written leaves the device unchanged, and a power cut leaves the
 * old file or the new one.  A device that is not saved passes through with its name locked.
 * A dry run does the first two, which then only look, and prints saved_update_words().
 * If the file says it all already, it is not written.
 */
#ifndef NOCLONE_SAVED_UPDATE_H
#define NOCLONE_SAVED_UPDATE_H

#include <signal.h>
#include <stdbool.h>

#include "model/saved.h"
#include "model/table.h"
#include "system/saved-file.h"
#include "cli/options.h"

/**
 * struct saved_update - the file of a device, while a verb changes the device
 * @name: of the device
 * @uuid: of the device
 * @file: name of the file that has the device, which may have been renamed; NULL: none
 * @add: save it under its name from now on
 * @as_is: with the new table even if that has no target of this module
 * @renew: the new table is that of the file, with its names; only signatures change
 * @dry_run: change nothing
 * @staged: name under which a new file waits, or NULL
 * @text: of the new file, after the stage
 * @words: see saved_update_words()
 * @lock: of the file, and of the name that it gets; held until saved_update_end(), or -1
 * @blocked: from stage to commit, signals that would end the tool between device and file
 * @signals: the mask of before
 */
struct saved_update {
	char *name;
	char *uuid;
	char *file;
	bool add;
	bool as_is;
	bool renew;
	bool dry_run;
	char *staged;
	char *text;
	char *words;
	int lock[2];
	bool blocked;
	sigset_t signals;
};

/*
 * Each: 0, or a negative errno after a message; saved_update_end() in any case.  What comes
 * first takes @u->add from the caller.
 */
int saved_update_begin(struct saved_update *u, const struct options *o, const char *name,
		       const char *uuid);
/* @new: the table that the device is to get; its legs and files exist, but for a dry run */
int saved_update_stage(struct saved_update *u, const struct table *new, bool readonly);
int saved_update_commit(struct saved_update *u);
void saved_update_end(struct saved_update *u);

/* Has an interrupted command left a new file of the device beside the old one? */
bool saved_update_is_left(const struct saved_update *u);

/* After the stage: " && ...", which writes the file, or nothing. */
const char *saved_update_words(const struct saved_update *u);

#define SAVED_UPDATE_INIT	{ .lock = { -1, -1 } }
#define _cleanup_saved_update_	__attribute__((cleanup(saved_update_end)))

#endif /* NOCLONE_SAVED_UPDATE_H */
