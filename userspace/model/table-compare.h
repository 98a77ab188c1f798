/* SPDX-License-Identifier: GPL-2.0-only */
/* Do two tables map the same sectors to the same places, and what changes if not? */
#ifndef NOCLONE_TABLE_COMPARE_H
#define NOCLONE_TABLE_COMPARE_H

#include <stdbool.h>

#include "model/table.h"

/*
 * Does every sector of the shorter table lie where @other has it?  Backing
 * files are compared by inode if both are known, else by path.
 */
bool table_same_mapping(const struct table *t, const struct table *other);

/**
 * move_describe - does a new table change what the device contains?
 * @old: the live table; devices as numbers
 * @new: the new table; likewise
 *
 * The same mapping, more of it, or another target type for the same sectors are
 * harmless.
 *
 * Return: what changes, as the end of "NAME is in use and ...": a new string;
 * NULL if nothing does.
 */
char *move_describe(const struct table *old, const struct table *new);

/*
 * The part of it that the tables do not show: the same path names another file.
 * A new string, or NULL; also NULL if the inodes are not known.
 */
char *move_other_file(const struct table *old, const struct table *new);

#endif /* NOCLONE_TABLE_COMPARE_H */
