// SPDX-License-Identifier: GPL-2.0-only
/*
 * noclone status NAME: fast path and counters; for noclone-file, the engine, its
 * counters and facts about the backing file.  Without names: a line for each device.
 */
#include <errno.h>
#include <json-c/json.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "base/util.h"
#include "model/status.h"
#include "model/trouble.h"
#include "system/devmap.h"
#include "system/live.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/select.h"
#include "cmd/cmd.h"
#include "cmd/status-all.h"

/* Each of these asks for a line for each device. */
#define OPT_OVERVIEW	(OPT_OUTPUT | OPT_NOHEADINGS | OPT_WATCH | OPT_PROMETHEUS)

static struct json_object *counters_json(const struct counter *c,
					 unsigned int nr)
{
	struct json_object *o = json_object_new_object();
	unsigned int i;

	for (i = 0; i < nr; i++)
		output_add_number(o, c[i].name, c[i].value);
	return o;
}

static struct json_object *facts_json(const struct status *s)
{
	struct json_object *o = json_object_new_object();
	uint64_t number;
	unsigned int i;

	for (i = 0; i < s->nr_facts; i++) {
		const struct fact *f = &s->facts[i];

		if (parse_u64(f->value, &number))
			output_add_number(o, f->name, number);
		else
			output_add_string(o, f->name, f->value);
	}
	return o;
}

static struct json_object *fastpath_json(const struct status *s)
{
	struct json_object *o;

	if (!s->has_fastpath)
		return NULL;
	o = json_object_new_object();
	output_add_bool(o, "on", s->fast);
	output_add_string(o, "reason", s->reason);
	json_object_object_add(o, "counters", counters_json(s->counters,
							    s->nr_counters));
	return o;
}

static struct json_object *status_json(const struct devmap_target *raw,
				       const struct status *s,
				       const struct troubles *troubles)
{
	struct json_object *o = json_object_new_object();

	output_add_number(o, "start", raw->start);
	output_add_number(o, "sectors", raw->length);
	output_add_string(o, "type", raw->type);
	output_add_string(o, "params", raw->params);
	json_object_object_add(o, "troubles", output_troubles(troubles));
	if (!s)
		return o;

	output_add_string(o, "health", s->health);
	json_object_object_add(o, "fastpath", fastpath_json(s));
	if (!s->engine)
		return o;
	output_add_string(o, "engine", s->engine);
	json_object_object_add(o, "facts", facts_json(s));
	json_object_object_add(o, "counters",
			       counters_json(s->file_counters,
					     s->nr_file_counters));
	return o;
}

static void print_state(const struct status *s)
{
	_cleanup_free_ char *words = status_state_words(s);

	printf("  %s\n", words);
}

/* After the first three, counters that are 0 are noise. */
static void print_counters(const struct counter *counters, unsigned int nr,
			   const char *(*meaning_of)(const char *name))
{
	unsigned int i;

	for (i = 0; i < nr; i++) {
		const struct counter *c = &counters[i];
		const char *meaning = meaning_of(c->name);

		if (c->value || i < 3 || log_level > LOG_LEVEL_NORMAL)
			printf("  %12llu %-10s %s\n",
			       (unsigned long long)c->value, c->name,
			       meaning ? meaning : "");
	}
}

static void print_troubles(const struct troubles *troubles)
{
	unsigned int i;

	for (i = 0; i < troubles->nr; i++)
		printf("  %s\n", troubles->trouble[i].text);
}

/* The engine's counters are the target's own. */
static void print_file(const struct devmap_target *raw, const struct status *s)
{
	_cleanup_free_ char *words = status_file_words(s);

	if (raw->start)
		printf("  at sector %llu: ", (unsigned long long)raw->start);
	else
		printf("  ");
	puts(words);
	print_counters(s->file_counters, s->nr_file_counters,
		       status_file_counter_meaning);
}

/* The fast path and its counters belong to the device: print them once. */
static void print_target(const struct devmap_target *raw, const struct status *s,
			 bool *counters_shown)
{
	if (s->engine)
		print_file(raw, s);
	if (*counters_shown || !s->has_fastpath)
		return;
	print_state(s);
	print_counters(s->counters, s->nr_counters, status_counter_meaning);
	*counters_shown = true;
}

static void status_target(const struct live *r, unsigned int at,
			  struct json_object *array, bool json,
			bool *counters_shown)
{
	_cleanup_troubles_ struct troubles troubles = { 0 };
	const struct devmap_target *raw = &r->raw.target[at];
	const struct status *s = &r->status[at];
	bool ours = s->stock;

	live_troubles_of(r, at, &troubles);
	if (json) {
		json_object_array_add(array, status_json(raw, ours ? s : NULL,
							 &troubles));
		return;
	}
	if (!ours)
		printf("  %s at sector %llu: %s\n", raw->type,
		       (unsigned long long)raw->start, raw->params);
	print_troubles(&troubles);
	if (ours)
		print_target(raw, s, counters_shown);
}

static struct json_object *status_one(const char *name, bool json)
{
	_cleanup_live_ struct live r = { 0 };
	struct json_object *o = json_object_new_object();
	struct overview v;
	struct json_object *array = json_object_new_array();
	bool counters_shown = false;
	unsigned int i;

	if (!json)
		printf("%s:\n", name);
	live_get(name, &r);
	for (i = 0; i < r.raw.nr; i++)
		status_target(&r, i, array, json, &counters_shown);
	output_add_string(o, "name", name);
	json_object_object_add(o, "targets", array);
	status_overview(name, &r, &v);
	status_overview_json(o, &v);
	overview_free(&v);
	return o;
}

/* What somebody gives who does not know that "--watch" and it are one word. */
static bool is_interval(const char *word)
{
	_cleanup_devmap_device_ struct devmap_device dev = { 0 };

	return !word[strspn(word, "0123456789.")] && devmap_info(word, &dev);
}

/* NULL, or what is wrong with the command line. */
static const char *usage(const struct options *o, int argc, char **argv)
{
	if (opt(o, OPT_JSON) && o->given & OPT_OVERVIEW)
		return "--json has all columns, and does not repeat";
	if (opt(o, OPT_PROMETHEUS) && opt(o, OPT_WATCH))
		return "--prometheus does not repeat: let a timer do that";
	if (opt(o, OPT_WATCH) && argc && is_interval(argv[0]))
		return "seconds are one word with --watch, as in --watch=1";
	return NULL;
}

static void add_name(const char *name, void *data)
{
	_cleanup_table_ struct table t = { 0 };
	struct names *names = data;

	if (live_table(name, &t) || !overview_is_for(&t))
		return;
	GROW(names->name, names->nr);
	names->name[names->nr++] = xstrdup(name);
}

static void status_each(const struct options *o, const struct names *names)
{
	struct json_object *out = output_new("status");
	struct json_object *array = json_object_new_array();
	unsigned int i;

	json_object_object_add(out, "devices", array);
	for (i = 0; i < names->nr; i++)
		json_object_array_add(array, status_one(names->name[i],
							opt(o, OPT_JSON)));
	if (opt(o, OPT_JSON))
		output_print(out);
	json_object_put(out);
}

int cmd_status(const struct options *o, int argc, char **argv)
{
	_cleanup_names_ struct names names = { 0 };
	const char *wrong = usage(o, argc, argv);
	int r;

	if (wrong) {
		log_err("%s", wrong);
		return EXIT_USAGE;
	}
	if (argc && select_names(&names, argc, argv, false))
		return EXIT_FAILED;
	if (o->given & OPT_OVERVIEW || (!argc && !opt(o, OPT_JSON)))
		return status_all(o, &names);
	r = argc ? 0 : devmap_for_each(add_name, &names);
	if (r && r != -ENODEV) {
		log_err("cannot list devices: %s", devmap_reason(r));
		return EXIT_FAILED;
	}
	status_each(o, &names);
	return EXIT_OK;
}
