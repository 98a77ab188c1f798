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
 * Read the facts about a device as blockdev_lookup() does, but neither its size nor whether the
 * device is read-only. This reads two files of sysfs less.
 */
int blockdev_locate(const char *name, struct device_facts *facts);
/* Add the WWID, and the sizes of blocks, I/Os, discards and zones. */
void blockdev_limits(struct device_facts *facts);
/* Find out which sectors of its disk a range of a device has. Return: 0 or a negative errno. */
int blockdev_range(const char *name, uint64_t first, uint64_t sectors, struct disk_range *range);
/* Return: the number of a device, or 0 if there is no such device. */
dev_t blockdev_number(const char *name);

/* Return: the number for a text such as "8:0", or 0 if the text is not of this form. */
dev_t blockdev_parse_number(const char *text);
/* Return: the number of the device that a path leads to, or 0; @path may be NULL. */
dev_t blockdev_at(const char *path);
/* Return: the number of the device with this name in sysfs, which has "!" for a slash; or 0. */
dev_t blockdev_kernel_number(const char *name);
/* Return: the path /sys/dev/block/MAJOR:MINOR/@attribute, a new string. */
char *blockdev_sysfs(dev_t devno, const char *attribute);
/* Return: the first line of this attribute of a device, a new string, or NULL. */
char *blockdev_attribute(dev_t devno, const char *attribute);
/* Read the attribute again, even if the command has read it before. */
char *blockdev_attribute_now(dev_t devno, const char *attribute);
/* Return: how many KiB the kernel reads ahead, or 0 if this is not known. */
uint64_t blockdev_readahead(dev_t devno);
void blockdev_set_readahead(dev_t devno, uint64_t kib);
/* Return: the name of a mapped device from sysfs, without an ioctl, or NULL for another device. */
char *blockdev_mapped_name(dev_t devno);
/* Return: the number of the mapped device of that name, from sysfs, or 0. */
dev_t blockdev_mapped_number(const char *name);

#endif /* NOCLONE_BLOCKDEV_H */
