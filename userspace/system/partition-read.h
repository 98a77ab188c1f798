/* SPDX-License-Identifier: GPL-2.0-only */
/* Read the partition table of an image. */
#ifndef NOCLONE_PARTITION_READ_H
#define NOCLONE_PARTITION_READ_H

#include "model/partition.h"

/*
 * Read the partition table of the image at @t->path. The read is done by a separate process, which
 * can be left behind. @why: after an error, set to the reason why the file or device cannot be
 * read, a new string
 *
 * Return: 0 or a negative errno.
 */
int partition_read(struct partition_table *t, char **why);

#endif /* NOCLONE_PARTITION_READ_H */
