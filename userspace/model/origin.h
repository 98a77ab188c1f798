/* SPDX-License-Identifier: GPL-2.0-only */
/* The programs that made mapped devices. */
#ifndef NOCLONE_ORIGIN_H
#define NOCLONE_ORIGIN_H

#include <stdbool.h>

/**
 * origin_of_uuid - find the program that made a device
 * @uuid: its DM UUID, which most programs begin with a word for the program
 *
 * Return: the program, "lvm", "kpartx" or another word, a new string; NULL if the UUID does not
 * begin with such a word, for example because dmsetup made the device.
 */
char *origin_of_uuid(const char *uuid);
/*
 * Did LVM make the device? Whenever LVM changes a volume, it replaces the table of the device by a
 * table that LVM has made.
 */
bool origin_is_lvm(const char *uuid);
/*
 * Is the device a logical volume that users name? LVM also makes hidden devices below a volume:
 * their UUIDs are longer, and end with "-cow" or "-tpool", for example.
 */
bool origin_is_lvm_name(const char *uuid);
/* Do both devices belong to the same volume group of LVM? */
bool origin_same_group(const char *uuid, const char *other);

#endif /* NOCLONE_ORIGIN_H */
