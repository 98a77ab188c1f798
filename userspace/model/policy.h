/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The policy says which devices get the fast path after each boot. An example of its file:
 *
 *	# comment
 *	exclude vg0/swap
 *	include vg0/?*
 *
 * The first rule that matches a device decides, as in the filters of lvm.conf. The policy does not
 * change a device that no rule matches.
 */
#ifndef NOCLONE_POLICY_H
#define NOCLONE_POLICY_H

#include <stdbool.h>

#include "base/util.h"
#include "model/finding.h"

#define POLICY_PATH	"/etc/noclone/policy"

enum policy_kind {
	POLICY_NONE,	/* the line is not a rule, or no rule matches the device */
	POLICY_INCLUDE,
	POLICY_EXCLUDE,
};

/*
 * A line of the file. @pattern is NULL if the line is not a rule. @added is set if the line was not
 * in the file, but was added by an edit.
 */
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
 * @parsed: the text of all lines before the first edit; NULL if no file was parsed
 * @removed: the lines that edits have removed, with "-" before each line: "-include a\n-..."
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

/*
 * The names of a device, which are compared with patterns. @lv is NULL if the device is not a
 * logical volume.
 */
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
 * Find the rule for a device that is a part of a logical volume. The first rule that matches a name
 * in @part or a name in @volume decides, so a rule for the volume also counts for its part. A
 * device may be a part of several volumes: the caller calls this function once for each volume.
 * @found is the rule that the previous call returned, or the result of policy_find() in the first
 * call. The device gets the fast path if the rule is "include" in any of these calls.
 */
const struct policy_line *policy_find_part(const struct policy *p, const struct policy_names *part,
					   const struct policy_names *volume,
					   const struct policy_line *found);
/* Return: what is wrong with a pattern, or NULL. */
const char *policy_pattern_usage(const char *pattern);

/*
 * Insert @rules before all other rules, in the order of the array, and remove the older rules with
 * the same patterns.
 */
void policy_set(struct policy *p, const struct policy_rule *rules, unsigned int nr);
/*
 * Change the policy so that its decision about a device is @kind. If the policy already decides so,
 * nothing changes. Otherwise the rule for exactly this name is removed, and a rule is added only if
 * this is not enough.
 */
void policy_set_device(struct policy *p, enum policy_kind kind, const struct policy_names *names);
/* Remove all rules. If @kind is POLICY_INCLUDE, add a rule that includes all devices. */
void policy_reset(struct policy *p, enum policy_kind kind);
/*
 * Return: what all edits together have changed, a new string: the removed lines with "-" before
 * each line, and the new lines with "+" before each line. The string is empty if nothing has
 * changed.
 */
char *policy_edits(const struct policy *p);
void policy_free(struct policy *p);

#define _cleanup_policy_ __attribute__((cleanup(policy_free)))

#endif /* NOCLONE_POLICY_H */
