/* SPDX-License-Identifier: GPL-2.0-only */
/* What is wrong with a table: all problems, not only the first. */
#ifndef NOCLONE_PROBLEMS_H
#define NOCLONE_PROBLEMS_H

#include "base/util.h"

/**
 * enum severity - how bad a problem is
 * @PROBLEM_ERROR: the table does not work, or corrupts data
 * @PROBLEM_WARNING: it works, but probably not as intended
 * @PROBLEM_NOTE: for information
 */
enum severity {
	PROBLEM_ERROR,
	PROBLEM_WARNING,
	PROBLEM_NOTE,
};

struct problem {
	enum severity severity;
	unsigned int line;	/* of the table file, from 1; 0: the whole table */
	char *text;
};

struct problems {
	struct problem *problem;
	unsigned int nr;
};

void problem_add(struct problems *p, enum severity severity, unsigned int line,
		 const char *fmt, ...) __printf(4, 5);
unsigned int problems_count(const struct problems *p, enum severity severity);
const char *severity_name(enum severity severity);
/* Put all of @from at the end of @to. */
void problems_move(struct problems *to, struct problems *from);
void problems_free(struct problems *p);

#define _cleanup_problems_ __attribute__((cleanup(problems_free)))

#endif /* NOCLONE_PROBLEMS_H */
