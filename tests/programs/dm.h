/* SPDX-License-Identifier: GPL-2.0-only */
/* Ioctls of device-mapper without libdevmapper, one after the other. */
#ifndef DM_H
#define DM_H

#include <linux/dm-ioctl.h>
#include <string.h>
#include <sys/ioctl.h>

#include "sectors.h"

static int dm_control;

static union {
	struct dm_ioctl head;
	char bytes[16384];
} dm_io;

static inline void dm_open(void)
{
	dm_control = open("/dev/mapper/control", O_RDWR | O_CLOEXEC);
	if (dm_control < 0)
		die("/dev/mapper/control");
}

/* Forget the last one. Return: where what follows the head begins, such as a target. */
static inline void *dm_begin(void)
{
	memset(&dm_io, 0, sizeof(dm_io));
	return dm_io.bytes + sizeof(dm_io.head);
}

/* Return: 0 or a negative errno. */
static inline int dm_run(const char *name, unsigned int command, unsigned int flags)
{
	dm_io.head.version[0] = DM_VERSION_MAJOR;
	dm_io.head.data_size = sizeof(dm_io);
	dm_io.head.data_start = sizeof(dm_io.head);
	dm_io.head.flags = flags;
	strncpy(dm_io.head.name, name, sizeof(dm_io.head.name) - 1);
	return ioctl(dm_control, command, &dm_io) ? -errno : 0;
}

#endif
