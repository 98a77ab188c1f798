/* SPDX-License-Identifier: GPL-2.0-only */
/* Remove a device that is not in use, for remove and deactivate. */
#ifndef NOCLONE_REMOVE_H
#define NOCLONE_REMOVE_H

#include "system/devmap.h"
#include "cli/options.h"
#include "cmd/partitions.h"

struct partition_devices;

/*
 * Remove a device and its partition devices, or report the users that prevent the removal.
 * @command: the name of the command; @parts: the partition devices that partitions_find() has
 * found. A dry run prints commands that remove the devices and, if @file is not NULL, the saved
 * file @file.
 *
 * Return: 0, or a negative errno after a message; DEVMAP_UDEV_LATE if all devices are removed, but
 * udev has not answered.
 */
int remove_unused(const struct options *o, const char *command, const struct devmap_device *dev,
		  const struct partition_devices *parts, const char *file);

#endif /* NOCLONE_REMOVE_H */
