/* SPDX-License-Identifier: GPL-2.0-only */
/* Names of a block device, from udev. */
#ifndef NOCLONE_IDENTITY_H
#define NOCLONE_IDENTITY_H

/* For table_print(): canonical path, name that survives a reboot, major:minor. */
char *identity_path(const char *name);
char *identity_persistent(const char *name);
char *identity_number(const char *name);
/* As it is, or major:minor if dm or dmsetup would read another name. */
char *identity_loadable(const char *name);

#endif /* NOCLONE_IDENTITY_H */
