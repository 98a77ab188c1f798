// SPDX-License-Identifier: GPL-2.0-only
/*
 * The arithmetic of "noclone bench".  Medians, so that one disturbed run does
 * not decide.
 */
#include "bench/stats.h"

#include <stdlib.h>
#include <string.h>

#include "base/util.h"

static const char * const kind_names[] = {
	"few-rounds", "none", "less", "more",
};

static double absolute(double value)
{
	return value < 0 ? -value : value;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Sorts @value. */
static double median_of(double *value, unsigned int nr)
{
	qsort(value, nr, sizeof(*value), compare);
	return nr % 2 ? value[nr / 2] :
			(value[nr / 2 - 1] + value[nr / 2]) / 2;
}

struct figure figure_of(const double *value, unsigned int nr)
{
	struct figure f = { 0 };
	double *copy;
	unsigned int i;

	if (!nr)
		return f;
	copy = xzalloc(sizeof(*copy) * nr);
	memcpy(copy, value, sizeof(*copy) * nr);
	f.median = median_of(copy, nr);
	for (i = 0; i < nr; i++)
		copy[i] = absolute(value[i] - f.median);
	f.spread = median_of(copy, nr);
	free(copy);
	return f;
}

struct verdict verdict_of(const struct figure *base, const struct figure *ours,
			  unsigned int rounds)
{
	struct verdict v = {
		.difference = ours->median - base->median,
		.spread = base->spread + ours->spread,
	};

	if (base->median > 0)
		v.percent = 100 * v.difference / base->median;
	if (rounds < VERDICT_MIN_ROUNDS)
		v.kind = VERDICT_FEW_ROUNDS;
	else if (absolute(v.difference) <= VERDICT_SPREADS * v.spread)
		v.kind = VERDICT_NONE;
	else
		v.kind = v.difference < 0 ? VERDICT_LESS : VERDICT_MORE;
	return v;
}

const char *verdict_name(enum verdict_kind kind)
{
	return kind_names[kind];
}

char *verdict_text(const struct verdict *v, const char *base,
		   const char *where)
{
	if (v->kind == VERDICT_FEW_ROUNDS)
		return xasprintf("too few rounds for a verdict, it takes %d (%+.2f +- %.2f us)",
				 VERDICT_MIN_ROUNDS, v->difference, v->spread);
	if (v->kind == VERDICT_NONE)
		return xasprintf("no difference beyond the noise (%+.2f +- %.2f us)",
				 v->difference, v->spread);
	return xasprintf("%.2f +- %.2f us %s per I/O than %s: %.1f %%%s%s",
			 absolute(v->difference), v->spread,
			 kind_names[v->kind], base, absolute(v->percent),
			 *where ? " " : "", where);
}
