// SPDX-License-Identifier: GPL-2.0-only
/*
 * noclone bench: is it worth it on this disk?
 *
 * All rows are measured in turns, and each round begins with another one: so a
 * machine that slows down does so for all of them.
 */
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
#include "model/status.h"
#include "system/devmap.h"
#include "cli/options.h"
#include "cli/output.h"
#include "bench/bench.h"
#include "bench/fio.h"
#include "bench/rig.h"
#include "cmd/cmd.h"

#define DEEP	32

/* Does the kernel let us?  Containers and sysctls may not. */
static bool kernel_has_io_uring(void)
{
	struct io_uring_params params = { 0 };
	int fd = syscall(__NR_io_uring_setup, 1, &params);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

static int run_fio(struct command_line *c, struct child_output *out)
{
	int r = child_run(c->word, out);

	if (r == -ENOENT)
		log_err("fio is not installed: it is in the package \"fio\"");
	else if (r && r != -EINTR)
		log_err("cannot run fio: %s", strerror(-r));
	return r;
}

/* The engine for more than one I/O at a time; NULL if there is no fio. */
static const char *choose_engine(void)
{
	_cleanup_child_output_ struct child_output out = { 0 };
	_cleanup_command_line_ struct command_line c = { 0 };
	const char *lacking = NULL;

	command_line_add(&c, "fio");
	command_line_add(&c, "--enghelp");
	if (run_fio(&c, &out)) {
		if (stop_wanted())
			log_err("stopped; nothing is left behind");
		return NULL;
	}
	if (!fio_has_engine(out.out, "io_uring"))
		lacking = "fio";
	else if (!kernel_has_io_uring())
		lacking = "the kernel";
	if (!lacking)
		return "io_uring";
	log_note("%s does not offer io_uring: libaio takes its place", lacking);
	return "libaio";
}

/* Those that fio will have as well: taskset(1) and cgroups may take some. */
static unsigned int count_cpus(void)
{
	cpu_set_t set;

	if (sched_getaffinity(0, sizeof(set), &set))
		return MAX(sysconf(_SC_NPROCESSORS_ONLN), 1);
	return CPU_COUNT(&set);
}

static void add_workloads(struct bench *b, const char *engine, bool write)
{
	b->workload[b->nr_workloads++] = (struct workload) {
		write, "psync", 1, 1
	};
	b->workload[b->nr_workloads++] = (struct workload) {
		write, engine, DEEP, 1
	};
	/* with one processor that was the saturation */
	if (b->cpus > 1)
		b->workload[b->nr_workloads++] = (struct workload) {
			write, engine, DEEP, b->cpus
		};
}

/* One line that is written over; nothing for a log file. */
static void progress(const struct bench *b, unsigned int workload,
		     enum bench_row row, unsigned int round, unsigned int done)
{
	_cleanup_free_ char *title = workload_title(&b->workload[workload],
						    b->block);

	if (isatty(STDERR_FILENO))
		fprintf(stderr, "\r\033[Kround %u of %u: %s: %s (%u of %u)",
			round + 1, b->rounds, title, rig_title(&b->rig, row),
			done + 1, b->rounds * b->nr_workloads * NR_ROWS);
}

static void progress_end(void)
{
	if (isatty(STDERR_FILENO))
		fputs("\r\033[K", stderr);
}

static void run_command_line(const struct bench *b, unsigned int workload,
			     enum bench_row row, struct command_line *c)
{
	_cleanup_free_ char *filename = rig_filename(&b->rig, row);
	const struct fio_target target = { filename, b->block, b->run_ms };

	fio_command(c, &b->workload[workload], &target);
}

/* First line of what fio said. */
static void tell_failure(const char *what, const char *wrong, const char *said)
{
	progress_end();
	log_err("fio on %s: %s", what, wrong);
	if (*said)
		log_err("fio said: %.*s", (int)strcspn(said, "\n"), said);
}

static int measure_once(struct bench *b, unsigned int workload,
			enum bench_row row, unsigned int round)
{
	_cleanup_child_output_ struct child_output out = { 0 };
	_cleanup_command_line_ struct command_line c = { 0 };
	const char *wrong;
	int r;

	if (!rig_is_sound(&b->rig, row))
		return -ENOTBLK;
	run_command_line(b, workload, row, &c);
	r = run_fio(&c, &out);
	if (r)
		return r;
	wrong = fio_parse(out.out, b->workload[workload].write,
			  bench_result(b, workload, row, round),
			  &b->fio_version);
	if (!wrong && (!WIFEXITED(out.status) || WEXITSTATUS(out.status)))
		wrong = "it failed";
	if (wrong)
		tell_failure(rig_title(&b->rig, row), wrong, out.err);
	return wrong ? -EIO : 0;
}

static int measure_all(struct bench *b)
{
	unsigned int round, workload, turn, done = 0;
	int r = 0;

	for (round = 0; round < b->rounds; round++)
		for (workload = 0; workload < b->nr_workloads; workload++)
			for (turn = 0; turn < NR_ROWS; turn++) {
				enum bench_row row = (round + turn) % NR_ROWS;

				progress(b, workload, row, round, done++);
				r = stop_wanted() ? -EINTR :
				    measure_once(b, workload, row, round);
				if (r)
					return r;
			}
	return 0;
}

static char *find_module_version(const char *target)
{
	struct devmap_version *v;
	char *found = NULL;
	unsigned int i, nr;

	if (devmap_target_versions(&v, &nr))
		return NULL;
	for (i = 0; i < nr; i++) {
		if (!strcmp(v[i].name, target))
			found = xasprintf("%u.%u.%u", v[i].number[0],
					  v[i].number[1], v[i].number[2]);
		free(v[i].name);
	}
	free(v);
	return found;
}

/* The devices exist in here only. */
static int measure(struct bench *b)
{
	bool gone;
	int r = rig_make(&b->rig);

	if (!r) {
		r = measure_all(b);
		progress_end();
		b->has_status = rig_status(&b->rig, &b->status);
		b->module_version = find_module_version(
			rig_target(&b->rig, ROW_NOCLONE));
	}
	gone = rig_remove(&b->rig);
	if (stop_wanted())
		log_err("stopped; %s", gone ? "nothing is left behind" :
			"not everything could be cleaned up");
	return !r && gone && !stop_wanted() ? EXIT_OK : EXIT_FAILED;
}

/* Find out before and not after some minutes. */
static bool can_write_to(const char *path)
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
	if (wrong)
		log_err("--output %s: %s", path, wrong);
	return !wrong;
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
	struct json_object *json = bench_json(b);
	int r = EXIT_OK;

	if (o->output)
		r = keep(json, o->output);
	if (opt(o, OPT_JSON))
		output_print(json);
	else
		bench_print(b);
	if (then)
		bench_compare(then, json, o->compare);
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

/* Every round is the same lines, in other turns. */
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

static bool good_options(const struct options *o)
{
	const char *wrong = NULL;

	if (opt(o, OPT_YES_DESTROY) && !opt(o, OPT_WRITE))
		wrong = "--yes-destroy is for --write";
	else if (opt(o, OPT_JSON) && opt(o, OPT_COMPARE))
		wrong = "--compare prints words: no --json besides it";
	if (wrong)
		log_err("%s", wrong);
	return !wrong;
}

static int choose_workloads(struct bench *b)
{
	const char *engine = choose_engine();

	if (!engine)
		return EXIT_FAILED;
	b->block = rig_block(&b->rig);
	b->cpus = count_cpus();
	add_workloads(b, engine, false);
	if (b->rig.write)
		add_workloads(b, engine, true);
	b->result = xzalloc(sizeof(*b->result) * b->nr_workloads * NR_ROWS *
			    b->rounds);
	return EXIT_OK;
}

static int bench(const struct options *o, struct bench *b,
		 struct json_object *then)
{
	int r;

	stop_hold();
	r = choose_workloads(b);
	if (!r && !opt(o, OPT_DRY_RUN))
		r = measure(b);
	stop_release();
	if (r)
		return r;
	return opt(o, OPT_DRY_RUN) ? print_plan(o, b) : report(o, b, then);
}

static void bench_free(struct bench *b)
{
	rig_free(&b->rig);
	free(b->result);
	free(b->fio_version);
	free(b->module_version);
	status_free(&b->status);
}

int cmd_bench(const struct options *o, int argc, char **argv)
{
	struct bench b = { .rounds = o->rounds, .run_ms = o->run_ms };
	struct json_object *then = NULL;
	int r = EXIT_FAILED;

	if (!good_options(o))
		return EXIT_USAGE;
	if (o->compare)
		then = bench_compare_load(o->compare);
	if ((!o->compare || then) &&
	    (!o->output || can_write_to(o->output)))
		r = rig_prepare(&b.rig, o, argc, argv);
	if (!r)
		r = bench(o, &b, then);
	bench_free(&b);
	json_object_put(then);
	return r;
}
