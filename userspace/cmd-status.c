// SPDX-License-Identifier: GPL-2.0-only
/*
 * noclone status: is the fast path on, if not why not, and what it did; of a
 * file, which engine runs and how it does.
 */
#include <json-c/json.h>
#include <stdio.h>
#include <string.h>

#include "cmd.h"
#include "common.h"
#include "device.h"
#include "dm.h"
#include "log.h"
#include "output.h"
#include "status.h"

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

static struct json_object *status_json(const struct dm_line *line,
				       const struct status *s)
{
	struct json_object *o = json_object_new_object();

	output_add_number(o, "start", line->start);
	output_add_number(o, "sectors", line->length);
	output_add_string(o, "type", line->type);
	output_add_string(o, "params", line->params);
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
	const char *meaning = s->fast ? NULL : status_reason_meaning(s->reason);

	if (s->fast)
		puts("  fast path on");
	else if (meaning)
		printf("  fast path off: %s\n", meaning);
	else
		printf("  fast path off: %s\n", s->reason);
}

/* Zero counters behind the first ones are noise to people. */
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

static void print_health(const struct dm_line *line, const struct status *s)
{
	size_t i;

	for (i = 0; s->health && s->health[i]; i++)
		if (s->health[i] != 'A')
			printf("  stripe %zu of the target at sector %llu has had errors\n",
			       i, (unsigned long long)line->start);
}

/* The engine's counters are the target's own. */
static void print_file(const struct dm_line *line, const struct status *s)
{
	_cleanup_free_ char *words = status_file_words(s);

	if (line->start)
		printf("  at sector %llu: ", (unsigned long long)line->start);
	else
		printf("  ");
	puts(words);
	print_counters(s->file_counters, s->nr_file_counters,
		       status_file_counter_meaning);
}

/* The fast path and its counters are the device's: all targets say the same. */
static void status_line(const struct dm_line *line, struct json_object *array,
			bool json, bool *counters_shown)
{
	_cleanup_status_ struct status s = { 0 };
	bool ours = str_starts(line->type, "noclone-") &&
		    status_parse(&s, line->params);

	if (json) {
		json_object_array_add(array, status_json(line, ours ? &s : NULL));
		return;
	}
	if (!ours) {
		printf("  %s at sector %llu: %s\n", line->type,
		       (unsigned long long)line->start, line->params);
		return;
	}
	print_health(line, &s);
	if (s.engine)
		print_file(line, &s);
	if (*counters_shown || !s.has_fastpath)
		return;
	print_state(&s);
	print_counters(s.counters, s.nr_counters, status_counter_meaning);
	*counters_shown = true;
}

static struct json_object *status_one(const char *name, bool json)
{
	_cleanup_dm_lines_ struct dm_lines lines = { 0 };
	struct json_object *o = json_object_new_object();
	struct json_object *array = json_object_new_array();
	bool counters_shown = false;
	unsigned int i;

	if (!json)
		printf("%s:\n", name);
	dm_get_status(name, &lines);
	for (i = 0; i < lines.nr; i++)
		status_line(&lines.line[i], array, json, &counters_shown);
	output_add_string(o, "name", name);
	json_object_object_add(o, "targets", array);
	return o;
}

int cmd_status(const struct options *o, int argc, char **argv)
{
	_cleanup_names_ struct names names = { 0 };
	struct json_object *out, *array;
	unsigned int i;

	if (select_names(&names, argc, argv, false))
		return EXIT_FAILED;
	out = output_new("status");
	array = json_object_new_array();
	json_object_object_add(out, "devices", array);
	for (i = 0; i < names.nr; i++)
		json_object_array_add(array, status_one(names.name[i],
							opt(o, OPT_JSON)));
	if (opt(o, OPT_JSON))
		output_print(out);
	json_object_put(out);
	return EXIT_OK;
}
