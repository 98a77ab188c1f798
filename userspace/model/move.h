/* SPDX-License-Identifier: GPL-2.0-only */
/* Does a new table move data? */
#ifndef NOCLONE_MOVE_H
#define NOCLONE_MOVE_H

#include "model/table.h"

/**
 * move_describe - find out whether a new table changes the data of the device
 * @old: the live table; devices are given as numbers
 * @new: the new table; devices are given as numbers
 *
 * An equal mapping, a longer one, or another target type for the same sectors changes no data.
 *
 * Return: the change, as the end of "NAME is in use and ...", a new string; NULL if the data stays.
 */
char *move_describe(const struct table *old, const struct table *new);

/*
 * Find a change of data that the tables do not show: the same path leads to another file.
 *
 * Return: a new string, or NULL; also NULL if the inodes are not known.
 */
char *move_other_file(const struct table *old, const struct table *new);

#endif /* NOCLONE_MOVE_H */
