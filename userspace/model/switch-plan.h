/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Switching the fast path of devices on and off: which parameter of the module
 * and which devices have to change, and why some cannot.
 */
#ifndef NOCLONE_SWITCH_PLAN_H
#define NOCLONE_SWITCH_PLAN_H

#include <stdbool.h>

#include "base/util.h"
#include "model/table.h"

/* Sets of stock target types, as in the parameter "stock" of the module */
#define STOCK_LINEAR	1U
#define STOCK_STRIPED	2U
#define STOCK_ALL	(STOCK_LINEAR | STOCK_STRIPED)

/* "linear,striped", as the module prints it.  False: a word is unknown. */
bool stock_parse(const char *text, unsigned int *types);
/* The same as a new string. */
char *stock_print(unsigned int types);
/* Types of the stock targets of @t */
unsigned int stock_types(const struct table *t);

/**
 * struct module_params - what the module's parameters say
 * @loaded: the module is there; else the rest is empty
 * @has_stock: it knows the fast path on stock targets
 * @has_auto: it can leave devices alone that nobody has asked for
 * @stock: stock target types that get the fast path
 * @stock_auto: all devices of these types get it, not only those asked for
 */
struct module_params {
	bool loaded;
	bool has_stock;
	bool has_auto;
	unsigned int stock;
	bool stock_auto;
};

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
 * @types: of its stock targets
 * @sector: where a message is understood
 * @has_own: a target is one of this module
 * @other: type of a target without a fast path, or NULL
 * @state: "on", "off:reason"; NULL: dm core's path, nobody has asked for another
 * @suspended: the device is suspended
 * @multipath: a leg is on dm-multipath
 * @named: the user has asked for this device, not for a group it is in
 * @wish: what is to become of it
 * @action: how
 * @why: why not, or NULL
 */
struct candidate {
	char *name;
	char *lv;
	unsigned int types;
	uint64_t sector;
	bool has_own;
	char *other;
	char *state;
	bool suspended;
	bool multipath;
	bool named;
	enum wish wish;
	enum switch_action action;
	char *why;
};

/* Fill in what follows from the table of a device. */
void candidate_learn(struct candidate *c, const struct table *t);
/* Could it have the fast path at all, going by its table? */
bool candidate_is_suitable(const struct candidate *c);
void candidate_free(struct candidate *c);

/**
 * struct switch_plan - what has to be done
 * @all: it is for all devices, also those to come; else others stay as they are
 * @wish: with @all, what is wished
 * @decides: a policy for all devices: without @all, none of those to come
 * @device: the devices
 * @nr: how many
 * @load: the module has to be loaded
 * @set_auto: the parameter stock_auto has to be set to @stock_auto, before @stock;
 *	without it, @stock_auto is what it is already
 * @set_stock: likewise
 * @spreads: devices of a type that was not enabled before get it when they are
 *	resumed, though nobody asked for them: the module cannot tell types apart
 */
struct switch_plan {
	bool all;
	enum wish wish;
	bool decides;
	struct candidate *device;
	unsigned int nr;
	bool load;
	bool set_auto;
	bool stock_auto;
	bool set_stock;
	unsigned int stock;
	bool spreads;
};

/* Fill in the actions and the parameters; the wishes are there. Again, when they or @m change. */
void switch_plan(struct switch_plan *p, const struct module_params *m);
bool switch_plan_is_empty(const struct switch_plan *p);
/* The same as shell commands, a line each: a new string. */
char *switch_plan_print(const struct switch_plan *p);
/* In one sentence: a new string. */
char *switch_plan_words(const struct switch_plan *p);
void switch_plan_free(struct switch_plan *p);

/*
 * After a message "on": may the device still come on in a moment?  Its state is
 * @state, @waited_ms after the last one that came on.
 */
bool switch_is_pending(const struct candidate *c, const char *state, unsigned int waited_ms);
/* Can it never have the fast path as it is?  No failure of a group that it is in. */
bool switch_is_hopeless(const struct candidate *c, const char *state);
/* Why the device is not as it was wished: a new string, NULL if it is. */
char *switch_why(const struct candidate *c, const char *state);

#define _cleanup_switch_plan_ __attribute__((cleanup(switch_plan_free)))

#endif /* NOCLONE_SWITCH_PLAN_H */
