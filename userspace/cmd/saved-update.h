/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The file of a saved device follows the device.  A verb that changes a device does
 *
 *	saved_update_begin()	wait for the lock of the file
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
#include "cli/options.h"

/**
 * struct saved_update - the file of a device, while a verb changes the device
 * @name: of the device, and of its file
 * @uuid: of the device
 * @add: save it from now on
 * @as_is: with the new table even if that has no target of this module
 * @dry_run: change nothing
 * @saved: it has a file
 * @left: an interrupted command has left a new file of the device beside the old one
 * @path: of its file
 * @old: what the file with its name says
 * @damage: why that is not all, or NULL
 * @text: of the new file, after the stage
 * @words: see saved_update_words()
 * @staged: a new file waits, and signals that would end the tool between device and file
 * @signals: the mask of before
 * @lock: of the file; held until saved_update_end(), or -1
 */
struct saved_update {
	char *name;
	char *uuid;
	bool add;
	bool as_is;
	bool dry_run;
	bool saved;
	bool left;
	char *path;
	struct saved old;
	char *damage;
	char *text;
	char *words;
	bool staged;
	sigset_t signals;
	int lock;
};

/*
 * Each: 0, or a negative errno after a message; saved_update_end() in any case.  What comes
 * first takes @u->add and @u->as_is from the caller.
 */
int saved_update_begin(struct saved_update *u, const struct options *o, const char *name,
		       const char *uuid);
/* @new: the table that the device is to get; its legs and files exist, but for a dry run */
int saved_update_stage(struct saved_update *u, const struct table *new, bool readonly);
int saved_update_commit(struct saved_update *u);
void saved_update_end(struct saved_update *u);

/* After the stage: " && ...", which writes the file, or nothing. */
const char *saved_update_words(const struct saved_update *u);

#define SAVED_UPDATE_INIT	{ .lock = -1 }
#define _cleanup_saved_update_	__attribute__((cleanup(saved_update_end)))

#endif /* NOCLONE_SAVED_UPDATE_H */
