/* SPDX-License-Identifier: GPL-2.0-only */
/* Printing tables, also as their stock equivalents. */
#ifndef NOCLONE_TABLE_PRINT_H
#define NOCLONE_TABLE_PRINT_H

#include "model/table.h"

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

#endif /* NOCLONE_TABLE_PRINT_H */
