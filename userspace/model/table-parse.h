/* SPDX-License-Identifier: GPL-2.0-only */
/* Reading tables. */
#ifndef NOCLONE_TABLE_PARSE_H
#define NOCLONE_TABLE_PARSE_H

#include "model/problems.h"
#include "model/table.h"

/**
 * table_parse - read a whole table
 * @t: gets every target that could be read
 * @text: lines; "#" begins a comment, as for dmsetup
 * @problems: gets what is wrong
 */
void table_parse(struct table *t, const char *text, struct problems *problems);

/* Add one target given as numbers and words, as the kernel gives it. */
struct target *table_add(struct table *t, uint64_t start, uint64_t length,
			 const char *type, const char *params,
			 struct problems *problems);

#endif /* NOCLONE_TABLE_PARSE_H */
