// SPDX-License-Identifier: GPL-2.0-only
/* The arguments of a target. */
#include "model/table-args.h"

bool args_bad(struct args *a, const char *sentence, const char *word)
{
	if (word)
		problem_add(a->problems, PROBLEM_ERROR, a->target->line,
			    "%s: %s: \"%s\"", a->target->type, sentence, word);
	else
		problem_add(a->problems, PROBLEM_ERROR, a->target->line,
			    "%s: %s", a->target->type, sentence);
	return false;
}

char *args_next(struct args *a)
{
	a->nr--;
	return *a->word++;
}
