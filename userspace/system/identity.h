/* SPDX-License-Identifier: GPL-2.0-only */
/* What a block device is, from udev and from what is on it. */
#ifndef NOCLONE_IDENTITY_H
#define NOCLONE_IDENTITY_H

#include <stdbool.h>

#include "model/facts.h"
#include "model/saved.h"

/* What a signature says; each is NULL if it does not.  @type: ext4, LVM2_member, gpt, ... */
struct signature {
	char *type, *id, *label;
};

void signature_free(struct signature *s);

#define _cleanup_signature_ __attribute__((cleanup(signature_free)))

/* Is it known whose the signature in that sector is? */
typedef bool (*identity_test)(uint64_t sector, void *data);

/**
 * identity_probe - look for a signature in a part of a device
 * @facts: the device, opened read-only
 * @first: first sector
 * @sectors: how many
 * @is_known: look for the first one of which this is not true, or NULL
 * @data: its argument
 * @s: filled in
 *
 * Return: 1 if there is one, 0 if not, or a negative errno.
 */
int identity_probe(const struct device_facts *facts, uint64_t first, uint64_t sectors,
		   identity_test is_known, void *data, struct signature *s);

/* For table_print(): canonical path, name that survives a reboot, major:minor. */
char *identity_path(const char *name);
char *identity_persistent(const char *name);
char *identity_number(const char *name);
/* As it is, or major:minor if dm or dmsetup would read another name. */
char *identity_loadable(const char *name);

/* The first leg or backing file that does not exist: a new string, or NULL. */
char *signatures_missing(const struct table *t);
/*
 * Record what they have now.  @planned: a file may not exist yet.  Return: 0, or a negative
 * errno after a message.
 */
int signatures_record(struct table *t, bool planned);

/**
 * signatures_check - do they have what was recorded?
 * @t: with @rename it gets the paths of the devices that were looked at, so that what is
 *	used is what was checked
 * @rename: see @t
 * @findings: an error for each that differs; a warning where it may be data of the device
 */
void signatures_check(struct table *t, bool rename, struct findings *findings);

#endif /* NOCLONE_IDENTITY_H */
