// SPDX-License-Identifier: GPL-2.0-only
/* What is wrong with a table. */
#include "model/problems.h"

#include <stdlib.h>
#include <string.h>

void problem_add(struct problems *p, enum severity severity, unsigned int line,
		 const char *fmt, ...)
{
	struct problem *new;
	va_list ap;

	GROW(p->problem, p->nr);
	new = &p->problem[p->nr++];
	new->severity = severity;
	new->line = line;
	va_start(ap, fmt);
	new->text = xvasprintf(fmt, ap);
	va_end(ap);
}

unsigned int problems_count(const struct problems *p, enum severity severity)
{
	unsigned int i, n = 0;

	for (i = 0; i < p->nr; i++)
		n += p->problem[i].severity == severity;
	return n;
}

const char *severity_name(enum severity severity)
{
	static const char * const names[] = { "error", "warning", "note" };

	return names[severity];
}

void problems_move(struct problems *to, struct problems *from)
{
	unsigned int i;

	for (i = 0; i < from->nr; i++) {
		GROW(to->problem, to->nr);
		to->problem[to->nr++] = from->problem[i];
	}
	from->nr = 0;
}

void problems_free(struct problems *p)
{
	unsigned int i;

	for (i = 0; i < p->nr; i++)
		free(p->problem[i].text);
	free(p->problem);
	memset(p, 0, sizeof(*p));
}
