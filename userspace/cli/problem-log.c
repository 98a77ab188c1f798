// SPDX-License-Identifier: GPL-2.0-only
/* Problems as messages. */
#include "cli/problem-log.h"

#include "base/log.h"

static void problem_log(const struct problem *p, const char *where)
{
	void (*log)(const char *fmt, ...) = log_err;

	if (p->severity == PROBLEM_WARNING)
		log = log_warn;
	else if (p->severity == PROBLEM_NOTE)
		log = log_verbose;

	if (p->line)
		log("%s: line %u: %s", where, p->line, p->text);
	else
		log("%s: %s", where, p->text);
}

void problems_log(const struct problems *p, const char *where)
{
	unsigned int i;

	for (i = 0; i < p->nr; i++)
		problem_log(&p->problem[i], where);
}

void problems_log_errors(const struct problems *p, const char *where)
{
	unsigned int i;

	for (i = 0; i < p->nr; i++)
		if (p->problem[i].severity == PROBLEM_ERROR)
			problem_log(&p->problem[i], where);
}
