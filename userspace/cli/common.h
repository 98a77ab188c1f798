/* SPDX-License-Identifier: GPL-2.0-only */
/* What several commands share: names, ownership, questions, dry runs. */
#ifndef NOCLONE_COMMON_H
#define NOCLONE_COMMON_H

#include "system/devmap.h"
#include "cli/options.h"
#include "model/problems.h"
#include "model/table.h"

/* The name of a mapped device given as NAME, /dev/mapper/NAME or /dev/dm-N. */
char *mapped_name(const char *word);

/* Look a device up and complain if there is none. */
int get_device(const char *word, struct devmap_device *dev);

/**
 * may_touch - may the tool change this device?
 * @o: --force lets it pass
 * @dev: the device
 *
 * Devices of LVM, cryptsetup and the like are their owners' to change; ours
 * have our UUID prefix, or no UUID and a target of this module.
 */
bool may_touch(const struct options *o, const struct devmap_device *dev);

/* Ask; no terminal and no --yes mean no. */
bool confirm(const struct options *o, const char *fmt, ...) __printf(2, 3);

bool is_noclone_device(const struct devmap_device *dev);

/**
 * struct names - devices a command works on
 * @name: names
 * @nr: how many
 */
struct names {
	char **name;
	unsigned int nr;
};

/*
 * The devices named on the command line; without any, all that are of this
 * module, or with @all simply all.  Return: 0, or a negative errno after a
 * message.
 */
int select_names(struct names *names, int argc, char **argv, bool all);
void names_free(struct names *names);
#define _cleanup_names_ __attribute__((cleanup(names_free)))

/**
 * dry_run - print what a command would do
 * @o: --json
 * @command: the command
 * @name: the device
 * @uuid: its UUID, or NULL
 * @t: its table, or NULL
 * @problems: what the checks found, or NULL
 * @dmsetup: the equivalent dmsetup command line
 */
void dry_run(const struct options *o, const char *command, const char *name,
	     const char *uuid, const struct table *t,
	     const struct problems *problems, const char *dmsetup);

/* "dmsetup VERB NAME OPTIONS" with the table given the way dmsetup takes it */
char *dmsetup_with_table(const char *verb, const char *name,
			 const char *options, const struct table *t);

#endif /* NOCLONE_COMMON_H */
