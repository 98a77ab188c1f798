// SPDX-License-Identifier: GPL-2.0-only
/*
 * noclone enable and disable: the fast path on devices whose tables stay as they are.
 *
 * Both edit the policy, and --now applies what it then says to the devices that were given.
 * With --runtime nothing of that is written; --policy edits nothing.
 */
#include <errno.h>
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "dm-noclone.h"
#include "base/log.h"
#include "base/util.h"
#include "model/name.h"
#include "model/policy.h"
#include "model/switch-plan.h"
#include "system/devmap.h"
#include "system/layers.h"
#include "system/live.h"
#include "system/module.h"
#include "system/policy-file.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/select.h"
#include "cmd/cmd.h"

/* The mapped devices of the running system whose fast path may be switched. */

static int enable_candidates_get(struct candidate *c, const char *name)
{
	_cleanup_devmap_device_ struct devmap_device dev = { 0 };
	_cleanup_live_ struct live live = { 0 };
	int r = devmap_info(name, &dev);

	if (!r)
		r = live_get(name, &live);
	if (r)
		return r;
	c->name = xstrdup(name);
	if (origin_is_lvm(dev.uuid))
		c->lv = devmap_lv_of_name(name);
	c->devno = dev.devno;
	c->suspended = dev.suspended;
	c->state = live_fastpath(&live);
	candidate_learn(c, &live.table);
	return 0;
}

static int enable_candidates_add_one(struct switch_plan *p, const char *name)
{
	struct candidate c = { 0 };
	int r = enable_candidates_get(&c, name);

	if (r)
		return r;
	GROW(p->device, p->nr);
	p->device[p->nr++] = c;
	return 0;
}

static void enable_candidates_add_suitable(const char *name, void *data)
{
	struct switch_plan *p = data;

	/* it may be gone since it was found */
	if (!enable_candidates_add_one(p, name) &&
	    !candidate_is_suitable(&p->device[p->nr - 1]))
		candidate_free(&p->device[--p->nr]);
}

/* Where it is in the plan; behind the last one if it is not. */
static unsigned int enable_candidates_find(const struct switch_plan *p, const char *name)
{
	unsigned int at = 0;

	while (at < p->nr && strcmp(p->device[at].name, name))
		at++;
	return at;
}

struct parts {
	struct switch_plan *plan;
	bool any;
};

static void enable_candidates_add_part(const char *name, void *data)
{
	struct parts *parts = data;
	struct switch_plan *p = parts->plan;

	if (enable_candidates_find(p, name) == p->nr)
		enable_candidates_add_suitable(name, p);
	parts->any |= enable_candidates_find(p, name) < p->nr;
}

/* As a word of the command that the user may have meant. */
static void enable_candidates_name(const char *name, void *data)
{
	_cleanup_switch_plan_ struct switch_plan p = { 0 };
	_cleanup_free_ char *word = NULL;

	enable_candidates_add_suitable(name, &p);
	if (!p.nr)
		return;
	word = shell_quote(p.device->lv ? p.device->lv : name);
	strbuf_add(data, " %s", word);
}

/*
 * Add a device to the plan, and the linear and striped devices below that belong to the same
 * logical volume.  Return: 0, or a negative errno after a message.
 */
static int enable_candidates_add(struct switch_plan *p, const char *name)
{
	unsigned int at = enable_candidates_find(p, name);
	struct parts parts = { p, false };
	struct strbuf below = { 0 };
	struct candidate *c;
	int r = at < p->nr ? 0 : enable_candidates_add_one(p, name);

	if (r) {
		log_err("%s: %s", name, devmap_reason(r));
		return r;
	}
	layers_below(p->device[at].devno, false, enable_candidates_add_part, &parts);
	c = &p->device[at];
	c->named = true;
	c->has_parts = parts.any;
	if (parts.any || candidate_is_suitable(c))
		return 0;
	layers_below(c->devno, true, enable_candidates_name, &below);
	free(c->below);
	c->below = below.text;
	return 0;
}

/* Add all devices that are suitable: 0, or a negative errno after a message. */
static int enable_candidates_add_all(struct switch_plan *p)
{
	int r = devmap_for_each(enable_candidates_add_suitable, p);

	/* no driver, no devices: nothing to complain about */
	if (r == -ENODEV)
		return 0;
	if (r)
		log_err("cannot list devices: %s", devmap_reason(r));
	return r;
}

/* The state of the fast path now, see struct candidate: a new string, or NULL. */
static char *enable_state_now(const struct candidate *c)
{
	_cleanup_live_ struct live live = { 0 };

	live_get(c->name, &live);
	return live_fastpath(&live);
}

/*
 * Switching the fast path of devices.
 *
 * Each step leaves devices as they were or switched, whenever this process dies: a
 * message makes the module suspend and resume a device inside the kernel.
 */

/* How long to wait for the next device to come on */
#define PATIENCE_MS	5000
#define POLL_MS		20
/* Devices come on one after the other: how many of those that are not on are looked at */
#define AHEAD		16
/* From how many devices on progress is shown */
#define MANY		8

static int enable_now_set_params(const struct switch_plan *p)
{
	int r = p->load ? module_load() : 0;

	return r || !p->set_stock ? r : module_set("stock", switch_stock_word(p));
}

/* Only where it takes a moment. */
static void enable_now_show_progress(const char *what, unsigned int done, unsigned int nr)
{
	if (nr >= MANY)
		log_progress(what, done, nr);
}

static void enable_now_send_messages(struct switch_plan *p)
{
	unsigned int i;

	for (i = 0; i < p->nr; i++) {
		struct candidate *c = &p->device[i];
		const char *message = c->action == SWITCH_ON ?
			NOCLONE_MSG_FASTPATH " " NOCLONE_MSG_ON :
			NOCLONE_MSG_FASTPATH " " NOCLONE_MSG_OFF;

		enable_now_show_progress("switching devices", i, p->nr);
		if (c->action == SWITCH_ON || c->action == SWITCH_OFF)
			c->failed = devmap_message(c->name, c->sector, message, NULL);
	}
	enable_now_show_progress("switching devices", i, p->nr);
}

/*
 * How many devices are still on their way; their states are read again, until ahead of
 * them are found not to be on: to ask thousands takes the processor from the module.
 */
static unsigned int enable_now_count_pending(struct switch_plan *p, unsigned int ahead,
					     unsigned int waited_ms)
{
	unsigned int i, pending = 0;

	for (i = 0; i < p->nr; i++) {
		struct candidate *c = &p->device[i];

		if (c->after && !switch_is_pending(c, waited_ms))
			continue;
		if (pending < ahead) {
			free(c->after);
			c->after = enable_state_now(c);
		}
		pending += pending >= ahead || switch_is_pending(c, waited_ms);
	}
	return pending;
}

/*
 * The limit begins anew with each device that has come on.  The last look, after which
 * this gives up, is at all of them.
 */
static void enable_now_wait(struct switch_plan *p)
{
	const struct timespec nap = { .tv_nsec = POLL_MS * 1000000L };
	unsigned int pending, least = p->nr + 1, waited_ms = 0;

	for (;;) {
		const bool is_last = waited_ms >= PATIENCE_MS;

		pending = enable_now_count_pending(p, is_last ? p->nr : AHEAD, waited_ms);
		if (!pending || (is_last && pending >= least))
			break;
		enable_now_show_progress("waiting for devices", p->nr - pending, p->nr);
		waited_ms = pending < least ? 0 : waited_ms + POLL_MS;
		least = MIN(least, pending);
		nanosleep(&nap, NULL);
	}
	enable_now_show_progress("waiting for devices", p->nr, p->nr);
}

/*
 * Carry out a plan, and fill in the state of each device after it.  Return: 0, or a negative
 * errno after a message, and no device is switched.
 */
static int enable_now(struct switch_plan *p)
{
	int r = enable_now_set_params(p);

	if (r)
		return r;
	enable_now_send_messages(p);
	enable_now_wait(p);
	return 0;
}

#define OPT_RULES	(OPT_INCLUDE | OPT_EXCLUDE)
#define OPT_ACTS	(OPT_NOW | OPT_RUNTIME | OPT_POLICY)

/**
 * struct request - what the command line asks for
 * @o: options
 * @on: it is enable, not disable
 * @acts: devices are switched
 * @lasts: the policy is written
 * @edits: how it changes
 * @policy: what holds for this command
 * @plan: the devices
 */
struct request {
	const struct options *o;
	bool on;
	bool acts;
	bool lasts;
	char *edits;
	struct policy policy;
	struct switch_plan plan;
};

/* NULL, or what is wrong with the command line. */
static const char *enable_usage(const struct options *o, int argc)
{
	if (opt(o, OPT_ALL) && argc)
		return "give devices or --all, not both";
	if (opt(o, OPT_POLICY) && opt(o, OPT_ALL))
		return "--policy is for all devices already";
	if (opt(o, OPT_POLICY) && opt(o, OPT_RULES))
		return "--policy applies the policy as it is: give --include and --exclude with --now";
	if (opt(o, OPT_ALL) && opt(o, OPT_RULES))
		return "--all replaces all rules of the policy: give --include and --exclude without it";
	if (!argc && !opt(o, OPT_ALL | OPT_POLICY | OPT_RULES))
		return "which devices? Give their names, or --all";
	return NULL;
}

static int enable_add_devices(struct request *q, int argc, char **argv)
{
	int i, r = 0;

	if (!argc)
		return q->acts ? enable_candidates_add_all(&q->plan) : 0;
	for (i = 0; i < argc && !r; i++) {
		_cleanup_devmap_device_ struct devmap_device dev = { 0 };

		r = select_device(argv[i], &dev);
		if (!r)
			r = enable_candidates_add(&q->plan, dev.name);
	}
	return r;
}

/* The first rule decides, so what is more special goes above the rest. */
static void enable_edit(struct request *q)
{
	enum policy_kind kind = q->on ? POLICY_INCLUDE : POLICY_EXCLUDE;
	unsigned int i;

	if (opt(q->o, OPT_ALL))
		policy_reset(&q->policy, kind);
	policy_set(&q->policy, q->o->rules, q->o->nr_rules);
	for (i = q->plan.nr; i-- && !opt(q->o, OPT_POLICY);) {
		const struct candidate *c = &q->plan.device[i];

		if (c->named)
			policy_set_device(&q->policy, kind,
					  &(struct policy_names) { c->name, c->lv });
	}
	q->edits = policy_edits(&q->policy);
}

/* Without devices, --now is for those that the given rules decide on. */
static bool enable_is_given(const struct request *q, const struct policy_line *rule)
{
	unsigned int i;

	if (!opt(q->o, OPT_RULES))
		return true;
	for (i = 0; i < q->o->nr_rules; i++)
		if (!strcmp(q->o->rules[i].pattern, rule->pattern))
			return true;
	return false;
}

static enum wish enable_wish_of(const struct request *q, const struct candidate *c)
{
	enum wish wish = q->on ? WISH_ON : WISH_OFF;

	if (c->has_parts && !candidate_is_suitable(c))
		return WISH_NONE;
	if (opt(q->o, OPT_ALL) || (c->named && !opt(q->o, OPT_POLICY)))
		return wish;
	if (!c->rule || !enable_is_given(q, c->rule))
		return WISH_NONE;
	return c->rule->kind == POLICY_INCLUDE ? WISH_ON : WISH_OFF;
}

/* A rule without wildcards asks for its device by name. */
static void enable_wish(struct request *q, struct candidate *c)
{
	c->rule = layers_rule(c->devno, &q->policy);
	if (opt(q->o, OPT_POLICY))
		c->named = c->rule && policy_is_literal(c->rule);
	c->wish = enable_wish_of(q, c);
}

/* Return: 0, or a negative errno after a message for each device that cannot follow. */
static int enable_plan(struct request *q)
{
	struct module_params m = { 0 };
	unsigned int i;
	int r = 0;

	for (i = 0; i < q->plan.nr; i++)
		enable_wish(q, &q->plan.device[i]);
	q->plan.all_off = opt(q->o, OPT_ALL) && !q->on;
	if (q->acts)
		module_params(&m);
	switch_plan(&q->plan, &m);
	for (i = 0; i < q->plan.nr; i++) {
		struct candidate *c = &q->plan.device[i];

		if (c->action != SWITCH_CANNOT)
			continue;
		c->wish = WISH_NONE;
		if (!c->named)
			continue;
		log_err("%s: %s", c->name, c->why);
		r = -EOPNOTSUPP;
	}
	if (q->plan.objection) {
		log_err("%s", q->plan.objection);
		r = -EOPNOTSUPP;
	}
	return r;
}

static const char *enable_word(const struct candidate *c, const char *state)
{
	return state || !candidate_is_suitable(c) ? state : "stock";
}

static struct json_object *enable_row(const struct candidate *c)
{
	struct json_object *row = json_object_new_object();
	const char *before = enable_word(c, c->state), *after = enable_word(c, c->after);

	output_add_string(row, "name", c->name);
	output_add_string(row, "lv", c->lv);
	output_add_bool(row, "changed", before && after && strcmp(before, after));
	output_add_string(row, "before", before);
	output_add_string(row, "after", after);
	output_add_string(row, "why", c->why);
	return row;
}

static void enable_print_json(const struct request *q)
{
	struct json_object *out = output_new(q->on ? "enable" : "disable");
	struct json_object *rows = json_object_new_array();
	_cleanup_free_ char *lines = switch_plan_print(&q->plan);
	unsigned int i;

	for (i = 0; i < q->plan.nr && q->acts; i++)
		if (q->plan.device[i].wish != WISH_NONE)
			json_object_array_add(rows, enable_row(&q->plan.device[i]));
	output_add_bool(out, "dry_run", opt(q->o, OPT_DRY_RUN));
	output_add_string(out, "file", POLICY_PATH);
	json_object_object_add(out, "edits", output_lines(q->lasts ? q->edits : ""));
	json_object_object_add(out, "commands", output_lines(q->acts ? lines : ""));
	json_object_object_add(out, "devices", rows);
	output_print(out);
	json_object_put(out);
}

/*
 * A line for each change, and one for each device that was given.  What the policy says of
 * a part may not be what was asked for its volume.
 */
static void enable_print_state(const struct request *q, const struct candidate *c)
{
	const char *before = enable_word(c, c->state), *after = enable_word(c, c->after);
	bool follows = c->wish == (q->on ? WISH_ON : WISH_OFF);

	if (before && after && strcmp(before, after))
		printf("%s: %s -> %s%s\n", c->name, before, after,
		       opt(q->o, OPT_RUNTIME) ? ", until the next boot" : "");
	else if (c->named)
		printf("%s: %s already\n", c->name, after ? after : "no fast path");
	if (!follows && !opt(q->o, OPT_POLICY | OPT_RULES))
		log_note("%s follows the rule \"%s\"", c->name, c->rule->text);
}

/* Return: whether it has failed. One of a group that can never follow is no failure. */
static bool enable_print_device(const struct request *q, const struct candidate *c)
{
	const char *after = enable_word(c, c->after);
	bool failed = c->failed || (c->why && (c->named || !switch_is_hopeless(c)));

	if (opt(q->o, OPT_JSON) || (c->failed && !switch_says_why(c)))
		return failed;
	if (failed)
		log_err("%s: %s: %s", c->name, after ? after : "no fast path", c->why);
	else if (c->why && !opt(q->o, OPT_QUIET))
		log_note("%s: %s: %s", c->name, after, c->why);
	else if (!opt(q->o, OPT_QUIET))
		enable_print_state(q, c);
	return failed;
}

static void enable_print_policy(const struct request *q)
{
	const char *line = q->edits;

	if (!*line)
		printf(POLICY_PATH " says so already\n");
	for (; *line; line += strcspn(line, "\n") + 1)
		printf(POLICY_PATH ": %.*s\n", (int)strcspn(line, "\n"), line);
}

static void enable_warn_hidden(const struct policy *p)
{
	unsigned int i;

	for (i = 0; i < p->nr; i++) {
		const struct policy_line *above = policy_hides(p, &p->line[i]);

		if (above)
			log_warn(POLICY_PATH ":%u: \"%s\" decides nothing: \"%s\" is above it", i + 1,
				 p->line[i].text, above->text);
	}
}

static void enable_say_when(const struct request *q)
{
	log_note("no device is switched yet: " POLICY_PATH " is applied at boot if noclone-enable.service is enabled; for now: noclone %s",
		 opt(q->o, OPT_ALL) && !q->on ? "disable --runtime --all" : "enable --policy");
}

static void enable_dry_run(struct request *q)
{
	_cleanup_free_ char *lines = switch_plan_print(&q->plan);
	unsigned int i;

	for (i = 0; i < q->plan.nr; i++)
		q->plan.device[i].after = switch_expected(&q->plan.device[i]);
	if (opt(q->o, OPT_JSON)) {
		enable_print_json(q);
		return;
	}
	if (q->lasts)
		enable_print_policy(q);
	if (q->acts)
		fputs(lines, stdout);
}

static int enable_write(const struct request *q)
{
	int r = *q->edits ? policy_file_write(&q->policy) : 0;

	if (r)
		return r;
	if (!opt(q->o, OPT_JSON | OPT_QUIET))
		enable_print_policy(q);
	enable_warn_hidden(&q->policy);
	if (*q->edits && !q->acts && !opt(q->o, OPT_QUIET))
		enable_say_when(q);
	return 0;
}

/*
 * Return: 0, or a negative errno if a device is not as requested, after a message.  The
 * policy has been written by then, so JSON says that also if no device could be switched.
 */
static int enable_switch(struct request *q)
{
	unsigned int i;
	int r = enable_now(&q->plan);
	const bool tried = !r;

	for (i = 0; i < q->plan.nr; i++) {
		struct candidate *c = &q->plan.device[i];

		if (!tried && c->state)
			c->after = xstrdup(c->state);
		if (!tried || c->wish == WISH_NONE)
			continue;
		c->why = switch_why(c);
		if (enable_print_device(q, c))
			r = -EIO;
	}
	if (opt(q->o, OPT_JSON))
		enable_print_json(q);
	return r;
}

static int enable_carry_out(struct request *q, struct policy_file *file)
{
	int r = q->lasts ? enable_write(q) : 0;

	policy_file_close(file);
	if (!r && q->acts)
		return enable_switch(q);
	if (!r && opt(q->o, OPT_JSON))
		enable_print_json(q);
	return r;
}

/* The way back does not depend on a policy that can be read. */
static bool enable_needs_policy(const struct request *q)
{
	return q->lasts || !opt(q->o, OPT_ALL);
}

static int enable_run(struct request *q, int argc, char **argv)
{
	const bool dry_run = opt(q->o, OPT_DRY_RUN);
	_cleanup_policy_file_ struct policy_file file = { -1 };
	int r = 0;

	if (enable_needs_policy(q))
		r = policy_file_open(&file, &q->policy, q->lasts && !dry_run);
	r = r ?: enable_add_devices(q, argc, argv);
	if (r)
		return r;
	enable_edit(q);
	r = enable_plan(q);
	if (r)
		return r;
	if (dry_run)
		enable_dry_run(q);
	else
		r = enable_carry_out(q, &file);
	return r;
}

static int enable(const struct options *o, int argc, char **argv, bool on)
{
	const char *wrong = enable_usage(o, argc);
	struct request q = {
		.o = o, .on = on, .acts = opt(o, OPT_ACTS),
		.lasts = !opt(o, OPT_RUNTIME | OPT_POLICY),
	};
	int r;

	if (wrong) {
		log_err("%s", wrong);
		return EXIT_USAGE;
	}
	r = enable_run(&q, argc, argv);
	free(q.edits);
	policy_free(&q.policy);
	switch_plan_free(&q.plan);
	return r ? EXIT_FAILED : EXIT_OK;
}

int cmd_enable(const struct options *o, int argc, char **argv)
{
	return enable(o, argc, argv, true);
}

int cmd_disable(const struct options *o, int argc, char **argv)
{
	return enable(o, argc, argv, false);
}
