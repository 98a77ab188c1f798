// SPDX-License-Identifier: GPL-2.0-only
/*
 * A measurement next to an earlier one, of another kernel for example.  Both as
 * JSON, because that is what is kept of the earlier one.
 */
#include "bench/compare.h"

#include <errno.h>
#include <json-c/json.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "base/util.h"
#include "cli/input.h"
#include "cli/output.h"
#include "bench/fio.h"
#include "bench/stats.h"

/* The JSON of "bench" is the same since this schema. */
#define FIRST_SCHEMA	1

static struct json_object *member(struct json_object *o, const char *key)
{
	struct json_object *value = NULL;

	json_object_object_get_ex(o, key, &value);
	return value;
}

static const char *string_of(struct json_object *o, const char *key)
{
	const char *text = json_object_get_string(member(o, key));

	return text ? text : "unknown";
}

static const char *why_not(struct json_object *o)
{
	struct json_object *schema = member(o, "schema");

	if (!json_object_is_type(o, json_type_object) ||
	    !json_object_is_type(schema, json_type_int))
		return "not the JSON of noclone bench";
	if (json_object_get_int64(schema) < FIRST_SCHEMA ||
	    json_object_get_int64(schema) > NOCLONE_JSON_SCHEMA)
		return "its schema is not known to this version of noclone";
	if (strcmp(string_of(o, "command"), "bench") ||
	    !json_object_is_type(member(o, "workloads"), json_type_array))
		return "not the JSON of noclone bench";
	return NULL;
}

int compare_load(const char *path, struct json_object **then)
{
	_cleanup_free_ char *text = NULL;
	const char *wrong;
	int r = input_read(path, &text);

	*then = NULL;
	if (r)
		return r;
	*then = json_tokener_parse(text);
	wrong = why_not(*then);
	if (!wrong)
		return 0;
	log_err("--compare %s: %s", path, wrong);
	json_object_put(*then);
	*then = NULL;
	return -EINVAL;
}

/* Element of the array @key whose member @by is @name. */
static struct json_object *find(struct json_object *o, const char *key,
				const char *by, const char *name)
{
	struct json_object *array = member(o, key);
	size_t i;

	if (!json_object_is_type(array, json_type_array))
		return NULL;
	for (i = 0; i < json_object_array_length(array); i++) {
		struct json_object *e = json_object_array_get_idx(array, i);

		if (!strcmp(string_of(e, by), name))
			return e;
	}
	return NULL;
}

static struct figure figure_in(struct json_object *row, const char *measure)
{
	struct json_object *o = member(row, measure);

	return (struct figure) {
		.median = json_object_get_double(member(o, "median")),
		.spread = json_object_get_double(member(o, "spread")),
	};
}

static unsigned int fewer_rounds(struct json_object *a, struct json_object *b)
{
	return MIN(json_object_array_length(member(a, "rounds")),
		   json_object_array_length(member(b, "rounds")));
}

static bool is_row(struct json_object *row)
{
	return json_object_is_type(member(row, "rounds"), json_type_array);
}

static void compare_row(struct json_object *then, struct json_object *now,
			enum measure measure)
{
	struct figure old = figure_in(then, measure_names[measure]);
	struct figure new = figure_in(now, measure_names[measure]);
	struct verdict v = verdict_of(&old, &new, fewer_rounds(then, now));
	_cleanup_free_ char *text = verdict_text(&v, "then", "");

	printf("  %-9s %10.2f +- %-7.2f %10.2f +- %-7.2f %s\n",
	       string_of(now, "row"), old.median, old.spread, new.median,
	       new.spread, text);
}

static void compare_measure(struct json_object *then, struct json_object *now,
			    enum measure measure, const char *what)
{
	struct json_object *rows = member(now, "rows");
	size_t i;

	printf("  %-9s %-21s %s\n", what, "      then", "      now");
	for (i = 0; i < json_object_array_length(rows); i++) {
		struct json_object *row = json_object_array_get_idx(rows, i);
		struct json_object *old = find(then, "rows", "row",
					       string_of(row, "row"));

		if (is_row(old))
			compare_row(old, row, measure);
	}
}

static void compare_workload(struct json_object *then, struct json_object *now)
{
	struct json_object *old = find(then, "workloads", "name",
				       string_of(now, "name"));

	printf("\n%s\n", string_of(now, "title"));
	if (!old) {
		puts("  was not measured then");
		return;
	}
	compare_measure(old, now, MEASURE_TIME, "us");
	compare_measure(old, now, MEASURE_CPU, "CPU us");
}

/* As text: a number may be an integer in the file and a double in ours. */
static bool is_same(struct json_object *a, struct json_object *b)
{
	return !strcmp(json_object_to_json_string(a),
		       json_object_to_json_string(b));
}

/* Comparing different set-ups is permitted, with a warning. */
static void warn_differences(struct json_object *then, struct json_object *now)
{
	static const char * const keys[] = {
		"devices", "targets", "block_size", "seconds", "cpus",
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(keys); i++)
		if (!is_same(member(then, keys[i]), member(now, keys[i])))
			log_warn("not the same measurement: \"%s\" differs, see the JSON",
				 keys[i]);
}

static void print_side(const char *what, struct json_object *o)
{
	printf("  %-5s %s, Linux %s, module %s, %s\n", what,
	       string_of(o, "date"), string_of(o, "kernel"),
	       string_of(o, "module"), string_of(o, "fio"));
}

void compare_print(struct json_object *then, struct json_object *now,
		   const char *path)
{
	struct json_object *workloads = member(now, "workloads");
	size_t i;

	printf("\nPer I/O, compared with %s\n", path);
	print_side("then:", then);
	print_side("now:", now);
	warn_differences(then, now);
	for (i = 0; i < json_object_array_length(workloads); i++)
		compare_workload(then, json_object_array_get_idx(workloads, i));
}
