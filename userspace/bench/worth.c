// SPDX-License-Identifier: GPL-2.0-only
/*
 * Whether a measurement speaks for the fast path on this disk.
 *
 * What it saves is a fraction of a microsecond, whatever the disk: so the answer depends
 * on how long an I/O takes there, and on how many are in flight.
 */
#include "bench/worth.h"

#include "base/util.h"
#include "bench/fio.h"

static const char *const names[] = {
	[WORTH_UNKNOWN] = "unknown",
	[WORTH_YES] = "yes",
	[WORTH_PROCESSOR] = "processor",
	[WORTH_NO] = "no",
	[WORTH_WORSE] = "worse",
};

const char *worth_name(enum worth_kind kind)
{
	return names[kind];
}

/*
 * The workload with the largest significant difference of that kind, in percent:
 * its number, or -1.
 */
static int find_most(const struct bench *b, enum measure measure,
		     enum verdict_kind kind)
{
	double most = 0;
	unsigned int i;
	int found = -1;

	for (i = 0; i < b->nr_workloads; i++) {
		struct verdict v = bench_verdict(b, i, measure);
		double percent = kind == VERDICT_LESS ? -v.percent : v.percent;

		if (v.kind != kind || percent <= most)
			continue;
		most = percent;
		found = i;
	}
	return found;
}

/* Where the fast path had the best chance. */
static unsigned int find_shortest(const struct bench *b)
{
	unsigned int i, found = 0;

	for (i = 1; i < b->nr_workloads; i++)
		if (bench_figure(b, i, ROW_STOCK, MEASURE_TIME).median <
		    bench_figure(b, found, ROW_STOCK, MEASURE_TIME).median)
			found = i;
	return found;
}

struct worth worth_of(const struct bench *b)
{
	int found;

	if (!bench_was_fast(b) || b->rounds < VERDICT_MIN_ROUNDS)
		return (struct worth) { WORTH_UNKNOWN, 0 };
	found = find_most(b, MEASURE_TIME, VERDICT_MORE);
	if (found >= 0)
		return (struct worth) { WORTH_WORSE, found };
	found = find_most(b, MEASURE_TIME, VERDICT_LESS);
	if (found >= 0)
		return (struct worth) { WORTH_YES, found };
	found = find_most(b, MEASURE_CPU, VERDICT_LESS);
	if (found >= 0)
		return (struct worth) { WORTH_PROCESSOR, found };
	return (struct worth) { WORTH_NO, find_shortest(b) };
}

/* fio counts the time of its own threads; what interrupts take is in nobody's. */
static char *processor_text(const struct bench *b, unsigned int workload)
{
	return xasprintf("%.2f s of processor time per million I/Os, on stock %.2f",
			 bench_figure(b, workload, ROW_NOCLONE, MEASURE_CPU).median,
			 bench_figure(b, workload, ROW_STOCK, MEASURE_CPU).median);
}

static char *unknown_text(const struct bench *b)
{
	if (!bench_was_fast(b))
		return xstrdup("Worth it? This does not say: not all I/O took the fast path.");
	return xasprintf("Worth it? This does not say: it takes %d rounds (--rounds).",
			 VERDICT_MIN_ROUNDS);
}

char *worth_text(const struct bench *b, const struct worth *w)
{
	_cleanup_free_ char *load = workload_title(&b->workload[w->workload],
						   b->block);
	_cleanup_free_ char *processor = processor_text(b, w->workload);
	struct verdict v = bench_verdict(b, w->workload, MEASURE_TIME);
	double us = bench_figure(b, w->workload, ROW_STOCK, MEASURE_TIME).median;

	switch (w->kind) {
	case WORTH_WORSE:
		return xasprintf("Not worth it on this disk: %.1f %% slower than stock with %s; %s.",
				 v.percent, load, processor);
	case WORTH_YES:
		return xasprintf("Worth it on this disk: %.1f %% less time per I/O than stock with %s; %s.",
				 -v.percent, load, processor);
	case WORTH_PROCESSOR:
		return xasprintf("Worth it on this disk for the processor only: no load is faster, but with %s it takes %s.",
				 load, processor);
	case WORTH_NO:
		return xasprintf("Not worth it on this disk: no difference beyond the noise, even with %s, where stock takes %.2f us per I/O; %s.",
				 load, us, processor);
	default:
		return unknown_text(b);
	}
}
