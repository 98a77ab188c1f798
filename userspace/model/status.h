/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The parsed status line of a target of this module, or of a stock target for which the module
 * reports the fast path.
 */
#ifndef NOCLONE_STATUS_H
#define NOCLONE_STATUS_H

#include <stdbool.h>

#include "model/table.h"

/**
 * struct status_value - a counter, or a fact that the module reports about a backing file
 * @name: the name of the counter or fact
 * @text: the value as the module prints it
 * @is_number: @text is a number; always true for a counter
 * @number: the value as a number, if @is_number is set
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
 * struct status - the parsed status line of a target
 * @line: a copy of the status line, cut into words; all strings of this structure are parts of the
 *	copy
 * @health: a letter for each stripe: A for a stripe without errors, D for a stripe that has had
 *	errors; NULL for targets that are not striped
 * @has_fastpath: the status line has the words of the fast path; false for noclone-file with some
 *	engines. If @has_fastpath is false, @fast, @reason and @counters are empty
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

/* Return: 0, or -EINVAL if the line is not one that this module prints. */
int status_parse(struct status *s, const char *line);
void status_free(struct status *s);
/*
 * Does the value with this name only grow? All values that the module prints as counters only grow,
 * except "inflight", which also falls.
 */
bool status_counter_grows(const char *name);
/* Return: the value of a counter, or 0 if the module does not print it. */
uint64_t status_counter(const struct status_values *counters, const char *name);
/* Return: the value of a fact, or NULL if the module does not print it. */
const char *status_fact(const struct status *s, const char *name);
/*
 * Return: the device number and inode number of the backing file. They are unknown if the status
 * line has no inode, which is the case with an older module.
 */
struct file_id status_file_id(const struct status *s);
/*
 * Return: "engine direct is used instead (...)", with the reason why the requested engine does not
 * run, a new string; NULL if the requested engine runs.
 */
char *status_engine_words(const struct status *s);

/*
 * Lists of words with their meanings: the counters of the fast path, the counters of noclone-file,
 * and the reasons why the requested engine of noclone-file does not run.
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
 * @fast: the number of I/Os that took the fast path
 * @other: the number of I/Os that did not take the fast path
 * @reason: the most frequent reason why I/Os did not take the fast path, as the name of a counter,
 *	or NULL; the string belongs to the status @now
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
 * @now: the status of the first target of the device that has a fast path, or NULL
 * @before: an earlier status of the same device, to count only the I/O since then; NULL to count
 *	all I/O
 */
struct share status_share(const struct table *t, const struct status *now,
			  const struct status *before);

#endif /* NOCLONE_STATUS_H */
