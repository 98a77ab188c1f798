/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A device gets a table: what create, reload, convert and resize have in common.
 *
 *	change_begin()		look at the device, with its lock; create has none yet
 *	...			make the new table, plan its file
 *	change_check()		may it have that table?
 *	change_print()		for a dry run, or
 *	change_run()		the file, the saved file, the device
 *	change_end()		whatever has happened
 *
 * Only change_run() changes anything.
 */
#ifndef NOCLONE_CHANGE_H
#define NOCLONE_CHANGE_H

#include "model/table.h"
#include "system/backing.h"
#include "system/devmap.h"
#include "cli/options.h"
#include "cmd/saved-update.h"

/**
 * struct change - one device, while a command gives it a table
 * @o: options
 * @command: the name of the command
 * @dev: the device; for create its name and UUID only
 * @live: the table that runs; none for create
 * @table: the new table
 * @readonly: the device is to be
 * @late: the lock is taken by change_lock(), when the user has answered
 * @alone: the device must be neither suspended nor in a change by another process
 * @same: the new table must map every sector as the old one does
 * @agreed: the user wants the device to have other data
 * @backing: the file of the new table
 * @findings: what the checks have found, and --force has overridden
 * @update: its file as a saved device
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
	struct saved_update update;
};

/* Each: 0, or a negative errno after a message. */
int change_begin(struct change *c, const char *word);
int change_lock(struct change *c);
int change_check(struct change *c);
int change_run(struct change *c);
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

/**
 * struct change_unused - for change_still_unused()
 * @known: what --force has overridden
 * @table: what was loaded
 * @saved: parts of saved devices that are not active count
 * @readonly: the table only reads
 */
struct change_unused {
	const struct findings *known;
	const struct table *table;
	bool saved;
	bool readonly;
};

/**
 * change_still_unused - has another process taken parts of a device since they were checked?
 * @name: of the mapped device, which has the table as its inactive one
 * @data: struct change_unused
 *
 * Device-mapper lets devices share the sectors of their legs.  Of two who load a table and
 * look for others before it runs, the later one finds the other: inactive tables count.
 *
 * Return: 0, or a negative errno after a message.
 */
int change_still_unused(const char *name, void *data);

#define CHANGE_INIT(opts, name)	\
	{ .o = (opts), .command = (name), .backing = { .fd = -1 }, .update = SAVED_UPDATE_INIT }
#define _cleanup_change_	__attribute__((cleanup(change_end)))

#endif /* NOCLONE_CHANGE_H */
