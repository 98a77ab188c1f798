// SPDX-License-Identifier: GPL-2.0-only
/* noclone bench: compare devices raw, through stock dm and through noclone. */
#include <errno.h>
#include <json-c/json.h>
#include <linux/io_uring.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/child.h"
#include "base/log.h"
#include "base/util.h"
#include "system/devmap.h"
#include "cli/options.h"
#include "cli/output.h"
#include "bench/compare.h"
#include "bench/fio.h"
#include "bench/measurement.h"
#include "bench/report-json.h"
#include "bench/report.h"
#include "bench/rig.h"
#include "bench/run.h"
#include "cmd/cmd.h"

/* Before the measurement, which takes minutes. */
static int check_output(const char *path)
{
	_cleanup_free_ char *folder = xstrdup(path);
	char *slash = strrchr(folder, '/');
	const char *wrong = NULL;
	struct stat st;

	if (slash)
		slash[slash == folder] = 0;
	if (!stat(path, &st)) {
		if (!S_ISREG(st.st_mode))
			wrong = "not a regular file";
		else if (access(path, W_OK))
			wrong = strerror(errno);
	} else if (errno != ENOENT || access(slash ? folder : ".", W_OK)) {
		wrong = strerror(errno);
	}
	if (!wrong)
		return EXIT_OK;
	log_err("--output %s: %s", path, wrong);
	return EXIT_FAILED;
}

static int keep(struct json_object *json, const char *path)
{
	FILE *file = fopen(path, "we");
	bool bad = !file;

	if (file) {
		fprintf(file, "%s\n", json_object_to_json_string_ext(json,
			JSON_C_TO_STRING_PRETTY |
			JSON_C_TO_STRING_NOSLASHESCAPE));
		bad = ferror(file);
		bad |= fclose(file);
	}
	if (bad)
		log_err("--output %s: %s", path, strerror(errno));
	return bad ? EXIT_FAILED : EXIT_OK;
}

static int report(const struct options *o, const struct bench *b,
		  struct json_object *then)
{
	struct json_object *json = report_json(b);
	int r = EXIT_OK;

	if (o->output)
		r = keep(json, o->output);
	if (opt(o, OPT_JSON))
		output_print(json);
	else
		report_print(b);
	if (then)
		compare_print(then, json, o->compare);
	json_object_put(json);
	return r;
}

static struct json_object *dry_run_fio(const struct bench *b)
{
	struct json_object *lines = json_object_new_array();
	unsigned int i, row;

	for (i = 0; i < b->nr_workloads; i++)
		for (row = 0; row < NR_ROWS; row++) {
			_cleanup_command_line_ struct command_line c = { 0 };
			_cleanup_free_ char *text = NULL;

			run_command_line(b, i, row, &c);
			text = command_line_text(&c);
			json_object_array_add(lines, output_string(text));
		}
	return lines;
}

static void print_lines(struct json_object *lines)
{
	size_t i;

	for (i = 0; i < json_object_array_length(lines); i++)
		puts(json_object_get_string(json_object_array_get_idx(lines, i)));
}

/* Every round has the same command lines in another order. */
static int print_plan(const struct options *o, const struct bench *b)
{
	struct json_object *out = output_new("bench"), *fio = dry_run_fio(b);
	struct json_object *dmsetup = json_object_new_array();
	unsigned int row;

	for (row = ROW_STOCK; row < NR_ROWS; row++) {
		_cleanup_free_ char *line = rig_dmsetup(&b->rig, row);

		json_object_array_add(dmsetup, output_string(line));
	}
	output_add_bool(out, "dry_run", true);
	json_object_object_add(out, "dmsetup", dmsetup);
	json_object_object_add(out, "fio", fio);
	if (opt(o, OPT_JSON)) {
		output_print(out);
	} else {
		print_lines(dmsetup);
		print_lines(fio);
	}
	json_object_put(out);
	return EXIT_OK;
}

static const char *usage_problem(const struct options *o, int argc)
{
	if (opt(o, OPT_YES_DESTROY) && !opt(o, OPT_WRITE))
		return "--yes-destroy is for --write";
	if (opt(o, OPT_JSON) && opt(o, OPT_COMPARE))
		return "--compare prints text: it cannot be combined with --json";
	if (argc == 1 && opt(o, OPT_CHUNK))
		return "--chunk is for several devices";
	return NULL;
}

static int bench(const struct options *o, struct bench *b,
		 struct json_object *then)
{
	int r;

	r = opt(o, OPT_DRY_RUN) ? 0 : devmap_permitted();
	if (r) {
		log_err("measuring through mapped devices failed: %s", devmap_reason(r));
		return EXIT_FAILED;
	}
	stop_hold();
	r = run_choose_workloads(b);
	if (!r && !opt(o, OPT_DRY_RUN))
		r = run_bench(b);
	stop_release();
	if (r)
		return EXIT_FAILED;
	return opt(o, OPT_DRY_RUN) ? print_plan(o, b) : report(o, b, then);
}

int cmd_bench(const struct options *o, int argc, char **argv)
{
	struct bench b = { .rounds = o->rounds, .run_ms = o->run_ms };
	const char *wrong = usage_problem(o, argc);
	struct json_object *then = NULL;
	int r = EXIT_FAILED;

	if (wrong) {
		log_err("%s", wrong);
		return EXIT_USAGE;
	}
	if ((!o->compare || !compare_load(o->compare, &then)) &&
	    (!o->output || !check_output(o->output)) &&
	    !rig_prepare(&b.rig, o, argc, argv))
		r = bench(o, &b, then);
	bench_free(&b);
	json_object_put(then);
	return r;
}
