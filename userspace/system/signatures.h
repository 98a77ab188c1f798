/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The signatures on the legs of a saved device, and on the other sectors of the legs' disks. The
 * saved file of the device records these signatures.
 */
#ifndef NOCLONE_SIGNATURES_H
#define NOCLONE_SIGNATURES_H

#include <stdbool.h>

#include "model/finding.h"
#include "model/table.h"

/* Return: the first leg or backing file that does not exist, a new string, or NULL. */
char *signatures_missing(const struct table *t);
/**
 * signatures_record - record the signatures of all legs, and of the other sectors of their disks
 * @t: gets the signatures
 * @planned: true if the change is only planned, so a backing file may not exist yet
 * @accepts: true if the user accepts the present signatures of the disks. If it is false, an
 *	existing record of the other sectors of a disk stays, because the device does not hold these
 *	sectors, and another program may use them now
 *
 * If the other sectors of a disk cannot be read, their existing record also stays. Without an
 * existing record, the new record is SIGNATURE_UNREAD.
 *
 * Return: 0, or a negative errno after a message.
 */
int signatures_record(struct table *t, bool planned, bool accepts);

/**
 * signatures_check - compare the present signatures of all legs with the recorded signatures
 * @t: the table of the saved device. If @rename is true, the names of its legs are replaced by the
 *	paths of the devices that were checked, so that exactly these devices are used
 * @rename: see @t
 * @findings: gets an error for each difference, or only a warning if the present signature may be
 *	data that was written through the saved device
 */
void signatures_check(struct table *t, bool rename, struct findings *findings);

#endif /* NOCLONE_SIGNATURES_H */
