/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * An exchange replaces the target types of this module by the target types of dm, or the target
 * types of dm by those of this module. The new table maps each sector to the same place as the old
 * table.
 */
#ifndef NOCLONE_EXCHANGE_H
#define NOCLONE_EXCHANGE_H

#include <stdbool.h>

#include "model/table-target.h"
#include "model/table.h"

/* Would exchange_table() change the type of any target of this table? */
bool exchange_is_needed(const struct table *t, bool to_stock);

/**
 * exchange_table - exchange the target types of a table
 * @t: the live table
 * @to_stock: true: the new table has the target types of dm, and no options, because these types
 *	have none; false: the new table has the target types of this module
 * @new: filled with the new table
 *
 * Return: NULL, or why there is no equivalent table, a new string.
 */
char *exchange_table(const struct table *t, bool to_stock, struct table *new);

/**
 * exchange_add_stock - add the target of dm that maps the same sectors as @t
 * @new: the table that gets the target of dm
 * @t: the target that dm's target replaces
 * @loop: a loop device with exactly the sectors of the file that @t maps, if @t is noclone-file;
 *	not used for other targets
 */
void exchange_add_stock(struct table *new, const struct target *t, const char *loop);

/* Does @new map exactly the sectors of @old, and does it map each sector to the same place? */
bool exchange_is_faithful(const struct table *old, const struct table *new);

#endif /* NOCLONE_EXCHANGE_H */
