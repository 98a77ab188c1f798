// SPDX-License-Identifier: GPL-2.0-only
/* A measurement as tables and sentences. */
#include "bench/report.h"

#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

#include "base/util.h"
#include "model/status.h"
#include "bench/fio.h"
#include "bench/rig.h"
#include "bench/stats.h"
#include "bench/worth.h"

static void print_head(const struct bench *b)
{
	struct utsname machine;
	unsigned int i;

	for (i = 0; i < b->rig.nr; i++)
		printf("%s%s", i ? ", " : "", b->rig.facts[i].path);
	uname(&machine);
	printf(": Linux %s, module %s, %s, %u round%s of %g s\n",
	       machine.release, b->module_version ? b->module_version : "unknown",
	       b->fio_version, b->rounds, b->rounds == 1 ? "" : "s",
	       b->run_ms / 1e3);
}

static void print_cell(const struct bench *b, unsigned int workload,
		       enum bench_row row, enum measure measure)
{
	struct figure f = bench_figure(b, workload, row, measure);
	int decimals = measure == MEASURE_IOPS ? 0 : 2;

	printf(" %9.*f +- %5.*f", decimals, f.median, decimals, f.spread);
}

static void print_row(const struct bench *b, unsigned int workload,
		      enum bench_row row)
{
	static const enum measure columns[] = {
		MEASURE_IOPS, MEASURE_LATENCY, MEASURE_CPU, MEASURE_SWITCHES,
	};
	size_t i;

	printf("  %-15s", rig_title(&b->rig, row));
	for (i = 0; i < ARRAY_SIZE(columns); i++)
		print_cell(b, workload, row, columns[i]);
	putchar('\n');
}

static void print_verdict(const struct bench *b, unsigned int workload,
			  enum measure measure, const char *what)
{
	struct verdict v = bench_verdict(b, workload, measure);
	_cleanup_free_ char *where = workload_where(&b->workload[workload]);
	_cleanup_free_ char *text = verdict_text(&v, "stock", where);

	printf("  %-15s %s\n", what, text);
}

static void print_workload(const struct bench *b, unsigned int workload)
{
	_cleanup_free_ char *title = workload_title(&b->workload[workload],
						    b->block);
	unsigned int row;

	printf("\n%s\n  %-15s %18s %18s %18s %18s\n", title, "", "IOPS",
	       "latency, us", "CPU s per 1e6", "switches per I/O");
	for (row = 0; row < NR_ROWS; row++)
		print_row(b, workload, row);
	print_verdict(b, workload, MEASURE_TIME, "time:");
	print_verdict(b, workload, MEASURE_CPU, "processor:");
}

/* Why the rest was not; "clones" counts the result of all of these. */
static void print_detours(const struct status *s)
{
	unsigned int i;

	for (i = 0; i < s->nr_counters; i++) {
		const struct counter *c = &s->counters[i];
		const char *meaning = status_counter_meaning(c->name);

		if (c->value && (status_counter_is_reason(c->name) ||
				 !strcmp(c->name, "clones")))
			printf("  %12llu %-10s %s\n",
			       (unsigned long long)c->value, c->name,
			       meaning ? meaning : "");
	}
}

static void print_fast_path(const struct bench *b)
{
	const struct status *s = &b->status;
	const char *meaning = s->reason ? status_reason_meaning(s->reason) :
					  NULL;

	putchar('\n');
	if (!b->has_status) {
		puts("No status line: it is not known whether the fast path was used.");
	} else if (!s->fast) {
		printf("The fast path was NOT used: off:%s%s%s. The numbers do not measure it.\n",
		       s->reason, meaning ? ": " : "", meaning ? meaning : "");
	} else {
		printf("%.2f %% of the I/O took the fast path%s\n",
		       100 * bench_fast_share(s), bench_was_fast(b) ? "." :
		       ", the rest did not. The numbers are a mixture:");
		if (!bench_was_fast(b))
			print_detours(s);
	}
}

static void print_worth(const struct bench *b)
{
	struct worth w = worth_of(b);
	_cleanup_free_ char *text = worth_text(b, &w);

	puts(text);
}

void report_print(const struct bench *b)
{
	unsigned int i;

	print_head(b);
	for (i = 0; i < b->nr_workloads; i++)
		print_workload(b, i);
	print_fast_path(b);
	print_worth(b);
}
