/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * An exchange keeps the mapping, and replaces target types of this module by target types of dm, or
 * the reverse.
 */
#ifndef NOCLONE_EXCHANGE_H
#define NOCLONE_EXCHANGE_H

#include <stdbool.h>

#include "model/table-target.h"
#include "model/table.h"

/* Does the table have targets that an exchange would change? */
bool exchange_is_needed(const struct table *t, bool to_stock);

/**
 * exchange_table - exchange the target types of a table
 * @t: the live table
 * @to_stock: use dm's own types; options are left out, because dm's own types have none
 * @new: filled with the new table
 *
 * Return: NULL, or why there is no equivalent table, a new string.
 */
char *exchange_table(const struct table *t, bool to_stock, struct table *new);

/**
 * exchange_add_stock - add the target that dm has for @t without this module
 * @new: gets the target
 * @t: the target
 * @loop: a device with the sectors of the file, if @t is noclone-file
 */
void exchange_add_stock(struct table *new, const struct target *t, const char *loop);

/* Does @new map exactly the sectors of @old, and does it map each sector to the same place? */
bool exchange_is_faithful(const struct table *old, const struct table *new);

#endif /* NOCLONE_EXCHANGE_H */
