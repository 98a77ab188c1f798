/* SPDX-License-Identifier: GPL-2.0-only */
/* Block devices of the running system. */
#ifndef NOCLONE_BLOCKDEV_H
#define NOCLONE_BLOCKDEV_H

#include <stdint.h>
#include <sys/types.h>

#include "model/facts.h"

/**
 * blockdev_lookup - read the facts about a device
 * @name: a path, major:minor, or UUID=, LABEL=, PARTUUID=, PARTLABEL=
 * @facts: filled in, except for the members that blockdev_limits() sets
 *
 * Return: 0 or a negative errno.
 */
int blockdev_lookup(const char *name, struct device_facts *facts);
int blockdev_lookup_number(dev_t devno, struct device_facts *facts);
/*
 * Read the facts about a device as blockdev_lookup() does, but leave the members @sectors and
 * @readonly unset. This function reads two files of sysfs less than blockdev_lookup().
 */
int blockdev_locate(const char *name, struct device_facts *facts);
/* Add to @facts the WWID, and the sizes of blocks, I/Os, discards and zones. */
void blockdev_limits(struct device_facts *facts);
/*
 * Convert a range of sectors of a device into a range of sectors of the whole disk. Return: 0 or a
 * negative errno.
 */
int blockdev_range(const char *name, uint64_t first, uint64_t sectors, struct disk_range *range);
/* Return: the number of a device, or 0 if there is no such device. */
dev_t blockdev_number(const char *name);

/* Return: the device number for a text such as "8:0", or 0 if the text is not of this form. */
dev_t blockdev_parse_number(const char *text);
/*
 * Return: the number of the block device that a path leads to, or 0 if the path does not lead to a
 * block device. @path may be NULL.
 */
dev_t blockdev_at(const char *path);
/*
 * Return: the number of the device that has this name in sysfs, or 0. Such a name has "!" instead
 * of each slash.
 */
dev_t blockdev_kernel_number(const char *name);
/* Return: the path /sys/dev/block/MAJOR:MINOR/@attribute, a new string. */
char *blockdev_sysfs(dev_t devno, const char *attribute);
/* Return: the first line of the file that blockdev_sysfs() names, a new string, or NULL. */
char *blockdev_attribute(dev_t devno, const char *attribute);
/*
 * Return: the same as blockdev_attribute(), but the file is read again even if the command has
 * already read it.
 */
char *blockdev_attribute_now(dev_t devno, const char *attribute);
/* Return: how many KiB the kernel reads ahead, or 0 if this is not known. */
uint64_t blockdev_readahead(dev_t devno);
void blockdev_set_readahead(dev_t devno, uint64_t kib);
/*
 * Return: the name of a mapped device, a new string, or NULL if the device is not a mapped device.
 * The name comes from sysfs, without an ioctl.
 */
char *blockdev_mapped_name(dev_t devno);
/* Return: the number of the mapped device with this name, or 0. The number comes from sysfs. */
dev_t blockdev_mapped_number(const char *name);

#endif /* NOCLONE_BLOCKDEV_H */
