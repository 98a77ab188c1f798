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
 * @FINDING_OK: the check has found no problem
 * @FINDING_NOTE: information, for example that something could not be checked
 * @FINDING_WARNING: the device works, but probably not as intended, or it will not work after a
 *	reboot
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
 * @check: the name of the check, for programs that read the JSON output; or NULL
 * @subject: "module", "kernel 6.12.1", a disk or a file; NULL if the finding is about the table
 *	that was read
 * @line: the line of the table, counted from 1; 0 if the finding is not about a single line
 * @text: a sentence that says what was found
 * @fix: what the user can do, usually a command; or NULL
 */
struct finding {
	enum finding_level level;
	const char *check;
	char *subject;
	unsigned int line;
	char *text;
	char *fix;
};

/*
 * CHECK_SIGNATURE: the member @check of each finding that says that a leg of a saved device may
 * have other data than when the device was saved.
 */
#define CHECK_SIGNATURE	"signature"

/**
 * struct findings - a list of findings
 * @check: the member @check of the findings that are added next
 * @kernel_refuses: the kernel also refuses the table because of an error in this list, so no message
 *	proposes --force
 * @finding: the findings
 * @nr: the number of findings
 */
struct findings {
	const char *check;
	bool kernel_refuses;
	struct finding *finding;
	unsigned int nr;
};

/*
 * Add a finding to @f; if @f is NULL, do nothing. If @subject is not NULL, the formatted text may
 * contain a line break: then the part before the line break becomes the member @text of the
 * finding, and the part behind it becomes the member @fix.
 */
void finding_add_at(struct findings *f, enum finding_level level, const char *subject,
		    unsigned int line, const char *fmt, ...) __printf(5, 6);
#define finding_add(f, level, subject, ...) finding_add_at(f, level, subject, 0, __VA_ARGS__)
/*
 * Add a finding about a line of a table, unless @f already has a finding with the same line and
 * text.
 */
#define finding_at(f, level, line, ...) finding_add_at(f, level, NULL, line, __VA_ARGS__)
unsigned int findings_count(const struct findings *f, enum finding_level level);
const char *finding_level_name(enum finding_level level);
/*
 * Return: the finding as "subject:line: text; fix: command", a new string. If the finding has no
 * subject, @where takes the place of the subject. If @where is NULL as well, the result is "part
 * LINE: text". If @where is the empty string, the result is only the text.
 */
char *finding_words(const struct finding *finding, const char *where);
void findings_free(struct findings *f);

#define _cleanup_findings_ __attribute__((cleanup(findings_free)))

#endif /* NOCLONE_FINDING_H */
