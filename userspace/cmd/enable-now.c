// SPDX-License-Identifier: GPL-2.0-only
/*
 * noclone enable --now and disable --now.
 *
 * Each step leaves devices as they were or switched, whenever this process dies: a
 * message makes the module suspend and resume a device inside the kernel.
 */
#include "cmd/enable-now.h"

#include <errno.h>
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/log.h"
#include "base/read.h"
#include "base/util.h"
#include "model/policy.h"
#include "system/candidates.h"
#include "system/devmap.h"
#include "system/module.h"
#include "system/policy-file.h"
#include "cli/output.h"
#include "cli/report.h"
#include "cli/select.h"
#include "cmd/cmd.h"

/* How long to wait for the next device to come on */
#define PATIENCE_MS	5000
#define POLL_MS		20
/* Devices come on one after the other: how many of those that are not on are looked at */
#define AHEAD		16
/* From how many devices on progress is shown */
#define MANY		8

static int add_devices(struct switch_plan *p, int argc, char **argv, enum wish wish)
{
	bool on = wish == WISH_ON;
	int i, r;

	if (!argc)
		return candidates_add_all(p);
	for (i = 0; i < argc; i++) {
		_cleanup_devmap_device_ struct devmap_device dev = { 0 };

		r = select_or_pattern(argv[i], on ? "enable" : "disable",
				      on ? "include" : "exclude", &dev);
		if (!r)
			r = candidates_add(p, dev.name);
		if (r)
			return r;
		p->device[p->nr - 1].named = true;
	}
	return 0;
}

/* A rule without wildcards asks for its device by name. */
static void wish_by_policy(struct candidate *c, const struct policy *policy)
{
	const struct policy_line *rule =
		policy_find(policy, &(struct policy_names) { c->name, c->lv });

	c->wish = WISH_NONE;
	if (!rule)
		return;
	c->wish = rule->kind == POLICY_INCLUDE ? WISH_ON : WISH_OFF;
	c->named = policy_is_literal(rule);
}

static int wish_all_by_policy(struct switch_plan *p)
{
	_cleanup_policy_ struct policy policy = { 0 };
	_cleanup_policy_file_ struct policy_file file;
	unsigned int i;
	int r = policy_file_open(&file, &policy, false);

	if (r)
		return r;
	for (i = 0; i < p->nr; i++)
		wish_by_policy(&p->device[i], &policy);
	return 0;
}

static int make_plan(const struct options *o, int argc, char **argv,
		     enum wish wish, struct switch_plan *p)
{
	struct module_params m;
	unsigned int i;
	int r = add_devices(p, argc, argv, wish);

	p->all_off = opt(o, OPT_ALL) && wish == WISH_OFF;
	for (i = 0; i < p->nr; i++)
		p->device[i].wish = wish;
	if (!r && opt(o, OPT_POLICY))
		r = wish_all_by_policy(p);
	if (r)
		return r;
	module_params(&m);
	switch_plan(p, &m);
	return 0;
}

static const char *const action_names[] = {
	[SWITCH_NOTHING] = "nothing",
	[SWITCH_ON] = "on",
	[SWITCH_OFF] = "off",
	[SWITCH_GIVE_BACK] = "give-back",
	[SWITCH_CANNOT] = "cannot",
};

static struct json_object *device_json(const struct candidate *c)
{
	struct json_object *o = json_object_new_object();

	output_add_string(o, "name", c->name);
	output_add_string(o, "lv", c->lv);
	output_add_string(o, "fastpath", c->state);
	output_add_string(o, "action", action_names[c->action]);
	output_add_string(o, "why", c->why);
	return o;
}

static void print_plan(const struct options *o, enum wish wish,
		       const struct switch_plan *p)
{
	_cleanup_free_ char *commands = switch_plan_print(p);
	struct json_object *out, *array;
	unsigned int i;

	if (!opt(o, OPT_JSON)) {
		fputs(commands, stdout);
		for (i = 0; i < p->nr; i++)
			if (p->device[i].why)
				log_err("%s: %s", p->device[i].name, p->device[i].why);
		return;
	}
	out = output_new(wish == WISH_ON ? "enable" : "disable");
	array = json_object_new_array();
	for (i = 0; i < p->nr; i++)
		json_object_array_add(array, device_json(&p->device[i]));
	output_add_bool(out, "dry_run", true);
	json_object_object_add(out, "commands", output_lines(commands));
	json_object_object_add(out, "devices", array);
	output_print(out);
	json_object_put(out);
}

static int set_params(const struct switch_plan *p)
{
	int r = p->load ? module_load() : 0;

	return r || !p->set_stock ? r : module_set("stock", switch_stock_word(p));
}

/* On a terminal, and only where it takes a moment; erased when it is done. */
static void show_progress(const char *what, unsigned int done, unsigned int nr)
{
	if (nr < MANY || !isatty(STDERR_FILENO))
		return;
	if (done < nr)
		fprintf(stderr, "\r%s %u of %u devices", what, done, nr);
	else
		fprintf(stderr, "\r\033[K");
}

static void send_messages(struct switch_plan *p)
{
	unsigned int i;

	for (i = 0; i < p->nr; i++) {
		struct candidate *c = &p->device[i];
		const char *message = c->action == SWITCH_ON ?
			NOCLONE_MSG_FASTPATH " " NOCLONE_MSG_ON :
			NOCLONE_MSG_FASTPATH " " NOCLONE_MSG_OFF;
		_cleanup_free_ char *response = NULL;

		show_progress("switching", i, p->nr);
		if (c->action == SWITCH_ON || c->action == SWITCH_OFF)
			devmap_message(c->name, c->sector, message, &response);
	}
	show_progress("switching", i, p->nr);
}

/*
 * How many devices are still on their way; their states are read again, until ahead of
 * them are found not to be on: to ask thousands takes the processor from the module.
 */
static unsigned int count_pending(const struct switch_plan *p, char **after,
				  unsigned int ahead, unsigned int waited_ms)
{
	unsigned int i, pending = 0;

	for (i = 0; i < p->nr; i++) {
		const struct candidate *c = &p->device[i];

		if (after[i] && !switch_is_pending(c, after[i], waited_ms))
			continue;
		if (pending < ahead) {
			free(after[i]);
			after[i] = candidate_state(c);
		}
		pending += pending >= ahead || switch_is_pending(c, after[i], waited_ms);
	}
	return pending;
}

/*
 * The limit begins anew with each device that has come on.  The last look, after which
 * this gives up, is at all of them.
 */
static void wait_until_on(const struct switch_plan *p, char **after)
{
	const struct timespec nap = { .tv_nsec = POLL_MS * 1000000L };
	unsigned int pending, least = p->nr + 1, waited_ms = 0;

	for (;;) {
		const bool is_last = waited_ms >= PATIENCE_MS;

		pending = count_pending(p, after, is_last ? p->nr : AHEAD, waited_ms);
		if (!pending || (is_last && pending >= least))
			break;
		show_progress("waiting for", p->nr - pending, p->nr);
		waited_ms = pending < least ? 0 : waited_ms + POLL_MS;
		least = MIN(least, pending);
		nanosleep(&nap, NULL);
	}
	show_progress("waiting for", p->nr, p->nr);
}

static struct json_object *result_row(const struct candidate *c, const char *after,
				      const char *why)
{
	const char *no_state = candidate_is_suitable(c) ? "stock" : NULL;
	struct json_object *o = json_object_new_object();

	output_add_string(o, "name", c->name);
	output_add_string(o, "before", c->state ?: no_state);
	output_add_string(o, "after", after ?: no_state);
	output_add_string(o, "why", why);
	return o;
}

/* Return: how many are not as they were to be; what no group can have is not counted. */
static unsigned int print_results(const struct switch_plan *p, char **after)
{
	static const struct report_column columns[] = {
		{ "NAME", "name", REPORT_USUAL, "Name of the device.", NULL },
		{ "BEFORE", "before", REPORT_USUAL, "State of its fast path before.", NULL },
		{ "AFTER", "after", REPORT_USUAL, "State of its fast path now.", NULL },
		{ "WHY NOT", "why", REPORT_USUAL | REPORT_WRAPS,
		  "Why it is not as requested.", NULL },
	};
	_cleanup_report_ struct report report = {
		.columns = columns, .nr_columns = ARRAY_SIZE(columns),
	};
	struct json_object *rows = json_object_new_array();
	unsigned int i, failed = 0;

	for (i = 0; i < p->nr; i++) {
		const struct candidate *c = &p->device[i];
		_cleanup_free_ char *why = switch_why(c, after[i]);

		json_object_array_add(rows, result_row(c, after[i], why));
		failed += why && (c->named || !switch_is_hopeless(c, after[i]));
	}
	report_select(&report, NULL);
	report_print(&report, rows);
	json_object_put(rows);
	return failed;
}

static int carry_out(struct switch_plan *p)
{
	char **after = xzalloc((p->nr + 1) * sizeof(*after));
	unsigned int i, failed;
	int r = set_params(p);

	if (!r) {
		send_messages(p);
		wait_until_on(p, after);
		failed = print_results(p, after);
		r = failed ? -EIO : 0;
	}
	for (i = 0; i < p->nr; i++)
		free(after[i]);
	free(after);
	return r;
}

int enable_now(const struct options *o, int argc, char **argv, enum wish wish)
{
	_cleanup_switch_plan_ struct switch_plan p = { 0 };
	_cleanup_free_ char *words = NULL;

	if (make_plan(o, argc, argv, wish, &p))
		return EXIT_FAILED;
	if (opt(o, OPT_DRY_RUN)) {
		print_plan(o, wish, &p);
		return EXIT_OK;
	}
	words = switch_plan_words(&p);
	if (*words)
		log_note("plan: %s", words);
	return carry_out(&p) ? EXIT_FAILED : EXIT_OK;
}
