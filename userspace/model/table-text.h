/* SPDX-License-Identifier: GPL-2.0-only */
/* Tables as text. */
#ifndef NOCLONE_TABLE_TEXT_H
#define NOCLONE_TABLE_TEXT_H

#include <stdbool.h>
#include <stdint.h>

#include "model/finding.h"
#include "model/table-target.h"
#include "model/table.h"

/**
 * table_parse - read a whole table
 * @t: gets each target that could be read
 * @text: lines; "#" begins a comment, as for dmsetup
 * @findings: gets the mistakes
 */
void table_parse(struct table *t, const char *text, struct findings *findings);

/*
 * Add a target that is given as numbers and words. @line: the line of a file, or 0 to count the
 * targets;
 * @findings: gets the mistakes, or NULL.
 */
struct target *table_add(struct table *t, unsigned int line, uint64_t start, uint64_t length,
			 const char *type, const char *params, struct findings *findings);

/* Add a copy of each target of @from, including the inodes. */
void table_copy(const struct table *from, struct table *to);

/*
 * Return: the table for output, a new string. It is as target_print() prints each of its targets.
 */
char *table_print(const struct table *t, bool stock, device_namer namer);
/* Return: the table with hidden arguments, for the uses of target_arguments(), a new string. */
char *table_print_all(const struct table *t);
/* Return: the target types with commas between them; equal neighbours are listed once. */
char *table_types(const struct table *t);
/* Return: "name,uuid,,rw,target,target", which "dmsetup create --concise" accepts. */
char *table_concise(const struct table *stock, const char *name,
		    const char *uuid, bool readonly);

#endif /* NOCLONE_TABLE_TEXT_H */
