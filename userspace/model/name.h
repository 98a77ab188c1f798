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

#endif /* NOCLONE_NAME_H */
