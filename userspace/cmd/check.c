// SPDX-License-Identifier: GPL-2.0-only
/* noclone check: look for mistakes in table files. */
#include <json-c/json.h>
#include <stdio.h>

#include "base/util.h"
#include "model/lint.h"
#include "model/problems.h"
#include "model/saved.h"
#include "model/table-text.h"
#include "model/table.h"
#include "system/file-lookup.h"
#include "cli/build.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cmd/cmd.h"

static void check_print_problem(const char *path, const struct problem *p)
{
	if (p->line)
		printf("%s:%u: %s: %s\n", path, p->line,
		       severity_name(p->severity), p->text);
	else
		printf("%s: %s: %s\n", path, severity_name(p->severity),
		       p->text);
}

static struct json_object *check_json(const char *path,
				      const struct problems *p)
{
	struct json_object *o = json_object_new_object();

	output_add_string(o, "file", path);
	output_add_bool(o, "ok", !problems_count(p, PROBLEM_ERROR));
	output_add_number(o, "errors", problems_count(p, PROBLEM_ERROR));
	output_add_number(o, "warnings", problems_count(p, PROBLEM_WARNING));
	json_object_object_add(o, "problems", output_problems(p));
	return o;
}

static int check_file(const char *path, struct json_object *array)
{
	_cleanup_problems_ struct problems problems = { 0 };
	_cleanup_saved_ struct saved saved = { 0 };
	const struct table *t = &saved.table;
	_cleanup_free_ char *text = NULL;
	unsigned int i;

	if (input_read(path, &text))
		return EXIT_FAILED;
	if (saved_is_file(text))
		saved_parse(&saved, text, &problems);
	else
		table_parse(&saved.table, text, &problems);
	lint_table(t, &system_facts, NULL, &problems);
	lint_names(t, &problems);

	if (array)
		json_object_array_add(array, check_json(path, &problems));
	for (i = 0; !array && i < problems.nr; i++)
		check_print_problem(path, &problems.problem[i]);
	if (!array && !problems_count(&problems, PROBLEM_ERROR))
		printf("%s: good: %u target%s, %llu sectors\n", path, t->nr,
		       t->nr == 1 ? "" : "s",
		       (unsigned long long)table_sectors(t));
	return problems_count(&problems, PROBLEM_ERROR) ? EXIT_FAILED : EXIT_OK;
}

int cmd_check(const struct options *o, int argc, char **argv)
{
	struct json_object *out = output_new("check");
	struct json_object *array = json_object_new_array();
	int i, r = EXIT_OK;

	json_object_object_add(out, "files", array);
	for (i = 0; i < argc; i++)
		r |= check_file(argv[i], opt(o, OPT_JSON) ? array : NULL);
	if (opt(o, OPT_JSON))
		output_print(out);
	json_object_put(out);
	return r;
}
