/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Files of sysfs. A command reads each file once, because thousands of tables may have the same
 * disk.
 *
 * The text is for messages, for plans, and for checks that are repeated before a table becomes
 * live. The text is forgotten after each ioctl that changes a device, before the last check of a
 * table, and between two rounds of a command that repeats itself. Just before an ioctl,
 * read_line_of() reads the attribute that identifies the device.
 */
#ifndef NOCLONE_SYSFS_H
#define NOCLONE_SYSFS_H

/* Return: the text of a file, which belongs to this list until sysfs_forget(), or NULL. */
const char *sysfs_text(const char *path);
/* Return: the first line of a file, a new string, or NULL. */
char *sysfs_line(const char *path);
void sysfs_forget(void);

#endif /* NOCLONE_SYSFS_H */
