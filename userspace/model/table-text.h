/* SPDX-License-Identifier: GPL-2.0-only */
/* Reading and printing tables. */
#ifndef NOCLONE_TABLE_TEXT_H
#define NOCLONE_TABLE_TEXT_H

#include "model/finding.h"
#include "model/table.h"

/**
 * table_parse - read a whole table
 * @t: gets every target that could be read
 * @text: lines; "#" begins a comment, as for dmsetup
 * @findings: gets what is wrong
 */
void table_parse(struct table *t, const char *text, struct findings *findings);

/* Add one target given as numbers and words, as the kernel gives it. */
struct target *table_add(struct table *t, uint64_t start, uint64_t length,
			 const char *type, const char *params,
			 struct findings *findings);

/*
 * Each of these returns a new string; with @stock, that of the equivalent stock
 * target.  @namer may be NULL: the devices are printed as they are.
 */
char *target_params(const struct target *target, bool stock,
		    device_namer namer, void *ctx);
char *target_print(const struct target *target, bool stock,
		   device_namer namer, void *ctx);
char *table_print(const struct table *t, bool stock,
		  device_namer namer, void *ctx);
/* The target types with commas, without repetitions in a row. */
char *table_types(const struct table *t);
/* "name,uuid,,rw,target,target": what dmsetup create --concise takes. */
char *table_concise(const struct table *stock, const char *name,
		    const char *uuid, bool readonly);

#endif /* NOCLONE_TABLE_TEXT_H */
