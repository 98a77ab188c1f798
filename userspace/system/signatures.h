/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The signatures on the legs of a saved device, and on the rest of the disks. The file of the
 * device records them.
 */
#ifndef NOCLONE_SIGNATURES_H
#define NOCLONE_SIGNATURES_H

#include <stdbool.h>

#include "model/finding.h"
#include "model/table.h"

/* Return: the first leg or backing file that does not exist, a new string, or NULL. */
char *signatures_missing(const struct table *t);
/**
 * signatures_record - record the signatures of all legs, and of the rest of their disks
 * @t: gets the signatures
 * @planned: a backing file may not exist yet
 * @accepts: the user accepts the present signatures of the disks. Otherwise an existing record of
 *	the rest of a disk stays, because the device does not hold the rest, and another program may
 *	use the rest now
 *
 * If the rest of a disk cannot be read, its record also stays.
 *
 * Return: 0, or a negative errno after a message.
 */
int signatures_record(struct table *t, bool planned, bool accepts);

/**
 * signatures_check - compare the signatures of all legs with the recorded ones
 * @t: the table; if @rename is true, its legs get the paths of the devices that were checked, so
 *	that exactly these devices are used
 * @rename: see @t
 * @findings: gets an error for each difference, or a warning if the signature may be data of the
 *	device
 */
void signatures_check(struct table *t, bool rename, struct findings *findings);

#endif /* NOCLONE_SIGNATURES_H */
