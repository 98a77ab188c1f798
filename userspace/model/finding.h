/* SPDX-License-Identifier: GPL-2.0-only */
/* What "noclone doctor" says: findings, each with its fix. */
#ifndef NOCLONE_FINDING_H
#define NOCLONE_FINDING_H

#include "base/util.h"

/**
 * enum finding_level - how much it matters
 * @FINDING_OK: all is well
 * @FINDING_NOTE: for information, also what could not be looked at
 * @FINDING_WARNING: it works now, and will not after a reboot or in other cases
 * @FINDING_PROBLEM: something has no fast path, or data is at risk
 */
enum finding_level {
	FINDING_OK,
	FINDING_NOTE,
	FINDING_WARNING,
	FINDING_PROBLEM,
};

/**
 * struct finding - one result
 * @level: how much it matters
 * @check: name of the check that found it
 * @what: its subject: "module", "kernel 6.12.1"
 * @text: what was found
 * @fix: a command, or NULL
 */
struct finding {
	enum finding_level level;
	const char *check;
	char *what;
	char *text;
	char *fix;
};

/* @check: of the findings that are added from now on */
struct findings {
	const char *check;
	struct finding *finding;
	unsigned int nr;
};

/* Text and fix in one format, with a line break between them. */
void finding_add(struct findings *f, enum finding_level level, const char *what,
		 const char *fmt, ...) __printf(4, 5);
unsigned int findings_count(const struct findings *f, enum finding_level level);
const char *finding_level_name(enum finding_level level);
/* "problem  what: text; fix: command": a new string */
char *finding_print(const struct finding *finding);
void findings_free(struct findings *f);

#define _cleanup_findings_ __attribute__((cleanup(findings_free)))

#endif /* NOCLONE_FINDING_H */
