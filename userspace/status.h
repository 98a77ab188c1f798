/* SPDX-License-Identifier: GPL-2.0-only */
/* The status line of the module's targets, taken apart.  No I/O. */
#ifndef NOCLONE_STATUS_H
#define NOCLONE_STATUS_H

#include "dm-noclone.h"
#include "util.h"

struct counter {
	char *name;
	uint64_t value;
};

/**
 * struct status - one target's status line
 * @stock: the words the stock target would print
 * @health: a letter per stripe, A or D; NULL for linear targets
 * @fast: the fast path is on
 * @reason: why not; NULL when it is on
 * @counters: in the order of the line
 * @nr_counters: how many
 */
struct status {
	char *stock;
	char *health;
	bool fast;
	char *reason;
	struct counter *counters;
	unsigned int nr_counters;
};

/* Return: false if the line is not one of this module's. */
bool status_parse(struct status *s, const char *line);
void status_free(struct status *s);
/* What a counter or a reason means, or NULL for one this tool does not know. */
const char *status_counter_meaning(const char *name);
const char *status_reason_meaning(const char *reason);
/* Value of a counter; 0 if the module does not print it. */
uint64_t status_counter(const struct status *s, const char *name);

#define _cleanup_status_ __attribute__((cleanup(status_free)))

#endif /* NOCLONE_STATUS_H */
