// SPDX-License-Identifier: GPL-2.0-only
/* noclone doctor: what keeps this machine from using the fast path. */
#include <json-c/json.h>

#include "model/doctor.h"
#include "system/doctor-facts.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cmd/cmd.h"

static void doctor_print_json(const struct findings *f, enum finding_level least)
{
	struct json_object *out = output_new("doctor");

	output_add_judgement(out, f, least);
	output_print(out);
	json_object_put(out);
}

int cmd_doctor(const struct options *o, int argc __unused, char **argv __unused)
{
	_cleanup_doctor_facts_ struct doctor_facts facts = { .tool = TOOL_VERSION };
	_cleanup_findings_ struct findings findings = { 0 };
	enum finding_level least = opt(o, OPT_QUIET) ? FINDING_ERROR : FINDING_OK;

	doctor_gather(&facts);
	doctor_judge(&facts, &findings);
	if (opt(o, OPT_JSON))
		doctor_print_json(&findings, least);
	else
		findings_print(&findings, NULL, least);
	return findings_count(&findings, FINDING_ERROR) ? EXIT_FAILED : EXIT_OK;
}
