/* SPDX-License-Identifier: GPL-2.0-only */
/* What a new table does to the data of a device that is in use.  No I/O. */
#ifndef NOCLONE_MOVE_H
#define NOCLONE_MOVE_H

#include "model/table.h"

/**
 * move_describe - does a new table take data away?
 * @old: the running table; devices as numbers
 * @new: the one to come; likewise
 *
 * The same mapping, more of it, or another target on the same sectors do no
 * harm.
 *
 * Return: what it does, to be put behind "NAME is in use and": a new string;
 * NULL if it does no harm.
 */
char *move_describe(const struct table *old, const struct table *new);

/*
 * The part of that which nobody sees in the tables: a path that names another
 * file than it did.  A new string, or NULL; also NULL if the module or the
 * file system does not say which files they are.
 */
char *move_other_file(const struct table *old, const struct table *new);

#endif /* NOCLONE_MOVE_H */
