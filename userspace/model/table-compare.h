/* SPDX-License-Identifier: GPL-2.0-only */
/* Do two tables map the same sectors to the same places? */
#ifndef NOCLONE_TABLE_COMPARE_H
#define NOCLONE_TABLE_COMPARE_H

#include <stdbool.h>

#include "model/table.h"

/* Are both noclone-file targets with the same path? */
bool target_same_path(const struct target *a, const struct target *b);
/*
 * Does every sector of the shorter table lie where @other has it?  Backing
 * files are compared by inode if both are known, else by path.
 */
bool table_same_mapping(const struct table *t, const struct table *other);

#endif /* NOCLONE_TABLE_COMPARE_H */
