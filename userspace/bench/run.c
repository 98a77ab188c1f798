// SPDX-License-Identifier: GPL-2.0-only
/*
 * Running fio on all rows.
 *
 * The rows take turns, and each round begins with another one, so that a
 * machine that becomes slower does so for all of them.
 */
#include "bench/run.h"

#include <errno.h>
#include <linux/io_uring.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/child.h"
#include "base/log.h"
#include "base/util.h"
#include "system/devmap.h"
#include "bench/rig.h"

#define DEEP	32

/* Containers and sysctls may forbid it. */
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

/* The engine for more than one I/O at a time. */
static int choose_engine(const char **engine)
{
	_cleanup_child_output_ struct child_output out = { 0 };
	_cleanup_command_line_ struct command_line c = { 0 };
	const char *lacking = NULL;
	int r;

	command_line_add(&c, "fio");
	command_line_add(&c, "--enghelp");
	r = run_fio(&c, &out);
	if (r) {
		if (stop_requested())
			log_err("stopped; nothing is left behind");
		return r;
	}
	if (!fio_has_engine(out.out, "io_uring"))
		lacking = "fio";
	else if (!kernel_has_io_uring())
		lacking = "the kernel";
	*engine = lacking ? "libaio" : "io_uring";
	if (lacking)
		log_note("%s does not support io_uring: using libaio", lacking);
	return 0;
}

/* Those that fio inherits: taskset(1) and cgroups may exclude some. */
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
	/* one CPU: the previous workload saturates it already */
	if (b->cpus > 1)
		b->workload[b->nr_workloads++] = (struct workload) {
			write, engine, DEEP, b->cpus
		};
}

/* In a log, one line a round. */
static void progress_in_log(const struct bench *b, unsigned int round)
{
	unsigned int runs = b->nr_workloads * NR_ROWS;

	fprintf(stderr, "round %u of %u: %u runs of %g s\n", round + 1, b->rounds,
		runs, b->run_ms / 1e3);
}

/* On a terminal, one line that is overwritten. */
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

void run_command_line(const struct bench *b, unsigned int workload,
		      enum bench_row row, struct command_line *c)
{
	_cleanup_free_ char *filename = rig_filename(&b->rig, row);
	const struct fio_target target = { filename, b->block, b->run_ms };

	fio_command(c, &b->workload[workload], &target);
}

/* With the first line of what fio printed. */
static void log_failure(const char *what, const char *wrong, const char *stderr_text)
{
	progress_end();
	log_err("fio on %s: %s", what, wrong);
	if (*stderr_text)
		log_err("fio: %.*s", (int)strcspn(stderr_text, "\n"), stderr_text);
}

static int measure_once(struct bench *b, unsigned int workload,
			enum bench_row row, unsigned int round)
{
	_cleanup_child_output_ struct child_output out = { 0 };
	_cleanup_command_line_ struct command_line c = { 0 };
	const char *wrong;
	int r;

	r = rig_check(&b->rig, row);
	if (r)
		return r;
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
		log_failure(rig_title(&b->rig, row), wrong, out.err);
	return wrong ? -EIO : 0;
}

static int measure_round(struct bench *b, unsigned int round)
{
	unsigned int workload, turn;
	int r;

	for (workload = 0; workload < b->nr_workloads; workload++)
		for (turn = 0; turn < NR_ROWS; turn++) {
			enum bench_row row = (round + turn) % NR_ROWS;

			progress(b, workload, row, round,
				 (round * b->nr_workloads + workload) * NR_ROWS + turn);
			r = stop_requested() ? -EINTR :
			    measure_once(b, workload, row, round);
			if (r)
				return r;
		}
	return 0;
}

static int measure_all(struct bench *b)
{
	unsigned int round;
	int r;

	for (round = 0; round < b->rounds; round++) {
		if (!isatty(STDERR_FILENO))
			progress_in_log(b, round);
		r = measure_round(b, round);
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

int run_bench(struct bench *b)
{
	int left, r = rig_make(&b->rig);

	if (!r) {
		r = measure_all(b);
		progress_end();
		b->has_status = !rig_status(&b->rig, &b->status);
		b->module_version = find_module_version(
			rig_target(&b->rig, ROW_NOCLONE));
	}
	left = rig_remove(&b->rig);
	if (stop_requested())
		log_err("stopped; %s", left ? "not everything could be cleaned up" :
			"nothing is left behind");
	if (!r)
		r = stop_requested() ? -EINTR : left;
	return r;
}

int run_choose_workloads(struct bench *b)
{
	const char *engine;
	int r = choose_engine(&engine);

	if (r)
		return r;
	b->block = rig_block(&b->rig);
	b->cpus = count_cpus();
	add_workloads(b, engine, false);
	if (b->rig.write)
		add_workloads(b, engine, true);
	b->result = xzalloc(sizeof(*b->result) * b->nr_workloads * NR_ROWS *
			    b->rounds);
	return 0;
}
