/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Files of sysfs.  A command reads each of them once: thousands of tables may have one disk.
 *
 * What was read is for messages, for plans, and for checks that are made again before a table
 * runs.  It is forgotten after each ioctl that changes a device, before the last check of a table,
 * and between two rounds of a command that repeats itself.  What tells one device from another
 * just before an ioctl is read by read_line_of().
 */
#ifndef NOCLONE_SYSFS_H
#define NOCLONE_SYSFS_H

/* The text of a file, which belongs to this list, until sysfs_forget(); NULL if there is none. */
const char *sysfs_text(const char *path);
/* Its first line: a new string, or NULL. */
char *sysfs_line(const char *path);
void sysfs_forget(void);

#endif /* NOCLONE_SYSFS_H */
