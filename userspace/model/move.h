/* SPDX-License-Identifier: GPL-2.0-only */
/* Does a new table move data? */
#ifndef NOCLONE_MOVE_H
#define NOCLONE_MOVE_H

#include "model/table.h"

/**
 * move_describe - find out whether a new table changes the data of the device
 * @old: the live table, which names each device by its number
 * @new: the new table, which names each device by its number
 *
 * The data does not change if the new table has the same mapping, if it only adds sectors at the
 * end, or if it has other target types for the same mapping.
 *
 * Return: the change, as the end of "NAME is in use and ...", a new string; NULL if the data does
 * not change.
 */
char *move_describe(const struct table *old, const struct table *new);

/*
 * Find a change of data that the text of the tables does not show: a path that is in both tables
 * leads to another file now.
 *
 * Return: a sentence about the file, a new string; NULL if there is no such path, or if the inode
 * of one of the files is not known.
 */
char *move_other_file(const struct table *old, const struct table *new);

#endif /* NOCLONE_MOVE_H */
