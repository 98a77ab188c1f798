/* SPDX-License-Identifier: GPL-2.0-only */
/* What a new table does to the data of a device that is in use. */
#ifndef NOCLONE_MOVE_H
#define NOCLONE_MOVE_H

#include "model/table.h"

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

#endif /* NOCLONE_MOVE_H */
