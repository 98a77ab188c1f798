// SPDX-License-Identifier: GPL-2.0-only
/* noclone bench: what a measurement comes down to. */
#include "unit.h"

#include "base/util.h"
#include "bench/worth.h"

#define ROUNDS	5

/* Time and processor of stock and of ours in microseconds, for two workloads. */
struct planted {
	double time[2][2];
	double processor[2][2];
};

static struct counter counters[] = { { "fast", 1000 }, { "reserve", 0 }, { "clones", 0 } };

static struct bench bench_of(const struct planted *p, struct fio_result *result)
{
	struct bench b = {
		.block = 4096, .rounds = ROUNDS, .nr_workloads = 2, .has_status = true,
		.workload = { { false, "psync", 1, 1 }, { false, "io_uring", 32, 1 } },
		.status = { .fast = true, .counters = counters, .nr_counters = 3 },
		.result = result,
	};
	unsigned int i, round, ours;

	for (i = 0; i < 2; i++)
		for (round = 0; round < ROUNDS; round++)
			for (ours = 0; ours < 2; ours++) {
				struct fio_result *r = bench_result(&b, i, ROW_STOCK + ours, round);

				r->value[MEASURE_TIME] = p->time[i][ours];
				r->value[MEASURE_CPU] = p->processor[i][ours];
			}
	return b;
}

static void worth_is(const struct planted *p, enum worth_kind kind, unsigned int workload,
		     const char *expected)
{
	struct fio_result result[2 * NR_ROWS * ROUNDS] = { 0 };
	struct bench b = bench_of(p, result);
	struct worth w = worth_of(&b);
	_cleanup_free_ char *text = worth_text(&b, &w);

	assert_int_equal(w.kind, kind);
	assert_int_equal(w.workload, workload);
	assert_string_equal(text, expected);
}

/* The load with the most to gain is named, although the first gains, too. */
static void names_the_best_load(void **state __unused)
{
	const struct planted p = { { { 10, 9.9 }, { 1, 0.9 } }, { { 3, 3 }, { 1, 0.8 } } };

	worth_is(&p, WORTH_YES, 1,
		 "Worth it on this disk: 10.0 % less time per I/O than stock with 4K random reads, queue depth 32, io_uring; 0.80 s of processor time per million I/Os, on stock 1.00.");
}

static void processor_alone(void **state __unused)
{
	const struct planted p = { { { 100, 100 }, { 50, 50 } }, { { 4, 3.5 }, { 3, 3 } } };

	worth_is(&p, WORTH_PROCESSOR, 0,
		 "Worth it on this disk for the processor only: no load is faster, but with 4K random reads, queue depth 1, psync it takes 3.50 s of processor time per million I/Os, on stock 4.00.");
}

static void slow_disk(void **state __unused)
{
	const struct planted p = { { { 100, 100 }, { 50, 50 } }, { { 4, 4 }, { 3, 3 } } };

	worth_is(&p, WORTH_NO, 1,
		 "Not worth it on this disk: no difference beyond the noise, even with 4K random reads, queue depth 32, io_uring, where stock takes 50.00 us per I/O; 3.00 s of processor time per million I/Os, on stock 3.00.");
}

/* A gain elsewhere does not hide it. */
static void a_loss_comes_first(void **state __unused)
{
	const struct planted p = { { { 10, 11 }, { 1, 0.5 } }, { { 3, 3 }, { 1, 1 } } };

	worth_is(&p, WORTH_WORSE, 0,
		 "Not worth it on this disk: 10.0 % slower than stock with 4K random reads, queue depth 1, psync; 3.00 s of processor time per million I/Os, on stock 3.00.");
}

static void says_when_it_cannot_say(void **state __unused)
{
	const struct planted p = { { { 10, 5 }, { 1, 0.5 } }, { { 3, 3 }, { 1, 1 } } };
	struct fio_result result[2 * NR_ROWS * ROUNDS] = { 0 };
	struct bench b = bench_of(&p, result);

	b.rounds = VERDICT_MIN_ROUNDS - 1;
	assert_int_equal(worth_of(&b).kind, WORTH_UNKNOWN);
	b.rounds = ROUNDS;
	assert_int_equal(worth_of(&b).kind, WORTH_YES);
	b.status.fast = false;
	assert_int_equal(worth_of(&b).kind, WORTH_UNKNOWN);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_the_best_load),
		cmocka_unit_test(processor_alone),
		cmocka_unit_test(slow_disk),
		cmocka_unit_test(a_loss_comes_first),
		cmocka_unit_test(says_when_it_cannot_say),
	};

	return cmocka_run_group_tests_name("worth", tests, NULL, NULL);
}
