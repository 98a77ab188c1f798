/* SPDX-License-Identifier: GPL-2.0-only */
/* What "noclone doctor" says: a finding for each check, with its fix. */
#ifndef NOCLONE_FINDING_H
#define NOCLONE_FINDING_H

#include "base/util.h"

/**
 * enum finding_level - how much it matters
 * @FINDING_OK: it is as it should be
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
 * @what: what it is about: "module", "kernel 6.12.1"
 * @text: what was found
 * @fix: a command or a sentence, or NULL
 */
struct finding {
	enum finding_level level;
	char *what;
	char *text;
	char *fix;
};

struct findings {
	struct finding *finding;
	unsigned int nr;
};

/* Returns it, for finding_fix(). */
struct finding *finding_add(struct findings *f, enum finding_level level,
			    const char *what, const char *fmt, ...) __printf(4, 5);
void finding_fix(struct finding *finding, const char *fmt, ...) __printf(2, 3);
unsigned int findings_count(const struct findings *f, enum finding_level level);
const char *finding_level_name(enum finding_level level);
/* "problem  what: text; fix: command": a new string */
char *finding_print(const struct finding *finding);
void findings_free(struct findings *f);

#define _cleanup_findings_ __attribute__((cleanup(findings_free)))

#endif /* NOCLONE_FINDING_H */
