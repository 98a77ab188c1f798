/* SPDX-License-Identifier: GPL-2.0-only */
/* The arguments of a target, as the parsers take them word by word. */
#ifndef NOCLONE_TABLE_ARGS_H
#define NOCLONE_TABLE_ARGS_H

#include "model/problems.h"
#include "model/table.h"

/**
 * struct args - what the argument parsers share
 * @target: to be filled
 * @word: the remaining words
 * @nr: how many
 * @problems: gets what is wrong
 */
struct args {
	struct target *target;
	char **word;
	unsigned int nr;
	struct problems *problems;
};

/* Add a problem, with the word that is wrong unless it is NULL.  Return: false. */
bool args_bad(struct args *a, const char *sentence, const char *word);
/* Take the next word; there must be one. */
char *args_next(struct args *a);

#endif /* NOCLONE_TABLE_ARGS_H */
