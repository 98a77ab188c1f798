// SPDX-License-Identifier: GPL-2.0-only
/*
 * noclone bench: check the devices, and start a script that measures them with fio. The script gets
 * the planned table as an argument, because it cannot plan a table itself. The script also relies
 * on the checks of this command: all devices are different, and none of them is in use.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/child.h"
#include "base/log.h"
#include "base/util.h"
#include "model/finding.h"
#include "model/lint.h"
#include "model/plan.h"
#include "model/table-target.h"
#include "model/table.h"
#include "system/guard.h"
#include "system/lookup.h"
#include "system/identity.h"
#include "cli/output.h"
#include "cmd/cmd.h"

#define BENCH_SCRIPT	SHARE_DIR "/bench"
#define DEFAULT_CHUNK	128	/* 64K */

static void bench_plan(const struct options *o, int argc, char **argv, struct table *t,
		       struct findings *findings)
{
	struct plan_request req = {
		.kind = argc > 1 ? TARGET_STRIPED : TARGET_LINEAR,
		.legs = xzalloc(argc * sizeof(*req.legs)),
		.nr_legs = argc,
		.chunk = argc == 1 ? 0 : o->chunk ? o->chunk : DEFAULT_CHUNK,
	};
	int i;

	for (i = 0; i < argc; i++)
		req.legs[i].device = xstrdup(argv[i]);
	plan_table(&req, &system_facts, t, findings);
	plan_request_free(&req);
}

/* Check the devices. Data on them does not matter, because nothing is written. */
static bool bench_check(const struct options *o, int argc, char **argv, struct table *t)
{
	const struct guard guard = {
		.exclusive = !opt(o, OPT_DRY_RUN), .any_signature = true, .readonly = true,
	};
	_cleanup_findings_ struct findings findings = { 0 };

	bench_plan(o, argc, argv, t, &findings);
	lint_table(t, &system_facts, 0, &findings);
	guard_table(t, &guard, &findings);
	output_log_findings(&findings, "bench", FINDING_ERROR);
	return !findings_count(&findings, FINDING_ERROR);
}

/*
 * Start the script. The comment at the beginning of the script describes its arguments. This
 * function returns only after an error.
 */
static void bench_exec(const struct options *o, const struct table *t)
{
	const struct target *target = &t->targets[0];
	char *words[target->nr_legs + 8];
	unsigned int i, nr = 0;

	words[nr++] = xstrdup(BENCH_SCRIPT);
	words[nr++] = xasprintf("%d", NOCLONE_JSON_SCHEMA);
	words[nr++] = xstrdup(TOOL_VERSION);
	words[nr++] = xasprintf("%u", o->run_ms);
	words[nr++] = target_print(target, true, NULL);
	words[nr++] = xstrdup(opt(o, OPT_DRY_RUN) ? "dry-run" : "");
	words[nr++] = xstrdup(opt(o, OPT_JSON) ? "json" : "");
	for (i = 0; i < target->nr_legs; i++)
		words[nr++] = target->legs[i].device;
	words[nr] = NULL;
	child_set_folders();
	execv(BENCH_SCRIPT, words);
	log_err("cannot run %s: %s", BENCH_SCRIPT, strerror(errno));
}

int cmd_bench(const struct options *o, int argc, char **argv)
{
	int r = opt(o, OPT_DRY_RUN) ? 0 : devmap_permitted();
	_cleanup_table_ struct table t = { 0 };

	if (argc == 1 && opt(o, OPT_CHUNK)) {
		log_err("--chunk is only for several devices");
		return EXIT_USAGE;
	}
	if (!bench_check(o, argc, argv, &t))
		return EXIT_FAILED;
	/* replace the names of devices by paths that fio can open */
	table_rename_devices(&t, identity_path);
	if (r)
		log_err("measuring through mapped devices failed: %s", devmap_reason(r));
	else
		bench_exec(o, &t);
	return EXIT_FAILED;
}
