/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A device gets a table: what create, reload, convert, resize, activate and save have in common.
 *
 *	change_begin()		look at the device, with its lock; create has none yet
 *	...			make the new table, plan its file
 *	change_check()		may it have that table?
 *	change_print()		for a dry run, or
 *	change_run()		the file, the saved file, the device
 *	change_end()		whatever has happened
 *
 * Only change_run() changes anything.  The file of a saved device follows the device:
 *
 *	change_lock()		wait for the lock of the file
 *	change_read_file()	read it
 *	change_stage_file()	write the new file beside the old one
 *	...			change the device
 *	change_commit_file()	put the new file in the place of the old one
 *	change_end_file()	whatever has happened
 *
 * so a file that cannot be written leaves the device unchanged, and a power cut leaves the
 * old file or the new one.  A device that is not saved passes through with its name locked.
 * In a dry run the stage only looks.  If the file says it all already, it is not written.
 */
#ifndef NOCLONE_CHANGE_H
#define NOCLONE_CHANGE_H

#include <signal.h>

#include "model/saved.h"
#include "model/table.h"
#include "system/backing.h"
#include "system/devmap.h"
#include "cli/options.h"

/**
 * struct change - one device, while a command gives it a table
 * @o: options
 * @command: the name of the command
 * @dev: the device; for create and activate its name and UUID only
 * @live: the table that runs; none for these
 * @table: the new table
 * @readonly: the device is to be
 * @late: the lock is taken when the user has answered
 * @alone: the device must be neither suspended nor in a change by another process
 * @same: the new table must map every sector as the old one does
 * @agreed: the user wants the device to have other data
 * @backing: the file of the new table
 * @findings: what the checks have found, and --force has overridden
 * @activates: by its own file; so parts of saved devices do not count as used, and signatures
 *	have to be those that the file has
 * @forced: --force has accepted that legs may have other data
 * @legs: while legs are looked at, see change_lock_legs(); or -1
 * @add: save it from now on
 * @as_is: with the new table even if that has no target of this module
 * @saved: it has a file
 * @left: an interrupted command has left a new file of the device beside the old one
 * @path: of its file
 * @old: what the file with its name says
 * @damage: why that is not all, or NULL
 * @text: of the new file, after the stage
 * @words: after the stage: " && ...", which writes the file, or NULL
 * @staged: a new file waits, and signals that would end the tool between device and file
 * @signals: the mask of before
 * @lock: of the file; held until change_end_file(), or -1
 */
struct change {
	const struct options *o;
	const char *command;
	struct devmap_device dev;
	struct live live;
	struct table table;
	bool readonly;
	bool late;
	bool alone;
	bool same;
	bool agreed;
	struct backing backing;
	struct findings findings;
	bool activates;
	bool forced;
	int legs;
	bool add;
	bool as_is;
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

/* Let other commands look at their legs while the user is asked. */
void change_unlock_legs(struct change *c);
/* Each: 0, or a negative errno after a message. */
int change_begin(struct change *c, const char *word);
int change_check(struct change *c);
int change_run(struct change *c);
/* The table alone: -ETIMEDOUT if it runs, but udev has not answered. */
int change_switch(struct change *c);
/* A device that is as it is to be may lack its file, if the command was interrupted. */
int change_finish(struct change *c);
/* @before: shell commands that come first, each with its " && "; @after: likewise */
int change_print(struct change *c, const char *before, const char *after);
void change_end(struct change *c);

/*
 * How the data of the device will be others: a new string, or NULL.  @all: also where the
 * tables show that; else only if a path leads to another file by now.
 */
char *change_data(const struct change *c, const struct facts_source *src, bool all);
/* Facts as they will be when the file has changed. */
const struct facts_source *change_facts(const struct change *c);

/* Each: likewise.  @name: of the device, which may have to be looked at again then */
int change_lock(struct change *c, const char *name);
int change_read_file(struct change *c);
/* @new: the table that the device is to get; its legs and files exist, but for a dry run */
int change_stage_file(struct change *c, const struct table *new);
int change_commit_file(struct change *c);
void change_end_file(struct change *c);

#define CHANGE_INIT(opts, name)	\
	{ .o = (opts), .command = (name), .backing = { .fd = -1 }, .lock = -1, .legs = -1 }
#define _cleanup_change_	__attribute__((cleanup(change_end)))

#endif /* NOCLONE_CHANGE_H */
