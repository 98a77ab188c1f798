// SPDX-License-Identifier: GPL-2.0-only
/* What is computed from a measurement. */
#include "bench/measurement.h"

#include <stdlib.h>

#include "base/util.h"
#include "model/status.h"

/* udev looks at a new device with I/O that a chunk may split. */
#define FAST_SHARE	0.99

struct figure bench_figure(const struct bench *b, unsigned int workload,
			   enum bench_row row, enum measure measure)
{
	double *value = xzalloc(sizeof(*value) * b->rounds);
	struct figure f;
	unsigned int i;

	for (i = 0; i < b->rounds; i++)
		value[i] = bench_result(b, workload, row, i)->value[measure];
	f = figure_of(value, b->rounds);
	cleanup_free(&value);
	return f;
}

struct verdict bench_verdict(const struct bench *b, unsigned int workload,
			     enum measure measure)
{
	struct figure stock = bench_figure(b, workload, ROW_STOCK, measure);
	struct figure ours = bench_figure(b, workload, ROW_NOCLONE, measure);

	return verdict_of(&stock, &ours, b->rounds);
}

double bench_fast_share(const struct status *s)
{
	uint64_t fast = status_fast(s);
	uint64_t all = fast + status_counter(s, "clones");

	return all ? (double)fast / all : 0;
}

bool bench_was_fast(const struct bench *b)
{
	return b->has_status && b->status.fast &&
	       bench_fast_share(&b->status) >= FAST_SHARE;
}

void bench_free(struct bench *b)
{
	rig_free(&b->rig);
	free(b->result);
	free(b->fio_version);
	free(b->module_version);
	status_free(&b->status);
}
