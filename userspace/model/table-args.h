/* SPDX-License-Identifier: GPL-2.0-only */
/* Between the files that read tables: the words behind a target's name. */
#ifndef NOCLONE_TABLE_ARGS_H
#define NOCLONE_TABLE_ARGS_H

#include "model/table.h"

#define NOT_A_START	"Start sector is not a decimal number of sectors"

/**
 * struct args - what the argument parsers share
 * @target: to be filled
 * @word: the words that are left
 * @nr: how many
 * @problems: where to complain
 */
struct args {
	struct target *target;
	char **word;
	unsigned int nr;
	struct problems *problems;
};

/* Complain, with the word that is wrong unless it is NULL.  Return: false. */
bool args_bad(struct args *a, const char *sentence, const char *word);
/* Take the next of the words; there must be one. */
char *args_next(struct args *a);
/* Those of noclone-file.  Return: false after a complaint. */
bool args_parse_file(struct args *a);

#endif /* NOCLONE_TABLE_ARGS_H */
