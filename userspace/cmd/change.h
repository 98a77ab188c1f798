/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Giving a table to a device: the common part of create, reload, convert, resize, activate, save.
 *
 *	change_begin()		look at a device that exists, with its lock. create and activate
 *				begin differently: create_look(), create_begin(), activate_read()
 *	...			make the new table, plan its backing file
 *	change_check()		may the device have that table?
 *	change_print()		in a dry run: print the commands
 *	change_run()		otherwise: change backing file, saved file and device
 *	change_end()		always
 *
 * These functions change something: change_run(); change_switch() and change_switch_all(), which
 * are steps of change_run() and which activate and partitions call alone; change_finish(); and
 * change_name_is_free(). change_switch() calls devmap.c, which loads the table, calls
 * change_check_loaded() for a last check, and then resumes the device. If the device is saved, its
 * file changes together with the device: see change-file.h.
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
 * struct change_needs - what a command needs; the checks ask for these words and not for a command
 * @command: the name of the command, for its output
 * @creates: the device does not exist yet
 * @from_file: the table is that of the saved file. Parts of saved devices then do not count as
 *	used, and legs must have the signatures that the file records
 * @locks_late: the lock is taken only after the user has answered the question
 * @alone: refuse a device that is suspended or that another process is changing
 * @same_mapping: the new table must map every sector to the same place as the live table
 */
struct change_needs {
	const char *command;
	bool creates;
	bool from_file;
	bool locks_late;
	bool alone;
	bool same_mapping;
};

/**
 * struct change_results - what the checks have found, and what the user has accepted
 * @findings: the findings of the checks, including those that --force has overridden
 * @forced: --force has accepted that legs may have other data
 * @agreed: the user has accepted that the device will have other data
 */
struct change_results {
	struct findings findings;
	bool forced;
	bool agreed;
};

/**
 * struct change_parts - the partitions of a new device, see partitions_plan()
 * @table: the partition table
 * @words: in a dry run: the commands that make the devices of the partitions, each with " && " before
 *	it; or NULL
 * @json: the devices of the partitions, or the planned ones in a dry run; or NULL
 * @make: makes these devices when the new device runs, or NULL. It returns 0, or a negative errno
 *	after a message. If it fails, the new device is removed
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
 * @dev: the device; before it is created only its name and UUID
 * @live: the live table; empty before the device is created
 * @table: the new table
 * @readonly: the new table makes the device read-only
 * @noscan: rules of udev of other programs leave the new device alone
 * @partition: the device is a partition that grows as the partition table says, so signatures on
 *	the image do not count
 * @image: for a new partition, the device of the image, which must still exist under this number
 *	when the table is loaded, because the table names the number; or NULL
 * @loaded: one more check, between the load of the table and the switch, or NULL. It returns 0, or
 *	a negative errno after a message
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
	int (*loaded)(const struct change *c);
	struct backing backing;
	int legs;
	struct change_file file;
	struct change_parts parts;
	struct change_results results;
};

/*
 * Release the lock of the legs, so that other commands can check legs while this command asks the
 * user.
 */
void change_unlock_legs(struct change *c);
/* These functions return 0, or a negative errno after a message. */
int change_begin(struct change *c, const char *word);
int change_check(struct change *c);
int change_run(struct change *c);
/*
 * Switch the device to its new table. Return: 0, or a negative errno after a message. It is
 * DEVMAP_UDEV_LATE if the table runs and udev did not answer in time.
 */
int change_switch(struct change *c);
/*
 * Call change_switch(), and make the partitions of a new device. Context: stop_hold(), if the
 * device gets partitions.
 */
int change_switch_all(struct change *c);
/*
 * Complete an interrupted change: the device has the requested table, but its saved file may be
 * old.
 */
int change_finish(struct change *c);
/*
 * @before: shell commands that come first, each with " && " behind it; @after: commands that come
 *	last
 */
int change_print(struct change *c, const char *before, const char *after);
/* Return: the dmsetup commands that give the device its table, a new string. */
char *change_words(const struct change *c);
/*
 * May a new device have this name? A device of this tool that an interrupted command has left
 * without a table is removed first.
 */
bool change_name_is_free(struct change *c);
void change_end(struct change *c);

/*
 * Return: how the new table changes the data of the device, a new string, or NULL. If @all is
 * false, only a path that leads to another file than before counts.
 */
char *change_data(const struct change *c, const struct facts_source *src, bool all);
/* Return: the facts as they will be after the change of the backing file. */
const struct facts_source *change_facts(const struct change *c);

/* The first value of the struct change @c */
#define CHANGE_INIT(c, options, what) {							\
	.o = (options), .needs = (what), .backing = { .fd = -1 }, .legs = -1,		\
	.file = {									\
		.o = (options), .dev = &(c).dev, .live = &(c).live.table, .lock = -1,	\
	},										\
}
#define _cleanup_change_	__attribute__((cleanup(change_end)))

#endif /* NOCLONE_CHANGE_H */
