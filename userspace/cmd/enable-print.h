/* SPDX-License-Identifier: GPL-2.0-only */
/* The work of noclone enable and disable, and printing it. */
#ifndef NOCLONE_ENABLE_PRINT_H
#define NOCLONE_ENABLE_PRINT_H

#include <stdbool.h>
#include <stdint.h>

#include "model/policy.h"
#include "system/devmap.h"
#include "cli/options.h"

#define OPT_RULES	(OPT_INCLUDE | OPT_EXCLUDE)

/**
 * struct candidate - a mapped device whose fast path may be switched
 * @dev: the device
 * @name: its name
 * @lv: VG/LV, or NULL
 * @own: the device has a target of this module with a fast path
 * @other: the type of a target that cannot have a fast path, or NULL
 * @sector: a sector of a target that understands messages
 * @named: the user has named this device, and not only a group that contains it
 * @rule: the rule of the policy that decides about the device, or NULL
 * @asked: the command applies to this device, and switches it if necessary
 * @on: the command turns the fast path on, not off
 * @sends: the command sends a message to the device
 * @failed: the device has refused the message
 * @before: the state before the command: "on", "off:reason", "stock"; NULL if no fast path is
 *	possible
 * @after: the state after the command
 * @why: why the device is not as requested, or NULL
 */
struct candidate {
	struct devmap_device dev;
	char *name;
	char *lv;
	bool own;
	char *other;
	uint64_t sector;
	bool named;
	const struct policy_line *rule;
	bool asked;
	bool on;
	bool sends;
	bool failed;
	char *before;
	char *after;
	char *why;
};

/**
 * struct request - the work that the command line requests
 * @o: the options
 * @on: the command is enable, not disable
 * @switches: devices are switched
 * @writes: the policy is written
 * @policy: the policy that this command applies
 * @edits: the changes of the policy
 * @load: the module has to be loaded
 * @stock: the value that the parameter "stock" has to get, or NULL
 * @clears: turning the parameter off replaces a message to each stock device
 * @device: the devices
 * @nr: the number of devices
 */
struct request {
	const struct options *o;
	bool on;
	bool switches;
	bool writes;
	struct policy policy;
	char *edits;
	bool load;
	const char *stock;
	bool clears;
	struct candidate *device;
	unsigned int nr;
};

/* Return: the shell commands that do what the command line requests, in order, a new string. */
char *enable_commands(const struct request *q);
void enable_print_json(const struct request *q);
/*
 * Print a line for each change, and for each device that was given. A part of a volume may have
 * another rule in the policy than the volume that was named.
 *
 * Return: true if the device has failed. If the user has not named the device itself, and the
 * device can never have the fast path, it has not failed.
 */
bool enable_print_device(const struct request *q, const struct candidate *c);
/* @removed_only: print only removed rules, which the user may have written by hand */
void enable_print_policy(const struct request *q, bool removed_only);
/* Print a shell command that writes the policy. */
void enable_print_write(const struct request *q);

#endif /* NOCLONE_ENABLE_PRINT_H */
