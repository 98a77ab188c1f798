/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Switching the fast path of devices on and off: a message for each device, and the
 * module's parameter "stock" for those that have targets of dm itself.
 */
#ifndef NOCLONE_SWITCH_PLAN_H
#define NOCLONE_SWITCH_PLAN_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/util.h"
#include "model/policy.h"
#include "model/table.h"

/**
 * struct module_params - what is to know of the loaded module
 * @loaded: the module is loaded; else the rest is empty
 * @interface: the number of dm-noclone.h that it was built with
 * @stock: its parameter: stock devices understand messages
 */
struct module_params {
	bool loaded;
	unsigned int interface;
	bool stock;
};

/* Why this tool cannot switch anything by that module: a new string, or NULL. */
char *module_objection(const struct module_params *m);

enum wish {
	WISH_NONE,	/* leave it as it is */
	WISH_ON,
	WISH_OFF,
};

enum switch_action {
	SWITCH_NOTHING,
	SWITCH_ON,		/* by message */
	SWITCH_OFF,
	SWITCH_GIVE_BACK,	/* by clearing the parameter */
	SWITCH_CANNOT,
};

/**
 * struct candidate - a mapped device whose fast path may be switched
 * @name: its name
 * @lv: VG/LV, or NULL
 * @devno: its number
 * @sector: where a message is understood
 * @has_own: a target is one of this module
 * @has_stock: none is, but one is dm's own linear or striped
 * @other: type of a target without a fast path, or NULL
 * @state: "on", "off:reason"; NULL: dm core's path, no message has asked for another
 * @suspended: the device is suspended
 * @named: the user has asked for this device, not for a group it is in
 * @has_parts: devices below it are parts of the same volume, and in the plan
 * @below: names of devices below it that may be meant, or NULL
 * @rule: that of the policy for it, or NULL
 * @wish: what is to become of it
 * @action: how
 * @failed: an error has been reported
 * @after: its state then, as @state
 * @why: why it is not as requested, or NULL
 */
struct candidate {
	char *name;
	char *lv;
	dev_t devno;
	uint64_t sector;
	bool has_own;
	bool has_stock;
	char *other;
	char *state;
	bool suspended;
	bool named;
	bool has_parts;
	char *below;
	const struct policy_line *rule;
	enum wish wish;
	enum switch_action action;
	bool failed;
	char *after;
	char *why;
};

/* Fill in what follows from the table of a device. */
void candidate_learn(struct candidate *c, const struct table *t);
/* Could it have the fast path at all, as far as its table tells? */
bool candidate_is_suitable(const struct candidate *c);
void candidate_free(struct candidate *c);

/**
 * struct switch_plan - what has to be done
 * @all_off: all devices are to be off
 * @device: the devices
 * @nr: how many
 * @load: the module has to be loaded
 * @set_stock: the parameter has to be set to @stock
 * @objection: why this tool cannot switch anything on by the module, or NULL
 */
struct switch_plan {
	bool all_off;
	struct candidate *device;
	unsigned int nr;
	bool load;
	bool set_stock;
	bool stock;
	char *objection;
};

/* Fill in the actions and the parameter; the wishes are there. */
void switch_plan(struct switch_plan *p, const struct module_params *m);
/* The same as shell commands, a line each: a new string. */
char *switch_plan_print(const struct switch_plan *p);
/* What @stock is in the parameter */
const char *switch_stock_word(const struct switch_plan *p);
/* The state that the action leads to: a new string, NULL as for @state. */
char *switch_expected(const struct candidate *c);
void switch_plan_free(struct switch_plan *p);

/*
 * After a message "on": may the device still come on in a moment?  It is @waited_ms after
 * the last one that came on.
 */
bool switch_is_pending(const struct candidate *c, unsigned int waited_ms);
/* Can it never have the fast path as it is?  No failure of a group that it is in. */
bool switch_is_hopeless(const struct candidate *c);
/* Why the device is not as requested: a new string, NULL if it is. */
char *switch_why(const struct candidate *c);
/* Does the state of a device that refused "fastpath on" have the reason? */
bool switch_says_why(const struct candidate *c);

#define _cleanup_switch_plan_ __attribute__((cleanup(switch_plan_free)))

#endif /* NOCLONE_SWITCH_PLAN_H */
