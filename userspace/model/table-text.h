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
 * table_parse - read a table from text
 * @t: each target that could be read is added to this table
 * @text: the lines of the table; "#" begins a comment, as for dmsetup
 * @findings: gets the mistakes
 */
void table_parse(struct table *t, const char *text, struct findings *findings);

/*
 * Add a target whose arguments are text. @line: the line of the file that has the target; if it is
 * 0, the target gets its number in the table as its line; @findings: gets a finding for each
 * mistake, or NULL.
 */
struct target *table_add(struct table *t, unsigned int line, uint64_t start, uint64_t length,
			 const char *type, const char *params, struct findings *findings);

/*
 * Add a copy of each target of @from to @to. The copies also have the inodes of the backing files.
 */
void table_copy(const struct table *from, struct table *to);

/*
 * Return: the table for output, a new string. It has one line for each target, which is the same as
 * that of target_print().
 */
char *table_print(const struct table *t, bool stock, device_namer namer);
/*
 * Return: the table including hidden arguments, a new string. The comment of target_arguments()
 * says for which purposes this string may be used.
 */
char *table_print_all(const struct table *t);
/*
 * Return: the types of all targets with commas between them, a new string. If neighbouring targets
 * have the same type, the type is listed once.
 */
char *table_types(const struct table *t);
/*
 * Return: the device as "name,uuid,,rw,target,target", which "dmsetup create --concise" accepts, a
 * new string.
 */
char *table_concise(const struct table *stock, const char *name,
		    const char *uuid, bool readonly);

#endif /* NOCLONE_TABLE_TEXT_H */
