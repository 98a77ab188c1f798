/* SPDX-License-Identifier: GPL-2.0-only */
/* Names and UUIDs that a mapped device may have. */
#ifndef NOCLONE_NAME_H
#define NOCLONE_NAME_H

#include <stdbool.h>

/* Has the name only characters that libdevmapper does not encode? */
bool name_is_plain(const char *name);
/*
 * Return: "dmsetup". If libdevmapper would encode the name, the option that prevents this follows.
 */
const char *name_dmsetup(const char *name);
/* Return: "dmsetup VERB NAME" for a shell, a new string. */
char *name_command(const char *verb, const char *name);
/* Return: "noclone VERB NAME" for a shell, a new string. */
char *name_noclone(const char *verb, const char *name);
/* Return: a command that gives a UUID of this tool to a device without a UUID, a new string. */
char *name_command_setuuid(const char *name);
/* Return: the name that libdevmapper gives to the kernel for a word, a new string. */
char *name_encode(const char *word);
/* Return: the name that dmsetup shows if the kernel's name is encoded, a new string. */
char *name_decode(const char *name);
/* Return: why a device cannot have that name, as the end of a sentence, or NULL. */
const char *name_problem(const char *name);
/* Return: what is wrong with a DM UUID, or NULL. */
const char *name_uuid_problem(const char *uuid);
/*
 * Did this tool make the device with this UUID? The UUID of a partition is "partN-" and the UUID of
 * the device that has the partition table, as kpartx, lsblk and libblkid expect it.
 */
bool name_uuid_is_noclone(const char *uuid);
/* Return: the UUID of the device that has the partition table; NULL if @uuid is no partition's. */
const char *name_uuid_of_disk(const char *uuid);
/* Return: the number of the partition of @disk that has the UUID @uuid, or 0 for other devices. */
unsigned int name_uuid_partition_of(const char *uuid, const char *disk);

/*
 * Encode the path of a file as a word of a table. Messages also print this word, so that no byte of
 * a path can spoil a terminal or JSON.
 *
 * Return: a new string.
 */
char *name_encode_path(const char *path);

#endif /* NOCLONE_NAME_H */
