// SPDX-License-Identifier: GPL-2.0-only
/*
 * A device in a line.
 *
 * For our own targets every I/O that did not take the fast path arrives as a clone.
 * The clones of a stock target do not come to the module: there the reasons are
 * added up, which the module counts one by one while it is attached.
 */
#include "model/overview.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "model/origin.h"
#include "model/remedy.h"
#include "model/table-print.h"

#define COLUMN_INFO(column, heading, with_rates, right, usual) \
	{ heading, with_rates, right, usual },

const struct overview_column_info overview_columns[OVERVIEW_NR] = {
	OVERVIEW_COLUMNS(COLUMN_INFO)
};

static bool is_known(const struct target *target, const void *data __unused)
{
	return target->kind != TARGET_OTHER;
}

static bool is_stock(const struct target *target, const void *data __unused)
{
	return target->stock;
}

bool overview_is_for(const struct table *t)
{
	return table_any(t, is_known, NULL);
}

static uint64_t sum_of_reasons(const struct status *s)
{
	uint64_t sum = 0;
	unsigned int i;

	for (i = 0; i < s->nr_counters; i++)
		if (status_counter_is_reason(s->counters[i].name))
			sum += s->counters[i].value;
	return sum;
}

void overview_fill(struct overview *v, const char *name, const char *uuid,
		   const struct table *t, struct status *status)
{
	const struct status *s = &v->status;

	memset(v, 0, sizeof(*v));
	v->name = xstrdup(name);
	v->type = table_types(t);
	v->origin = origin_of_uuid(uuid);
	v->counted = status && status->has_fastpath;
	if (!v->counted) {
		v->state = xstrdup(table_has_noclone(t) ? "none" : "stock");
		return;
	}
	v->status = *status;
	memset(status, 0, sizeof(*status));
	v->state = s->fast ? xstrdup("on") : xasprintf("off:%s", s->reason);
	v->fast = status_fast(s);
	v->other = table_any(t, is_stock, NULL) ? sum_of_reasons(s) :
						  status_counter(s, "clones");
}

/* Counters that have become smaller belong to a new device of that name. */
static bool has_gone_on(const struct overview *v, const struct overview *old)
{
	return v->fast >= old->fast && v->other >= old->other;
}

static char *copy(const char *s)
{
	return s ? xstrdup(s) : NULL;
}

static uint64_t difference(uint64_t new, uint64_t old)
{
	return new < old ? new : new - old;
}

static void counters_since(struct status *d, const struct status *s,
			   const struct status *old)
{
	unsigned int i;

	for (i = 0; i < s->nr_counters; i++) {
		const struct counter *c = &s->counters[i];

		GROW(d->counters, d->nr_counters);
		d->counters[d->nr_counters++] = (struct counter) {
			xstrdup(c->name),
			!status_counter_grows(c->name) ? c->value :
				difference(c->value, status_counter(old, c->name)),
		};
	}
}

void overview_since(struct overview *d, const struct overview *v,
		    const struct overview *old)
{
	static const struct overview nothing;

	*d = (struct overview) {
		.name = copy(v->name),
		.type = copy(v->type),
		.origin = copy(v->origin),
		.state = copy(v->state),
		.trouble = copy(v->trouble),
		.counted = v->counted && old && old->counted,
	};
	if (!d->counted)
		return;
	if (!has_gone_on(v, old))
		old = &nothing;
	d->fast = v->fast - old->fast;
	d->other = v->other - old->other;
	counters_since(&d->status, &v->status, &old->status);
}

double overview_share(const struct overview *v)
{
	uint64_t all = v->fast + v->other;

	return v->counted && all ? (double)v->fast / all : -1;
}

const char *overview_reason(const struct overview *v)
{
	const char *reason = NULL;
	uint64_t most = 0;
	unsigned int i;

	for (i = 0; v->counted && i < v->status.nr_counters; i++) {
		const struct counter *c = &v->status.counters[i];

		if (c->value <= most || !status_counter_is_reason(c->name))
			continue;
		most = c->value;
		reason = c->name;
	}
	return reason;
}

void overview_free(struct overview *v)
{
	free(v->name);
	free(v->type);
	free(v->origin);
	free(v->state);
	free(v->trouble);
	status_free(&v->status);
	memset(v, 0, sizeof(*v));
}

static bool find_column(const char *word, size_t length,
			enum overview_column *column)
{
	unsigned int i;

	for (i = 0; i < OVERVIEW_NR; i++) {
		const char *heading = overview_columns[i].heading;

		if (strlen(heading) != length || strncasecmp(heading, word, length))
			continue;
		*column = i;
		return true;
	}
	return false;
}

static void select_usual(struct overview_selection *s, bool rates)
{
	unsigned int i;

	for (i = 0; i < OVERVIEW_NR; i++)
		if (overview_columns[i].usual ||
		    (rates && (i == OVERVIEW_IO || i == OVERVIEW_FAST)))
			s->column[s->nr++] = i;
}

const char *overview_select(struct overview_selection *s, const char *list,
			    bool rates)
{
	size_t length;

	s->nr = 0;
	if (!list || *list == '+')
		select_usual(s, rates);
	if (!list)
		return NULL;
	for (list += *list == '+';; list += length + 1) {
		length = strcspn(list, ",");
		if (s->nr == OVERVIEW_MAX_COLUMNS)
			return "too many columns";
		if (!find_column(list, length, &s->column[s->nr++]))
			return "known columns are NAME, TYPE, MADE-BY, STATE, IO, FAST, SHARE, REASON and WHY";
		if (!list[length])
			return NULL;
	}
}

const char *overview_heading(enum overview_column column, bool rates)
{
	return rates ? overview_columns[column].with_rates :
		       overview_columns[column].heading;
}

static char *number(const struct overview *v, uint64_t n, double seconds)
{
	if (!v->counted)
		return NULL;
	return seconds ? xasprintf("%.0f", n / seconds) :
			 xasprintf("%llu", (unsigned long long)n);
}

/* Rounded down: 100% means that there was no other I/O. */
static char *percent(double share)
{
	unsigned int permille;

	if (share < 0)
		return NULL;
	permille = share * 1000;
	return xasprintf("%u.%u%%", permille / 10, permille % 10);
}

static char *why(const struct overview *v)
{
	const char *reason = overview_reason(v);
	const char *meaning = reason ? status_counter_meaning(reason) : NULL;

	if (str_starts(v->state, "off:"))
		return remedy_words(v->state, v->name);
	return meaning ? xstrdup(meaning) : NULL;
}

char *overview_cell(const struct overview *v, enum overview_column column,
		    double seconds)
{
	switch (column) {
	case OVERVIEW_NAME:
		return copy(v->name);
	case OVERVIEW_TYPE:
		return copy(v->type);
	case OVERVIEW_MADE_BY:
		return copy(v->origin);
	case OVERVIEW_STATE:
		return xasprintf("%s%s%s", v->state, v->trouble ? ", " : "",
				 v->trouble ?: "");
	case OVERVIEW_IO:
		return number(v, v->fast + v->other, seconds);
	case OVERVIEW_FAST:
		return number(v, v->fast, seconds);
	case OVERVIEW_SHARE:
		return percent(overview_share(v));
	case OVERVIEW_REASON:
		return copy(overview_reason(v));
	case OVERVIEW_WHY:
		return why(v);
	default:
		return NULL;
	}
}
