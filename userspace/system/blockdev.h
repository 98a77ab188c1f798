/* SPDX-License-Identifier: GPL-2.0-only */
/* Block devices of the running system. */
#ifndef NOCLONE_BLOCKDEV_H
#define NOCLONE_BLOCKDEV_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "model/facts.h"

/**
 * blockdev_lookup - facts about a device
 * @name: path, major:minor, or UUID=, LABEL=, PARTUUID=, PARTLABEL=
 * @facts: filled in
 *
 * Return: 0 or a negative errno.
 */
int blockdev_lookup(const char *name, struct device_facts *facts);
int blockdev_lookup_number(dev_t devno, struct device_facts *facts);

/* "8:0"; 0 if it is none. */
dev_t blockdev_parse_number(const char *text);
/* Of the device that the kernel calls so, with "!" for a slash; 0 if there is none. */
dev_t blockdev_kernel_number(const char *name);
/* /sys/dev/block/MAJOR:MINOR/@attribute: a new string */
char *blockdev_sysfs(dev_t devno, const char *attribute);
/* The first line of that file: a new string, or NULL. */
char *blockdev_attribute(dev_t devno, const char *attribute);
/* Name of a mapped device from sysfs, so without an ioctl; NULL if it is none. */
char *blockdev_mapped_name(dev_t devno);
/* Number of the mapped device of that name, from sysfs; 0 if there is none. */
dev_t blockdev_mapped_number(const char *name);

#endif /* NOCLONE_BLOCKDEV_H */
