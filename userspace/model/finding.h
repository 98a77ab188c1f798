/* SPDX-License-Identifier: GPL-2.0-only */
/* What is wrong or worth a word: all of it, not only the first. */
#ifndef NOCLONE_FINDING_H
#define NOCLONE_FINDING_H

#include "base/util.h"

/**
 * enum finding_level - how much it matters
 * @FINDING_OK: all is well
 * @FINDING_NOTE: for information, also what could not be looked at
 * @FINDING_WARNING: it works, but probably not as intended, or not after a reboot
 * @FINDING_ERROR: it does not work, or data is at risk
 */
enum finding_level {
	FINDING_OK,
	FINDING_NOTE,
	FINDING_WARNING,
	FINDING_ERROR,
};

/**
 * struct finding - one of them
 * @level: how much it matters
 * @check: what found it, a word for programs, or NULL
 * @subject: "module", "kernel 6.12.1", a disk or file; NULL: the table that was read
 * @line: of that table, from 1; 0: the whole table
 * @text: a sentence
 * @fix: a command, or NULL
 */
struct finding {
	enum finding_level level;
	const char *check;
	char *subject;
	unsigned int line;
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
void finding_add(struct findings *f, enum finding_level level, const char *subject,
		 const char *fmt, ...) __printf(4, 5);
/* Of a line of a table; each is said once.  Without @f, none. */
void finding_at(struct findings *f, enum finding_level level, unsigned int line,
		const char *fmt, ...) __printf(4, 5);
unsigned int findings_count(const struct findings *f, enum finding_level level);
const char *finding_level_name(enum finding_level level);
/* "subject:line: text; fix: command": a new string.  @where: the subject if it has none. */
char *finding_words(const struct finding *finding, const char *where);
/* Put all of @from at the end of @to. */
void findings_move(struct findings *to, struct findings *from);
void findings_free(struct findings *f);

#define _cleanup_findings_ __attribute__((cleanup(findings_free)))

#endif /* NOCLONE_FINDING_H */
