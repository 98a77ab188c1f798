// SPDX-License-Identifier: GPL-2.0-only
/* noclone doctor: what keeps this machine from using the fast path. */
#include <json-c/json.h>
#include <stdio.h>

#include "model/doctor.h"
#include "system/doctor-facts.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/version.h"
#include "cmd/cmd.h"

static bool doctor_is_shown(const struct options *o, const struct finding *f)
{
	return !opt(o, OPT_QUIET) || f->level == FINDING_PROBLEM;
}

static struct json_object *doctor_finding_json(const struct finding *f)
{
	struct json_object *o = json_object_new_object();

	output_add_string(o, "level", finding_level_name(f->level));
	output_add_string(o, "check", f->check);
	output_add_string(o, "what", f->what);
	output_add_string(o, "text", f->text);
	output_add_string(o, "fix", f->fix);
	return o;
}

static void doctor_print_json(const struct options *o, const struct findings *f)
{
	struct json_object *out = output_new("doctor");
	struct json_object *array = json_object_new_array();
	unsigned int i;

	for (i = 0; i < f->nr; i++)
		if (doctor_is_shown(o, &f->finding[i]))
			json_object_array_add(array, doctor_finding_json(&f->finding[i]));
	output_add_bool(out, "ok", !findings_count(f, FINDING_PROBLEM));
	output_add_number(out, "problems", findings_count(f, FINDING_PROBLEM));
	output_add_number(out, "warnings", findings_count(f, FINDING_WARNING));
	json_object_object_add(out, "findings", array);
	output_print(out);
	json_object_put(out);
}

static void doctor_print_lines(const struct options *o, const struct findings *f)
{
	unsigned int i;

	for (i = 0; i < f->nr; i++) {
		_cleanup_free_ char *line = finding_print(&f->finding[i]);

		if (doctor_is_shown(o, &f->finding[i]))
			puts(line);
	}
}

int cmd_doctor(const struct options *o, int argc __unused, char **argv __unused)
{
	_cleanup_doctor_facts_ struct doctor_facts facts = { .tool = TOOL_VERSION };
	_cleanup_findings_ struct findings findings = { 0 };

	doctor_gather(&facts);
	doctor_judge(&facts, &findings);
	if (opt(o, OPT_JSON))
		doctor_print_json(o, &findings);
	else
		doctor_print_lines(o, &findings);
	return findings_count(&findings, FINDING_PROBLEM) ? EXIT_FAILED : EXIT_OK;
}
