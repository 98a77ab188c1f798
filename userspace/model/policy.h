/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The policy: which devices are to have the fast path after each boot.
 *
 *	# comment
 *	exclude vg0/swap
 *	include vg0/?*
 *
 * The first rule that matches a device decides, as in the filters of lvm.conf. A device that no
 * rule matches stays unchanged.
 */
#ifndef NOCLONE_POLICY_H
#define NOCLONE_POLICY_H

#include <stdbool.h>

#include "base/util.h"
#include "model/finding.h"

#define POLICY_PATH	"/etc/noclone/policy"

enum policy_kind {
	POLICY_NONE,	/* a comment, or no rule matches */
	POLICY_INCLUDE,
	POLICY_EXCLUDE,
};

/* A line of the file. @pattern is NULL if the line is not a rule. @added: an edit has added it. */
struct policy_line {
	enum policy_kind kind;
	char *text;
	char *pattern;
	bool added;
};

/**
 * struct policy - the lines of the file
 * @line: the lines
 * @nr: the number of lines
 * @parsed: the text of all lines before the edits, or NULL
 * @removed: the lines that edits have removed: "-include a\n-..."
 */
struct policy {
	struct policy_line *line;
	unsigned int nr;
	char *parsed;
	struct strbuf removed;
};

/* A rule that the user wants to have in the file. */
struct policy_rule {
	enum policy_kind kind;
	const char *pattern;
};

/* The names of a device that patterns are compared with; @lv may be NULL. */
struct policy_names {
	const char *mapper;
	const char *lv;		/* VG/LV */
};

void policy_parse(struct policy *p, const char *text, struct findings *findings);
/* Return: the text of the file, a new string. */
char *policy_print(const struct policy *p);
/* Return: the rule that decides about a device, or NULL. */
const struct policy_line *policy_find(const struct policy *p, const struct policy_names *names);
/*
 * Find the rule for a part of a volume: a rule for the volume also counts for the part. A part of
 * several volumes gets the fast path if the rule of any of these volumes is "include". @found is
 * the rule that was found for the other volumes.
 */
const struct policy_line *policy_find_part(const struct policy *p, const struct policy_names *part,
					   const struct policy_names *volume,
					   const struct policy_line *found);
/* Return: what is wrong with a pattern, or NULL. */
const char *policy_pattern_usage(const char *pattern);

/* Put these rules first, in their order. They replace other rules for the same patterns. */
void policy_set(struct policy *p, const struct policy_rule *rules, unsigned int nr);
/*
 * Make the policy decide about a device in this way. The edit is as small as possible: no change,
 * one rule less, or one rule more.
 */
void policy_set_device(struct policy *p, enum policy_kind kind, const struct policy_names *names);
/* Remove all rules; with POLICY_INCLUDE, add a rule that includes everything. */
void policy_reset(struct policy *p, enum policy_kind kind);
/* Return: the changes of all edits: removed lines with "-" before them, and new lines with "+". */
char *policy_edits(const struct policy *p);
void policy_free(struct policy *p);

#define _cleanup_policy_ __attribute__((cleanup(policy_free)))

#endif /* NOCLONE_POLICY_H */
