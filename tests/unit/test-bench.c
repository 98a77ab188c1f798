// SPDX-License-Identifier: GPL-2.0-only
/* noclone bench: the arithmetic, fio's words, signals, and earlier results. */
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <json-c/json.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/child.h"
#include "base/util.h"
#include "model/status.h"
#include "bench/compare.h"
#include "bench/fio.h"
#include "bench/measurement.h"
#include "bench/rig.h"
#include "bench/stats.h"

#define NEAR	1e-9

static void figures(void **state __unused)
{
	static const double odd[] = { 5, 1, 100, 2, 3 };
	static const double even[] = { 4, 1, 3, 2 };
	struct figure f = figure_of(odd, 5);

	assert_float_equal(f.median, 3, NEAR);
	assert_float_equal(f.spread, 2, NEAR);
	f = figure_of(even, 4);
	assert_float_equal(f.median, 2.5, NEAR);
	assert_float_equal(f.spread, 1, NEAR);
	f = figure_of(odd, 1);
	assert_float_equal(f.median, 5, NEAR);
	assert_float_equal(f.spread, 0, NEAR);
	f = figure_of(NULL, 0);
	assert_float_equal(f.median, 0, NEAR);
}

/* What was measured stays in the order of the rounds. */
static void figures_leave_the_rounds_alone(void **state __unused)
{
	double value[] = { 3, 1, 2 };

	figure_of(value, 3);
	assert_float_equal(value[0], 3, NEAR);
	assert_float_equal(value[1], 1, NEAR);
}

/* One disturbed run of seven says nothing. */
static void one_outlier_decides_nothing(void **state __unused)
{
	static const double calm[] = { 10.0, 10.1, 9.9, 10.0, 10.1, 9.9, 10.0 };
	static const double wild[] = { 10.0, 10.1, 9.9, 990, 10.1, 9.9, 10.0 };
	struct figure a = figure_of(calm, 7), b = figure_of(wild, 7);

	assert_int_equal(verdict_of(&a, &b, 7).kind, VERDICT_NONE);
}

static void verdict_is(double base, double base_spread, double ours,
		       double spread, unsigned int rounds,
		       enum verdict_kind kind, const char *expected)
{
	struct figure a = { base, base_spread }, b = { ours, spread };
	struct verdict v = verdict_of(&a, &b, rounds);
	_cleanup_free_ char *text = verdict_text(&v, "stock",
						 "at queue depth 1");

	assert_int_equal(v.kind, kind);
	assert_string_equal(text, expected);
}

static void verdicts(void **state __unused)
{
	verdict_is(10, 0.01, 9.79, 0.02, 7, VERDICT_LESS,
		   "0.21 +- 0.03 us less per I/O than stock: 2.1 % at queue depth 1");
	verdict_is(10, 0.01, 10.21, 0.02, 7, VERDICT_MORE,
		   "0.21 +- 0.03 us more per I/O than stock: 2.1 % at queue depth 1");
	verdict_is(10, 0.1, 9.95, 0.1, 7, VERDICT_NONE,
		   "no difference beyond the noise (-0.05 +- 0.20 us)");
	verdict_is(10, 0.01, 5, 0.01, 4, VERDICT_FEW_ROUNDS,
		   "too few rounds for a verdict, it takes 5 (-5.00 +- 0.02 us)");
}

/* The border belongs to the noise; so do two equal sides without any. */
static void verdicts_at_the_border(void **state __unused)
{
	struct figure a = { 10, 0.5 }, b = { 12, 0.5 }, c = { 12.1, 0.5 };
	struct figure still = { 10, 0 }, zero = { 0, 0 };

	assert_int_equal(verdict_of(&a, &b, 7).kind, VERDICT_NONE);
	assert_int_equal(verdict_of(&a, &c, 7).kind, VERDICT_MORE);
	assert_int_equal(verdict_of(&still, &still, 7).kind, VERDICT_NONE);
	assert_float_equal(verdict_of(&zero, &a, 7).percent, 0, NEAR);
}

static void verdict_names_differ(void **state __unused)
{
	assert_string_equal(verdict_name(VERDICT_FEW_ROUNDS), "few-rounds");
	assert_string_equal(verdict_name(VERDICT_NONE), "none");
	assert_string_equal(verdict_name(VERDICT_LESS), "less");
	assert_string_equal(verdict_name(VERDICT_MORE), "more");
}

static char *command_of(bool write, const char *filename)
{
	const struct workload w = { write, "libaio", 32, 4 };
	const struct fio_target target = { filename, 4096, 500 };
	_cleanup_command_line_ struct command_line c = { 0 };

	fio_command(&c, &w, &target);
	assert_null(c.word[c.nr]);
	return command_line_text(&c);
}

static void fio_never_makes_a_file(void **state __unused)
{
	_cleanup_free_ char *reads = command_of(false, "/dev/a");
	_cleanup_free_ char *writes = command_of(true, "/dev/a");

	assert_non_null(strstr(reads, " --readonly "));
	assert_non_null(strstr(reads, " --rw=randread "));
	assert_null(strstr(writes, "--readonly"));
	assert_non_null(strstr(writes, " --rw=randwrite "));
	assert_non_null(strstr(reads, " --allow_file_create=0 "));
	assert_non_null(strstr(writes, " --allow_file_create=0 "));
	assert_non_null(strstr(reads, " --runtime=500ms "));
	assert_non_null(strstr(reads, " --iodepth=32 --numjobs=4 --filename=/dev/a"));
}

static void fio_filenames(void **state __unused)
{
	char *name = fio_filename(NULL, "/dev/a");

	assert_string_equal(name, "/dev/a");
	name = fio_filename(name, "/dev/disk/by-path/pci-0:1\\2");
	assert_string_equal(name, "/dev/a:/dev/disk/by-path/pci-0\\:1\\\\2");
	free(name);
}

static void fio_engines(void **state __unused)
{
	static const char help[] = "Available IO engines:\n\tpsync\n\tio_uring_cmd\n";

	assert_true(fio_has_engine(help, "psync"));
	assert_false(fio_has_engine(help, "io_uring"));
	assert_false(fio_has_engine("", "psync"));
}

#define JOB(error, ios, more)						\
	"{\"fio version\": \"fio-3.33\", \"jobs\": [{\"error\": " error ", "	\
	"\"read\": {\"total_ios\": " ios ", \"iops\": 50000.5, "		\
	"\"lat_ns\": {\"mean\": 19500.5}}, \"write\": {}, "			\
	"\"usr_cpu\": 10.5, \"sys_cpu\": 30" more "}]}"
#define REST	", \"job_runtime\": 2000, \"ctx\": 100050"

static void fio_results(void **state __unused)
{
	_cleanup_free_ char *version = NULL;
	struct fio_result r = { 0 };

	assert_null(fio_parse(JOB("0", "100000", REST), false, &r, &version));
	assert_string_equal(version, "fio-3.33");
	assert_float_equal(r.value[MEASURE_IOPS], 50000.5, NEAR);
	assert_float_equal(r.value[MEASURE_LATENCY], 19.5005, NEAR);
	/* 40.5 % of 2 s for 100,000 I/Os */
	assert_float_equal(r.value[MEASURE_CPU], 8.1, NEAR);
	assert_float_equal(r.value[MEASURE_SWITCHES], 1.0005, NEAR);
	assert_float_equal(r.value[MEASURE_TIME], 1e6 / 50000.5, NEAR);
	assert_null(fio_parse("fio: a remark {\n" JOB("0", "1", REST), false,
			      &r, &version));
}

static void fio_wrong_results(void **state __unused)
{
	static const char * const texts[] = {
		"", "{", "fio: engine not loadable", "{}", "{\"jobs\": []}",
		"{\"jobs\": {}}", "{\"jobs\": [7]}", JOB("5", "100", REST),
		JOB("0", "0", REST), JOB("0", "100", ""),
		JOB("0", "\"100\"", REST),
	};
	_cleanup_free_ char *version = NULL;
	struct fio_result r;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(texts); i++)
		if (!fio_parse(texts[i], false, &r, &version))
			fail_msg("taken for a result: %s", texts[i]);
	assert_non_null(fio_parse(JOB("0", "100", REST), true, &r, &version));
}

static void workload_words(void **state __unused)
{
	const struct workload one = { false, "psync", 1, 1 };
	const struct workload many = { true, "io_uring", 32, 8 };
	_cleanup_free_ char *a = workload_name(&one), *b = workload_name(&many);
	_cleanup_free_ char *c = workload_title(&one, 512);
	_cleanup_free_ char *d = workload_title(&many, 4096);
	_cleanup_free_ char *e = workload_where(&one);
	_cleanup_free_ char *f = workload_where(&many);

	assert_string_equal(a, "randread-psync-qd1");
	assert_string_equal(b, "randwrite-io_uring-qd32-jobs8");
	assert_string_equal(c, "1s random reads, queue depth 1, psync");
	assert_string_equal(d, "4K random writes, queue depth 32, io_uring, 8 jobs");
	assert_string_equal(e, "at queue depth 1");
	assert_string_equal(f, "at queue depth 32 with 8 jobs");
}

static void fast_shares(void **state __unused)
{
	static const char * const lines[] = {
		"fastpath on 6 fast 990 reserve 5 clones 5",
		"fastpath on 6 fast 900 reserve 0 clones 100",
		"fastpath off:message 6 fast 1000 reserve 0 clones 0",
	};
	static const bool fast[] = { true, false, false };
	struct bench b = { .has_status = true };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(lines); i++) {
		assert_int_equal(status_parse(&b.status, lines[i]), 0);
		assert_int_equal(bench_was_fast(&b), fast[i]);
		status_free(&b.status);
	}
	assert_float_equal(bench_fast_share(&b.status), 0, NEAR);
	b.has_status = false;
	assert_false(bench_was_fast(&b));
}

/* Round i of row r of workload w is 100 * w + 10 * r + i. */
static void fill(struct bench *b, struct fio_result *result)
{
	unsigned int w, r, i, m;

	b->result = result;
	for (w = 0; w < b->nr_workloads; w++)
		for (r = 0; r < NR_ROWS; r++)
			for (i = 0; i < b->rounds; i++)
				for (m = 0; m < NR_MEASURES; m++)
					bench_result(b, w, r, i)->value[m] =
						100 * w + 10 * r + i;
}

static void rounds_rows_and_workloads_do_not_mix(void **state __unused)
{
	struct fio_result result[2 * NR_ROWS * 5];
	struct bench b = { .rounds = 5, .nr_workloads = 2 };
	struct verdict v;
	struct figure f;

	fill(&b, result);
	f = bench_figure(&b, 0, ROW_RAW, MEASURE_IOPS);
	assert_float_equal(f.median, 2, NEAR);
	assert_float_equal(f.spread, 1, NEAR);
	f = bench_figure(&b, 1, ROW_NOCLONE, MEASURE_TIME);
	assert_float_equal(f.median, 122, NEAR);
	v = bench_verdict(&b, 1, MEASURE_TIME);
	assert_int_equal(v.kind, VERDICT_MORE);
	assert_float_equal(v.difference, 10, NEAR);
	assert_float_equal(result[2 * NR_ROWS * 5 - 1].value[0], 124, NEAR);
}

static void child_output_is_kept(void **state __unused)
{
	char *argv[] = { "sh", "-c", "echo out; echo err >&2; exit 3", NULL };
	_cleanup_child_output_ struct child_output o;

	stop_hold();
	assert_int_equal(child_run(argv, &o), 0);
	stop_release();
	assert_string_equal(o.out, "out\n");
	assert_string_equal(o.err, "err\n");
	assert_int_equal(WEXITSTATUS(o.status), 3);
}

static void child_that_is_missing(void **state __unused)
{
	char *argv[] = { "/no/such/program", NULL };
	_cleanup_child_output_ struct child_output o;

	stop_hold();
	assert_int_equal(child_run(argv, &o), -ENOENT);
	stop_release();
}

/* Also one that came before there was a child. */
static void child_is_stopped(void **state __unused)
{
	char *argv[] = { "sleep", "60", NULL };
	_cleanup_child_output_ struct child_output o;

	stop_hold();
	assert_false(stop_requested());
	raise(SIGTERM);
	assert_int_equal(child_run(argv, &o), -EINTR);
	assert_int_equal(WTERMSIG(o.status), SIGTERM);
	assert_true(stop_requested());
	raise(SIGINT);
	stop_release();
}

static bool is_taken(const char *json)
{
	char path[] = "/tmp/noclone-unit-XXXXXX";
	int fd = mkstemp(path);
	struct json_object *o;
	int r;

	assert_int_equal(write(fd, json, strlen(json)), strlen(json));
	close(fd);
	r = compare_load(path, &o);
	unlink(path);
	assert_int_equal(!r, !!o);
	json_object_put(o);
	return !r;
}

static void earlier_results(void **state __unused)
{
	struct json_object *o;

	assert_true(is_taken("{\"schema\": 1, \"command\": \"bench\", \"workloads\": []}"));
	assert_true(is_taken("{\"schema\": 2, \"command\": \"bench\", \"workloads\": []}"));
	assert_false(is_taken("{\"schema\": 0, \"command\": \"bench\", \"workloads\": []}"));
	assert_false(is_taken("{\"schema\": 3, \"command\": \"bench\", \"workloads\": []}"));
	assert_false(is_taken("{\"schema\": \"1\", \"command\": \"bench\", \"workloads\": []}"));
	assert_false(is_taken("{\"schema\": 1, \"command\": \"list\", \"workloads\": []}"));
	assert_false(is_taken("{\"schema\": 1, \"command\": \"bench\"}"));
	assert_false(is_taken("[]"));
	assert_false(is_taken("nonsense"));
	assert_int_equal(compare_load("/no/such/file", &o), -ENOENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(figures),
		cmocka_unit_test(figures_leave_the_rounds_alone),
		cmocka_unit_test(one_outlier_decides_nothing),
		cmocka_unit_test(verdicts),
		cmocka_unit_test(verdicts_at_the_border),
		cmocka_unit_test(verdict_names_differ),
		cmocka_unit_test(fio_never_makes_a_file),
		cmocka_unit_test(fio_filenames),
		cmocka_unit_test(fio_engines),
		cmocka_unit_test(fio_results),
		cmocka_unit_test(fio_wrong_results),
		cmocka_unit_test(workload_words),
		cmocka_unit_test(fast_shares),
		cmocka_unit_test(rounds_rows_and_workloads_do_not_mix),
		cmocka_unit_test(child_output_is_kept),
		cmocka_unit_test(child_that_is_missing),
		cmocka_unit_test(child_is_stopped),
		cmocka_unit_test(earlier_results),
	};

	return cmocka_run_group_tests_name("bench", tests, NULL, NULL);
}
