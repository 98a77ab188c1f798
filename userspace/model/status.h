/* SPDX-License-Identifier: GPL-2.0-only */
/* The status line of the module's targets, parsed. */
#ifndef NOCLONE_STATUS_H
#define NOCLONE_STATUS_H

#include <stdbool.h>

#include "dm-noclone.h"
#include "base/util.h"
#include "model/facts.h"
#include "model/table.h"

struct counter {
	char *name;
	uint64_t value;
};

/* What the module reports about a backing file: a number, or a word. */
struct fact {
	char *name;
	char *value;
};

/**
 * struct status - one target's status line
 * @stock: the words the stock target would print
 * @health: a letter per stripe, A or D; NULL for linear targets
 * @has_fastpath: false for noclone-file with an engine that has none; the next
 *	four are empty then
 * @fast: the fast path is on
 * @reason: why not; NULL when it is on
 * @counters: in the order of the line
 * @nr_counters: how many
 * @engine: noclone-file: the running engine; else NULL, and the rest is empty
 * @facts: about the file, in the order of the line
 * @nr_facts: how many
 * @file_counters: of the engine
 * @nr_file_counters: how many
 */
struct status {
	char *stock;
	char *health;
	bool has_fastpath;
	bool fast;
	char *reason;
	struct counter *counters;
	unsigned int nr_counters;
	char *engine;
	struct fact *facts;
	unsigned int nr_facts;
	struct counter *file_counters;
	unsigned int nr_file_counters;
};

/* Return: 0, or -EINVAL if the line is not one of this module's. */
int status_parse(struct status *s, const char *line);
void status_free(struct status *s);
/* Does it only grow?  One tells how many there are at the moment. */
bool status_counter_grows(const char *name);
/* What a counter or a reason means, or NULL for one this tool does not know. */
const char *status_counter_meaning(const char *name);
const char *status_reason_meaning(const char *reason);
const char *status_file_counter_meaning(const char *name);
/* Why the requested engine does not run, from the fact "refused". */
const char *status_refused_meaning(const char *refused);
/* Value of a counter; 0 if the module does not print it. */
uint64_t status_counter(const struct status *s, const char *name);
/* Value of a fact; NULL if the module does not print it. */
const char *status_fact(const struct status *s, const char *name);
/* The backing file; an older module does not print its inode. */
struct file_id status_file_id(const struct status *s);
/* "fast path off: switched off by message": a new string */
char *status_state_words(const struct status *s);
/* "engine direct stands in (...)": a new string, NULL if the requested one runs */
char *status_stand_in_words(const struct status *s);
/* "engine direct; 3 in flight": a new string.  "noclone explain" says what its file is like. */
char *status_file_words(const struct status *s);

#define _cleanup_status_ __attribute__((cleanup(status_free)))

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

/* For a word after "off:": what the user can do about the device: a new string, or NULL. */
char *remedy_of_reason(const char *reason, const char *name);
/* "the device is suspended: dmsetup resume data" for a state "off:suspended": a new string */
char *remedy_words(const char *state, const char *name);

#endif /* NOCLONE_STATUS_H */
