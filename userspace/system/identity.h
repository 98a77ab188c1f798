/* SPDX-License-Identifier: GPL-2.0-only */
/* Names of a block device, from udev. */
#ifndef NOCLONE_IDENTITY_H
#define NOCLONE_IDENTITY_H

#include <stdbool.h>
#include <sys/types.h>

/*
 * These functions name a device for table_print(): by its canonical path, by a name that survives a
 * reboot, or as major:minor.
 */
char *identity_path(const char *name);
char *identity_persistent(const char *name);
char *identity_number(const char *name);
/* Return: @name, or major:minor if dm or dmsetup would read @name as another name; a new string. */
char *identity_loadable(const char *name);

/* Does the database of udev say that a device of this tool was made with --noscan? */
bool identity_is_noscan(dev_t devno);

#endif /* NOCLONE_IDENTITY_H */
