/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Giving a table to a device: the common part of create, reload, convert, resize, activate, save.
 *
 *	change_begin()		look at an existing device, and lock its saved file. create and
 *				activate begin differently: create_look(), create_begin(),
 *				activate_read()
 *	...			make the new table, and plan the change of its backing file
 *	change_check()		check whether the device may get the new table
 *	change_print()		in a dry run: print the commands
 *	change_run()		otherwise: change backing file, saved file and device
 *	change_end()		in any case: release the locks and the memory
 *
 * Only these functions change something: change_run(), change_switch_all(), change_switch(),
 * change_finish(), change_make_name_free() and change_remove_leftover(). change_run() calls
 * change_switch_all(), which calls change_switch(). activate.c calls change_switch_all() directly,
 * and partitions.c calls change_switch() directly. change_switch() calls devmap.c, which loads the
 * table, calls change_check_loaded() for a last check, and then resumes the device. If the device
 * is saved, its file changes together with the device: see change-file.h.
 */
#ifndef NOCLONE_CHANGE_H
#define NOCLONE_CHANGE_H

#include "model/finding.h"
#include "model/partition.h"
#include "model/table.h"
#include "system/backing.h"
#include "system/devmap.h"
#include "system/live.h"
#include "cli/options.h"
#include "cmd/change-file.h"

struct change;
struct json_object;

/**
 * struct change_needs - the properties of a command; the checks ask for these properties, not for
 *	the name of the command
 * @command: the name of the command, for its output
 * @creates: the device does not exist yet
 * @from_saved: the new table is the table of the saved file. Sectors of inactive saved devices then
 *	do not count as used, and each leg must have the signature that the saved file records
 * @locks_late: change_begin() does not lock the saved file; the command does so later, after the
 *	user has answered a question
 * @alone: refuse a device that is suspended or that another process is changing
 * @same_mapping: the new table must map every sector to the same place as the live table
 */
struct change_needs {
	const char *command;
	bool creates;
	bool from_saved;
	bool locks_late;
	bool alone;
	bool same_mapping;
};

/**
 * struct change_results - what the checks have found, and what the user has accepted
 * @findings: the findings of the checks, including those that --force has overridden
 * @forced: --force has accepted that legs may have other data than when the device was saved
 * @agreed: the new table with the backing files that it had when the user was told that the device
 *	will have other data; empty if the data stays the same
 */
struct change_results {
	struct findings findings;
	bool forced;
	struct table agreed;
};

/**
 * struct change_parts - the partitions of the device that get devices, see partitions_plan()
 * @table: the partition table on the device
 * @words: in a dry run: the shell commands that make the partition devices, each with " && " before
 *	it; otherwise NULL
 * @json: the partition devices that were made, or in a dry run the planned ones, as a JSON array;
 *	or NULL
 * @make: a function that makes the partition devices after the new table runs, or NULL. It returns
 *	0, or a negative errno after a message. If it fails, the new device is removed
 */
struct change_parts {
	struct partition_table table;
	char *words;
	struct json_object *json;
	int (*make)(struct change *c);
};

/**
 * struct change - a device to which a command gives a table
 * @o: the options
 * @needs: what the command needs
 * @dev: the device; before it is created, only its name and UUID are set. In a dry run, a new device
 *	also has the number of the leftover with its name, if there is one
 * @live: the live table; empty before the device is created
 * @table: the new table
 * @readonly: the new table makes the device read-only
 * @noscan: the udev rules of other programs ignore the new device
 * @partition: the device is a partition that "resize" extends to its size in the partition table,
 *	so signatures and writing processes on the device of the image do not count as uses
 * @image: if the device is a new partition, the device of the image, otherwise NULL. The table
 *	names the device of the image by its number, so it must still have this number when the
 *	table is loaded
 * @extra_check: a function for an additional check after the new table is loaded and before the switch
 *	to this table, or NULL. It returns 0, or a negative errno after a message
 * @backing: the backing file of the new table
 * @legs: the lock that is held while legs are checked, see change_lock_legs(); or -1
 * @file: the saved file
 * @parts: the partitions of the new device
 * @results: the results of the checks
 */
struct change {
	const struct options *o;
	const struct change_needs *needs;
	struct devmap_device dev;
	struct live live;
	struct table table;
	bool readonly;
	bool noscan;
	bool partition;
	const struct devmap_device *image;
	int (*extra_check)(const struct change *c);
	struct backing backing;
	int legs;
	struct change_file file;
	struct change_parts parts;
	struct change_results results;
};

/*
 * Release the lock of the legs, so that other commands can check legs while this command asks the
 * user, or waits for another program.
 */
void change_unlock_legs(struct change *c);
/*
 * Lock the saved file after change_check() has locked the legs. Return: 0, or a negative errno
 * after a message.
 */
int change_lock_late(struct change *c);
/* These functions return 0, or a negative errno after a message. */
int change_begin(struct change *c, const char *word);
int change_check(struct change *c);
int change_run(struct change *c);
/*
 * Switch the device to its new table. Return: 0, or a negative errno after a message. DEVMAP_UDEV_LATE
 * means that the new table runs, and that udev did not answer in time.
 */
int change_switch(struct change *c);
/*
 * Call change_switch(), and make the partition devices of a new device. Context: after stop_hold()
 * if the device gets partition devices.
 */
int change_switch_all(struct change *c);
/*
 * Finish a command for a device that already has the requested table. An interrupted command may
 * have left a new saved file beside the old one; the saved file then gets the live table.
 */
int change_finish(struct change *c);
/*
 * Print the commands of a dry run. @before: shell commands to print first, each with " && " behind
 * it; @after: shell commands to print last, each with " && " before it
 */
int change_print(struct change *c, const char *before, const char *after);
/* Return: the dmsetup commands that give the device its table, a new string. */
char *change_words(const struct change *c);
/*
 * Remove @dev, which an interrupted command has left, if it has no table and no user. The caller has
 * compared the UUID of @dev. A dry run only finds out whether this is possible.
 *
 * Return: true if @dev is removed, or in a dry run if it can be removed. Context: the saved file is
 * locked, so no other command is making @dev; a dry run does not lock it.
 */
bool change_remove_leftover(struct change *c, const struct devmap_device *dev);
/*
 * Make the name of the new device free: remove a device of this tool that has this name and that an
 * interrupted command has left without a table. A dry run only finds out whether this is possible.
 *
 * Return: true if the name is free.
 */
bool change_make_name_free(struct change *c);
void change_end(struct change *c);

/*
 * Return: how the new table changes the data of the device, a new string, or NULL if the data stays
 * the same. If @all is false, the only change that counts is a path that leads to another file than
 * before. @src: the facts about the files of the new table
 */
char *change_data(const struct change *c, const struct facts_source *src, bool all);
/*
 * Before the user is told that the device will have other data: remember the files of the new
 * table, because their paths must lead to the same files when the table is loaded.
 */
void change_agree(struct change *c);
/*
 * Return: the source of facts for the checks of the new table. If the backing file has to be
 * changed, these are the facts as they will be after the change.
 */
const struct facts_source *change_facts(const struct change *c);

/* The initial value of the struct change @c. @options: its member @o; @what: its member @needs */
#define CHANGE_INIT(c, options, what) {							\
	.o = (options), .needs = (what), .backing = { .fd = -1 }, .legs = -1,		\
	.file = {									\
		.o = (options), .dev = &(c).dev, .live = &(c).live.table, .lock = -1,	\
	},										\
}
#define _cleanup_change_	__attribute__((cleanup(change_end)))

#endif /* NOCLONE_CHANGE_H */
