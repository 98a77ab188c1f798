/* SPDX-License-Identifier: GPL-2.0-only */
/* The status line of the module's targets, parsed. */
#ifndef NOCLONE_STATUS_H
#define NOCLONE_STATUS_H

#include <stdbool.h>

#include "dm-noclone.h"
#include "base/util.h"
#include "model/table.h"

/**
 * struct status_value - a counter, or what the module reports about a backing file
 * @name: its name
 * @text: its value as it is printed
 * @is_number: it is a number, as that of a counter always is
 * @number: that number
 */
struct status_value {
	char *name;
	char *text;
	bool is_number;
	uint64_t number;
};

/* In the order of the line. */
struct status_values {
	struct status_value *value;
	unsigned int nr;
};

/**
 * struct status - one target's status line
 * @health: a letter per stripe, A or D; NULL for linear targets
 * @has_fastpath: false for noclone-file with an engine that has none, and for what is no
 *	target of ours; the next three are empty then
 * @fast: the fast path is on
 * @reason: why not; NULL when it is on
 * @counters: of the fast path
 * @engine: noclone-file: the running engine; else NULL, and the rest is empty
 * @facts: about the file
 * @file_counters: of the engine
 */
struct status {
	char *health;
	bool has_fastpath;
	bool fast;
	char *reason;
	struct status_values counters;
	char *engine;
	struct status_values facts;
	struct status_values file_counters;
};

/* Return: 0, or -EINVAL if the line is not one of this module's. */
int status_parse(struct status *s, const char *line);
void status_free(struct status *s);
/* Does it only grow?  One tells how many there are at the moment. */
bool status_counter_grows(const char *name);
/* Value of a counter; 0 if the module does not print it. */
uint64_t status_counter(const struct status_values *counters, const char *name);
/* Value of a fact; NULL if the module does not print it. */
const char *status_fact(const struct status *s, const char *name);
/* The backing file; an older module does not print its inode. */
struct file_id status_file_id(const struct status *s);
/* "engine direct stands in (...)": a new string, NULL if the requested one runs */
char *status_stand_in_words(const struct status *s);

/* What a word means.  STATUS_REFUSED: why the requested engine does not run */
enum status_list {
	STATUS_COUNTER,
	STATUS_FILE_COUNTER,
	STATUS_REASON,
	STATUS_REFUSED,
};

/* NULL for a word that this tool does not know. */
const char *status_meaning(enum status_list list, const char *word);

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

/*
 * What is wrong below a device that keeps running.  A finding's subject is the disk, or
 * the file as in a table; its check is one of these:
 *   stripe-failed    a leg has had errors
 *   device-deleted   the disk of a leg is gone
 *   file-deleted     the file is deleted
 *   file-replaced    its path names another file
 *   file-missing     its path names no file; it has another name
 *   file-short       it has fewer sectors than its target
 */
/**
 * below_find - what is wrong below a target?
 * @findings: gets it
 * @t: the target, as the kernel prints it
 * @s: its status; empty for targets of other modules
 * @src: facts about the disks and files that exist
 */
/* A file that has become shorter than its target needs it: a new string, or NULL. */
char *below_short_file(const struct target *t, const struct status *s);
void below_find(struct findings *findings, const struct target *t,
		const struct status *s, const struct facts_source *src);
/* All of them in a few words, each once: a new string, empty if there are none. */
char *below_brief(const struct findings *findings);

#endif /* NOCLONE_STATUS_H */
