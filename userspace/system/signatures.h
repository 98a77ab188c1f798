/* SPDX-License-Identifier: GPL-2.0-only */
/* The signatures that the file of a saved device records: on its legs, and beside them. */
#ifndef NOCLONE_SIGNATURES_H
#define NOCLONE_SIGNATURES_H

#include <stdbool.h>

#include "model/table.h"

/* The first leg or backing file that does not exist: a new string, or NULL. */
char *signatures_missing(const struct table *t);
/**
 * signatures_record - record what they have now, and what the rest of their disks has
 * @t: gets the signatures
 * @planned: a file may not exist yet
 * @accepts: the user accepts what the disks have by now.  Else a record of the rest of a disk stays:
 *	the device does not hold that rest, and another program may have taken it.
 *
 * Where the rest of a disk cannot be read, a record stays, too.
 *
 * Return: 0, or a negative errno after a message.
 */
int signatures_record(struct table *t, bool planned, bool accepts);

/**
 * signatures_check - do they have what was recorded?
 * @t: with @rename it gets the paths of the devices that were looked at, so that what is
 *	used is what was checked
 * @rename: see @t
 * @findings: an error for each that differs; a warning where it may be data of the device
 */
void signatures_check(struct table *t, bool rename, struct findings *findings);

#endif /* NOCLONE_SIGNATURES_H */
