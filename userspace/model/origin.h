/* SPDX-License-Identifier: GPL-2.0-only */
/* Which program has made a mapped device. */
#ifndef NOCLONE_ORIGIN_H
#define NOCLONE_ORIGIN_H

#include <stdbool.h>

/**
 * origin_of_uuid - who made a device
 * @uuid: its DM UUID; programs begin theirs with a word of their own
 *
 * Return: "lvm", "kpartx", ...: a new string; NULL if there is no such word, as
 * for a device of dmsetup.
 */
char *origin_of_uuid(const char *uuid);
/* LVM loads its own table again whenever it touches one of its volumes. */
bool origin_is_lvm(const char *uuid);
/* A volume that people name: the UUIDs of its hidden layers are longer ("-cow", "-tpool"). */
bool origin_is_lvm_name(const char *uuid);

#endif /* NOCLONE_ORIGIN_H */
