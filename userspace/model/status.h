/* SPDX-License-Identifier: GPL-2.0-only */
/* The parsed status line of the module's targets. */
#ifndef NOCLONE_STATUS_H
#define NOCLONE_STATUS_H

#include <stdbool.h>

#include "model/table.h"

/**
 * struct status_value - a counter, or a fact that the module reports about a backing file
 * @name: its name
 * @text: the printed value
 * @is_number: the value is a number; always true for a counter
 * @number: the value as a number
 */
struct status_value {
	const char *name;
	const char *text;
	bool is_number;
	uint64_t number;
};

/* Values in the order of the status line. */
struct status_values {
	struct status_value *value;
	unsigned int nr;
};

/**
 * struct status - the status line of a target
 * @line: a copy of the line, cut into words; all strings of the structure are in this copy
 * @health: a letter for each stripe, A or D; NULL for linear targets
 * @has_fastpath: the target has a fast path; false for noclone-file with some engines, and for
 *	targets of other modules. If false, the next three members are empty
 * @fast: the fast path is on
 * @reason: why the fast path is off, or NULL if it is on
 * @counters: the counters of the fast path
 * @engine: the running engine of noclone-file; NULL for other targets, and then @facts and
 *	@file_counters are empty
 * @facts: facts about the backing file
 * @file_counters: the counters of the engine
 */
struct status {
	char *line;
	const char *health;
	bool has_fastpath;
	bool fast;
	const char *reason;
	struct status_values counters;
	const char *engine;
	struct status_values facts;
	struct status_values file_counters;
};

/* Return: 0, or -EINVAL if the line is not from this module. */
int status_parse(struct status *s, const char *line);
void status_free(struct status *s);
/* Does the value only grow? Counters only grow; the gauge "inflight" also falls. */
bool status_counter_grows(const char *name);
/* Return: the value of a counter, or 0 if the module does not print it. */
uint64_t status_counter(const struct status_values *counters, const char *name);
/* Return: the value of a fact, or NULL if the module does not print it. */
const char *status_fact(const struct status *s, const char *name);
/*
 * Return: the device number and inode number of the backing file. They are unknown if an older
 * module does not print the inode.
 */
struct file_id status_file_id(const struct status *s);
/* Return: "engine direct stands in (...)", a new string, or NULL if the requested engine runs. */
char *status_stand_in_words(const struct status *s);

/*
 * Lists of words with meanings. STATUS_REFUSED has the reasons why the requested engine does not
 * run.
 */
enum status_list {
	STATUS_COUNTER,
	STATUS_FILE_COUNTER,
	STATUS_REFUSED,
};

/* Return: the meaning of a word, or NULL if this tool does not know the word. */
const char *status_meaning(enum status_list list, const char *word);

#define _cleanup_status_ __attribute__((cleanup(status_free)))

/**
 * struct share - the share of a device's I/O that takes the fast path
 * @counted: the status has counters, so the other members are valid
 * @fast: the number of I/Os on the fast path
 * @other: the number of other I/Os
 * @reason: the most frequent reason of the other I/Os, or NULL; the string belongs to the status
 */
struct share {
	bool counted;
	uint64_t fast;
	uint64_t other;
	const char *reason;
};

/**
 * status_share - compute the share of the fast path
 * @t: the table of the device
 * @now: the status of one of its targets that has a fast path, or NULL
 * @before: an earlier status, to count only the I/O since then; or NULL
 */
struct share status_share(const struct table *t, const struct status *now,
			  const struct status *before);

#endif /* NOCLONE_STATUS_H */
