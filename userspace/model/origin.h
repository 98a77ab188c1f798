/* SPDX-License-Identifier: GPL-2.0-only */
/* The programs that made mapped devices. */
#ifndef NOCLONE_ORIGIN_H
#define NOCLONE_ORIGIN_H

#include <stdbool.h>

/**
 * origin_of_uuid - find the program that made a device
 * @uuid: its DM UUID, which begins with a word for the program
 *
 * Return: "lvm", "kpartx" or another word, a new string; NULL if the UUID has no such word, as for
 * a device that was made with dmsetup.
 */
char *origin_of_uuid(const char *uuid);
/* Did LVM make the device? LVM loads its own table again whenever it changes a volume. */
bool origin_is_lvm(const char *uuid);
/* Is the device a volume that users name? UUIDs of hidden layers are longer ("-cow", "-tpool"). */
bool origin_is_lvm_name(const char *uuid);
/* Do both devices belong to the same volume group of LVM? */
bool origin_same_group(const char *uuid, const char *other);

#endif /* NOCLONE_ORIGIN_H */
