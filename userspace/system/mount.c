// SPDX-License-Identifier: GPL-2.0-only
/* The devices below mounted file systems, from the table of mounts. */
#include "system/mount.h"

#include <libmount/libmount.h>
#include <string.h>
#include <sys/sysmacros.h>

#include "system/blockdev.h"

/*
 * Return: the block device of a mounted file system, or 0. The device number in @filesystem is not
 * that of the block device, but of the file system itself, as with btrfs.
 */
static dev_t mount_source(dev_t filesystem)
{
	struct libmnt_table *table = mnt_new_table();
	struct libmnt_fs *fs = NULL;
	dev_t disk;

	if (!table)
		return 0;
	if (!mnt_table_parse_mtab(table, NULL))
		fs = mnt_table_find_devno(table, filesystem, MNT_ITER_BACKWARD);
	disk = fs ? blockdev_at(mnt_fs_get_srcpath(fs)) : 0;
	mnt_unref_table(table);
	return disk;
}

dev_t mount_disk(dev_t filesystem)
{
	return major(filesystem) ? filesystem : mount_source(filesystem);
}

/* Return: the length of the mount point @mount if @path is below it or equal to it, otherwise 0. */
static size_t mount_has(const char *path, const char *mount)
{
	size_t length = mount ? strlen(mount) : 0;

	if (length == 1)
		return 1;
	return length && !strncmp(path, mount, length) && strchr("/", path[length]) ? length : 0;
}

dev_t mount_device(const char *path)
{
	struct libmnt_iter *iter = mnt_new_iter(MNT_ITER_FORWARD);
	struct libmnt_table *table = mnt_new_table();
	size_t best = 0, length;
	struct libmnt_fs *fs;
	dev_t devno = 0;

	if (!iter || !table || mnt_table_parse_mtab(table, NULL))
		mnt_reset_table(table);
	/* a later mount hides an earlier mount at the same mount point */
	while (iter && !mnt_table_next_fs(table, iter, &fs)) {
		length = mount_has(path, mnt_fs_get_target(fs));
		if (!length || length < best)
			continue;
		best = length;
		devno = mnt_fs_get_devno(fs);
		if (devno && !major(devno))
			devno = blockdev_at(mnt_fs_get_srcpath(fs));
	}
	mnt_free_iter(iter);
	mnt_unref_table(table);
	return devno;
}
