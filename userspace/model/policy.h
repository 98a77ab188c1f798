/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The policy: which devices are to have the fast path after each boot.
 *
 *	# comment
 *	exclude vg0/swap
 *	include vg0/?*
 *
 * The first rule that matches a device decides, as in the filters of lvm.conf; a
 * device that no rule matches is left as it is.
 */
#ifndef NOCLONE_POLICY_H
#define NOCLONE_POLICY_H

#include <stdbool.h>

#include "base/util.h"
#include "model/facts.h"

#define POLICY_PATH	"/etc/noclone/policy"

enum policy_kind {
	POLICY_NONE,	/* a comment, or no rule matches */
	POLICY_INCLUDE,
	POLICY_EXCLUDE,
};

/* A line of the file as it is; @pattern is NULL if it is no rule; @added by an edit. */
struct policy_line {
	enum policy_kind kind;
	char *text;
	char *pattern;
	bool added;
};

/**
 * struct policy - the lines of the file
 * @line: lines
 * @nr: how many
 * @parsed: all of them as they were before edits, or NULL
 * @removed: the lines that edits have removed: "-include a\n-..."
 */
struct policy {
	struct policy_line *line;
	unsigned int nr;
	char *parsed;
	struct strbuf removed;
};

/* A rule that is to be in the file. */
struct policy_rule {
	enum policy_kind kind;
	const char *pattern;
};

/* The names of a device that patterns are matched with; @lv may be NULL. */
struct policy_names {
	const char *mapper;
	const char *lv;		/* VG/LV */
};

void policy_parse(struct policy *p, const char *text, struct findings *findings);
/* The file: a new string. */
char *policy_print(const struct policy *p);
/* The rule that decides on a device, or NULL. */
const struct policy_line *policy_find(const struct policy *p, const struct policy_names *names);
/*
 * The same for a part of a volume: a rule for the volume is one for the part.  A part of
 * several has the fast path if that of one asks for it: @found is what was found so far.
 */
const struct policy_line *policy_find_part(const struct policy *p, const struct policy_names *part,
					   const struct policy_names *volume,
					   const struct policy_line *found);
/* NULL, or what is wrong with a pattern. */
const char *policy_pattern_usage(const char *pattern);

/* Make these the first rules, in their order, in place of others for the same patterns. */
void policy_set(struct policy *p, const struct policy_rule *rules, unsigned int nr);
/*
 * Make the policy decide on a device, with as little change as possible: nothing, or
 * a rule less, or one more.
 */
void policy_set_device(struct policy *p, enum policy_kind kind, const struct policy_names *names);
/* Remove all rules; with POLICY_INCLUDE, include everything. */
void policy_reset(struct policy *p, enum policy_kind kind);
/* What these have changed: "-" before each line that is gone, "+" before each new one. */
char *policy_edits(const struct policy *p);
void policy_free(struct policy *p);

#define _cleanup_policy_ __attribute__((cleanup(policy_free)))

#endif /* NOCLONE_POLICY_H */
