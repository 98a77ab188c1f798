/* SPDX-License-Identifier: GPL-2.0-only */
/* Removing a device, for other commands. */
#ifndef NOCLONE_REMOVE_H
#define NOCLONE_REMOVE_H

#include "system/devmap.h"
#include "cli/options.h"
#include "cmd/partitions.h"

struct partition_devices;

/*
 * Remove a device and its partitions, or print which user of a device prevents the removal. A dry
 * run prints the commands that remove the devices, and @file if it is not NULL. @parts: the result
 * of partitions_find()
 *
 * Return: 0, or a negative errno after a message; DEVMAP_UDEV_LATE if all devices are removed, but
 * udev has not answered.
 */
int remove_unused(const struct options *o, const char *command, const struct devmap_device *dev,
		  const struct partition_devices *parts, const char *file);

#endif /* NOCLONE_REMOVE_H */
