/* SPDX-License-Identifier: GPL-2.0-only */
/* The same mapping with the target types of dm, or with those of this module. */
#ifndef NOCLONE_EXCHANGE_H
#define NOCLONE_EXCHANGE_H

#include <stdbool.h>

#include "model/table.h"

/* Has the table targets that an exchange would change? */
bool exchange_is_needed(const struct table *t, bool to_stock);

/**
 * exchange_table - exchange the target types of a table
 * @t: the live table
 * @to_stock: towards dm's own types; options, which these do not have, are left out
 * @new: filled
 *
 * Return: NULL, or why there is no such table: a new string.
 */
char *exchange_table(const struct table *t, bool to_stock, struct table *new);

/**
 * exchange_add_stock - add a target as dm has it without this module
 * @new: gets it
 * @t: the target
 * @loop: a device that has the same sectors as the file of noclone-file
 */
void exchange_add_stock(struct table *new, const struct target *t, const char *loop);

/* Does it map every sector of @old, and no others, to the same place? */
bool exchange_is_faithful(const struct table *old, const struct table *new);

#endif /* NOCLONE_EXCHANGE_H */
