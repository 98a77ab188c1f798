// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which share of a device's I/O takes the fast path.
 *
 * For our own targets every I/O that did not take the fast path arrives as a clone.
 * The clones of a stock target do not come to the module: there the reasons are
 * added up, which the module counts one by one while it is attached.
 */
#include "model/share.h"

static bool share_is_stock(const struct target *target, const void *data __unused)
{
	return target->stock;
}

/* Counters that have become smaller belong to a new device of that name. */
static bool share_is_new(const struct status *now, const struct status *before)
{
	unsigned int i;

	for (i = 0; i < now->nr_counters; i++) {
		const struct counter *c = &now->counters[i];

		if (status_counter_grows(c->name) && c->value < status_counter(before, c->name))
			return true;
	}
	return false;
}

struct share share_of(const struct table *t, const struct status *now,
		      const struct status *before)
{
	static const struct status nothing;
	struct share share = { .counted = now && now->has_fastpath };
	uint64_t reasons = 0, most = 0;
	unsigned int i;

	if (!share.counted)
		return share;
	if (!before || share_is_new(now, before))
		before = &nothing;
	for (i = 0; i < now->nr_counters; i++) {
		const struct counter *c = &now->counters[i];
		uint64_t value = c->value - status_counter(before, c->name);

		if (!status_counter_is_reason(c->name))
			continue;
		reasons += value;
		if (value > most)
			share.reason = c->name;
		most = MAX(most, value);
	}
	share.fast = status_fast(now) - status_fast(before);
	share.other = table_any(t, share_is_stock, NULL) ? reasons :
		status_counter(now, "clones") - status_counter(before, "clones");
	return share;
}
