/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The plan of noclone enable and disable: the devices and what happens to each. enable.c makes and
 * executes the plan, and enable-print.c prints it.
 */
#ifndef NOCLONE_ENABLE_PLAN_H
#define NOCLONE_ENABLE_PLAN_H

#include <stdbool.h>
#include <stdint.h>

#include "model/policy.h"
#include "system/devmap.h"
#include "cli/options.h"

#define OPT_RULES	(OPT_INCLUDE | OPT_EXCLUDE)

/**
 * struct candidate - a mapped device whose fast path may be switched
 * @dev: the device
 * @name: the name of the device
 * @lv: the name VG/LV of a logical volume, or NULL
 * @own: the device has a target of this module with a fast path
 * @other: if @own is false: the type of a target that cannot have a fast path, or NULL
 * @sector: the first sector of the target that gets the message
 * @named: the user has named this device itself, not only a volume that it is a part of; false with
 *	--policy
 * @rule: the rule of the policy that decides about the device, or NULL
 * @asked: the command applies to this device, and switches it if necessary
 * @on: true if the command turns the fast path of the device on, false if it turns it off
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
 * @on: true for the command enable, false for disable
 * @switches: the command switches devices, not only the policy
 * @writes: the command writes the policy to its file
 * @policy: the policy that this command applies
 * @edits: the changes of the policy as text, a line for each removed or added rule
 * @load: the module has to be loaded
 * @stock: the value that the parameter "stock" of the module has to get, or NULL
 * @clears: the command turns the parameter "stock" off. This turns the fast path of all stock
 *	devices off, so these devices need no messages
 * @device: the devices that the command may switch
 * @nr: the number of these devices
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

#endif /* NOCLONE_ENABLE_PLAN_H */
