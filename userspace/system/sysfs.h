/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Read files of sysfs and device nodes. A command reads each of them once and keeps its text or its
 * number in a list, because thousands of tables may have the same disk.
 *
 * The entries of the list are used for messages, for plans, and for checks that are repeated before a
 * table becomes live. sysfs_forget() empties the list after each ioctl that changes a device,
 * before the last check of a table, and between two rounds of a command with --watch. The attribute
 * that identifies a device is read with read_line_of() just before an ioctl, and not taken from the
 * list.
 */
#ifndef NOCLONE_SYSFS_H
#define NOCLONE_SYSFS_H

#include <sys/types.h>

/*
 * Return: the text of a file, or NULL if it cannot be read. The text belongs to the list, so the
 * caller does not free it. It is valid until sysfs_forget().
 */
const char *sysfs_text(const char *path);
/* Return: the first line of a file, a new string, or NULL. */
char *sysfs_line(const char *path);
/* Return: the number of the block device whose node has this path, or 0. */
dev_t sysfs_node(const char *path);
void sysfs_forget(void);

#endif /* NOCLONE_SYSFS_H */
