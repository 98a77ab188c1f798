// SPDX-License-Identifier: GPL-2.0-only
/* noclone status: is the fast path on, if not why not, and what it did. */
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

static struct json_object *status_json(const struct dm_line *line,
				       const struct status *s)
{
	struct json_object *o = json_object_new_object();
	struct json_object *fast, *counters;
	unsigned int i;

	output_add_number(o, "start", line->start);
	output_add_number(o, "sectors", line->length);
	output_add_string(o, "type", line->type);
	output_add_string(o, "params", line->params);
	if (!s)
		return o;

	output_add_string(o, "health", s->health);
	fast = json_object_new_object();
	output_add_bool(fast, "on", s->fast);
	output_add_string(fast, "reason", s->reason);
	counters = json_object_new_object();
	for (i = 0; i < s->nr_counters; i++)
		output_add_number(counters, s->counters[i].name,
				  s->counters[i].value);
	json_object_object_add(fast, "counters", counters);
	json_object_object_add(o, "fastpath", fast);
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

/* Zero counters of the clone path are noise to people. */
static void print_counters(const struct status *s)
{
	unsigned int i;

	for (i = 0; i < s->nr_counters; i++) {
		const struct counter *c = &s->counters[i];
		const char *meaning = status_counter_meaning(c->name);

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

/* The counters are the device's: every target prints the same ones. */
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
	if (*counters_shown)
		return;
	print_state(&s);
	print_counters(&s);
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
