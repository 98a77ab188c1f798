// SPDX-License-Identifier: GPL-2.0-only
/* noclone check: look for mistakes in table files. */
#include <json-c/json.h>

#include "base/util.h"
#include "model/finding.h"
#include "model/lint.h"
#include "model/saved.h"
#include "model/table-text.h"
#include "model/table.h"
#include "system/lookup.h"
#include "cli/build.h"
#include "cli/output.h"
#include "cmd/cmd.h"

static int check_file(const char *path, struct json_object *array)
{
	_cleanup_findings_ struct findings findings = { 0 };
	_cleanup_saved_ struct saved saved = { 0 };
	const struct table *t = &saved.table;
	_cleanup_free_ char *text = NULL;
	struct json_object *o;
	int r;

	if (build_read_input(path, &text))
		return EXIT_FAILED;
	if (saved_is_file(text))
		saved_parse(&saved, text, &findings);
	else
		table_parse(&saved.table, text, &findings);
	lint_table(t, &system_facts, 0, &findings);
	lint_types(t, FINDING_WARNING, &findings);
	lint_names(t, &system_facts, &findings);

	r = findings_count(&findings, FINDING_ERROR) ? EXIT_FAILED : EXIT_OK;
	if (r == EXIT_OK)
		finding_at(&findings, FINDING_OK, 0, "%u target%s, %llu sectors", t->nr,
			   t->nr == 1 ? "" : "s", (unsigned long long)table_sectors(t));
	if (!array) {
		output_print_findings(&findings, path, FINDING_OK);
		return r;
	}
	o = json_object_new_object();
	output_add_string(o, "file", path);
	output_add_judgement(o, &findings, FINDING_OK);
	json_object_array_add(array, o);
	return r;
}

int cmd_check(const struct options *o, int argc, char **argv)
{
	struct json_object *out = output_new("check");
	struct json_object *array = json_object_new_array();
	int i, r = EXIT_OK;

	json_object_object_add(out, "files", array);
	for (i = 0; i < argc; i++)
		r |= check_file(argv[i], opt(o, OPT_JSON) ? array : NULL);
	output_print(o, out);
	return r;
}
