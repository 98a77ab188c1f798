/* SPDX-License-Identifier: GPL-2.0-only */
/* Names and UUIDs that a mapped device may have. */
#ifndef NOCLONE_NAME_H
#define NOCLONE_NAME_H

#include <stdbool.h>

/* Does the name consist of characters that libdevmapper does not encode? */
bool name_is_plain(const char *name);
/*
 * Return: "dmsetup", or "dmsetup --manglename none" if libdevmapper would encode the name. A
 * dmsetup command that begins with these words accepts the name.
 */
const char *name_dmsetup(const char *name);
/* Return: the command "dmsetup VERB NAME", quoted for a shell, a new string. */
char *name_command(const char *verb, const char *name);
/* Return: the command "noclone VERB NAME", quoted for a shell, a new string. */
char *name_noclone(const char *verb, const char *name);
/* Return: a command that gives a UUID of this tool to a device without a UUID, a new string. */
char *name_command_setuuid(const char *name);
/*
 * Return: the encoded form of a word, which libdevmapper gives to the kernel as the name, a new
 * string.
 */
char *name_encode(const char *word);
/* Return: the decoded form of a name of the kernel, which dmsetup shows, a new string. */
char *name_decode(const char *name);
/* Return: why a device cannot have this name, as the end of a sentence, or NULL. */
const char *name_problem(const char *name);
/* Return: what is wrong with a DM UUID, or NULL. */
const char *name_uuid_problem(const char *uuid);
/*
 * Did this tool make the device with this UUID? The UUID of a partition is "partN-", followed by
 * the UUID of the device that has the partition table, because kpartx, lsblk and libblkid expect
 * this form.
 */
bool name_uuid_is_noclone(const char *uuid);
/*
 * Return: the UUID of the device that has the partition table; NULL if @uuid is not the UUID of a
 * partition.
 */
const char *name_uuid_of_disk(const char *uuid);
/*
 * Return: the number of the partition with the UUID @uuid; 0 if it is not a partition of the device
 * with the UUID @disk.
 */
unsigned int name_uuid_partition_of(const char *uuid, const char *disk);

/*
 * Encode the path of a file as a word of a table. Messages also print this word, so that no byte of
 * a path can spoil a terminal or JSON.
 *
 * Return: a new string.
 */
char *name_encode_path(const char *path);

#endif /* NOCLONE_NAME_H */
