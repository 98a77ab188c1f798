/* SPDX-License-Identifier: GPL-2.0-only */
/* Names and UUIDs that a mapped device may have. */
#ifndef NOCLONE_NAME_H
#define NOCLONE_NAME_H

#include <stdbool.h>

/* Only letters, digits and what else libdevmapper leaves as it is? */
bool name_is_plain(const char *name);
/* "dmsetup", so that it takes the kernel's name as it is. */
const char *name_dmsetup(const char *name);
/* "dmsetup VERB NAME" as a shell takes it: a new string. */
char *name_command(const char *verb, const char *name);
/* "noclone VERB NAME" as a shell takes it: a new string. */
char *name_noclone(const char *verb, const char *name);
/* The command that gives a device without a UUID one of this tool: a new string. */
char *name_command_setuuid(const char *name);
/* The name that libdevmapper gives the kernel for a word: a new string. */
char *name_encode(const char *word);
/* What dmsetup shows for the kernel's name, if that is encoded: a new string. */
char *name_decode(const char *name);
/* Why a device cannot have that name, as the end of a sentence; NULL if it can. */
const char *name_problem(const char *name);
/* The same for a DM UUID. */
const char *uuid_problem(const char *uuid);

/*
 * The path of a file as a word of a table: a new string.  The same goes into
 * messages, so that no byte of a path can spoil a terminal or JSON.
 */
char *path_encode(const char *path);

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
/* Are both of one volume group of LVM, whatever layers or volumes they are? */
bool origin_same_group(const char *uuid, const char *other);

#endif /* NOCLONE_NAME_H */
