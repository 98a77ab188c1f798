/* SPDX-License-Identifier: GPL-2.0-only */
/* Which share of a device's I/O takes the fast path. */
#ifndef NOCLONE_SHARE_H
#define NOCLONE_SHARE_H

#include <stdbool.h>

#include "model/status.h"
#include "model/table.h"

/**
 * struct share - the I/O of a device
 * @counted: there are counters: the rest is valid
 * @fast: I/Os that took the fast path
 * @other: I/Os that did not
 * @reason: the most frequent reason why one did not, or NULL; belongs to the status
 */
struct share {
	bool counted;
	uint64_t fast;
	uint64_t other;
	const char *reason;
};

/**
 * share_of - count the I/O of a device
 * @t: its table
 * @now: the status of one of its targets that has a fast path, or NULL
 * @before: an earlier one, to count what has happened since; or NULL
 */
struct share share_of(const struct table *t, const struct status *now,
		      const struct status *before);

#endif /* NOCLONE_SHARE_H */
