/* SPDX-License-Identifier: GPL-2.0-only */
/* The devices below mounted file systems. */
#ifndef NOCLONE_MOUNT_H
#define NOCLONE_MOUNT_H

#include <sys/types.h>

/*
 * Return: the block device of a file system, or 0. @filesystem: st_dev of the files in this file
 * system
 */
dev_t mount_disk(dev_t filesystem);
/*
 * Find the file system of an absolute path in the table of mounts. Return: the block device of this
 * file system, or 0. The function does not follow symbolic links in the path, because it would have
 * to read them from the file system.
 */
dev_t mount_device(const char *path);

#endif /* NOCLONE_MOUNT_H */
