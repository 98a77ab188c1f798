/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Findings: problems and remarks. A check reports all findings, not only the first one.
 */
#ifndef NOCLONE_FINDING_H
#define NOCLONE_FINDING_H

#include <stdbool.h>

#include "base/util.h"

/**
 * enum finding_level - the importance of a finding
 * @FINDING_OK: the checked thing is right
 * @FINDING_NOTE: information, for example that something could not be checked
 * @FINDING_WARNING: the device works, but probably not as intended, or not after a reboot
 * @FINDING_ERROR: the device does not work, or data is at risk
 */
enum finding_level {
	FINDING_OK,
	FINDING_NOTE,
	FINDING_WARNING,
	FINDING_ERROR,
};

/**
 * struct finding - one finding
 * @level: its importance
 * @check: a word for programs that names the check, or NULL
 * @subject: "module", "kernel 6.12.1", a disk or a file; NULL if the finding is about the table
 *	that was read
 * @line: the line of the table, counted from 1; 0 for the whole table
 * @text: a sentence
 * @fix: a command that helps, or NULL
 */
struct finding {
	enum finding_level level;
	const char *check;
	char *subject;
	unsigned int line;
	char *text;
	char *fix;
};

/* The member @check of a finding that says: a leg of this saved device may have other data now. */
#define CHECK_SIGNATURE	"signature"

/*
 * @check: the check of the findings that are added next; @final: --force cannot override any
 *	finding
 */
struct findings {
	const char *check;
	bool final;
	struct finding *finding;
	unsigned int nr;
};

/*
 * Add a finding. If @subject is not NULL, the format gives the text and the fix, with a line break
 * between them. If @f is NULL, nothing is added.
 */
void finding_add_at(struct findings *f, enum finding_level level, const char *subject,
		    unsigned int line, const char *fmt, ...) __printf(5, 6);
#define finding_add(f, level, subject, ...) finding_add_at(f, level, subject, 0, __VA_ARGS__)
/* Add a finding about a line of a table, unless it was added before. */
#define finding_at(f, level, line, ...) finding_add_at(f, level, NULL, line, __VA_ARGS__)
unsigned int findings_count(const struct findings *f, enum finding_level level);
const char *finding_level_name(enum finding_level level);
/*
 * Return: a finding as "subject:line: text; fix: command", a new string. If the finding has no
 * subject, @where is the subject. If @where is NULL, the result is "part LINE: text"; if it is "",
 * the result is only the text.
 */
char *finding_words(const struct finding *finding, const char *where);
void findings_free(struct findings *f);

#define _cleanup_findings_ __attribute__((cleanup(findings_free)))

#endif /* NOCLONE_FINDING_H */
