/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Mapped devices above and below one another, from sysfs.
 *
 * LVM builds a logical volume from other volumes of its group: the mirror vg0/mir from
 * vg0/mir_rimage_0, and the thin volume vg0/thin from vg0/pool_tdata. So devices of one group that
 * are on top of each other are one volume and its parts. The only exception is the origin of a
 * snapshot, because the origin is also a volume for users: its layer vg0-root-real is below
 * vg0/root, and below each of its snapshots.
 */
#ifndef NOCLONE_LAYERS_H
#define NOCLONE_LAYERS_H

#include <sys/types.h>

#include "model/policy.h"

/* Find the names of the devices below a device that belong to its volume group. */
void layers_below(dev_t devno, struct names *names);
/*
 * Return: the name of the device if it is suspended, or of a suspended mapped device that it stands
 * on, a new string, or NULL. A loop device or noclone-file stands on the disk of its file. The
 * table of mounts names this disk, because the file itself may not answer.
 */
char *layers_suspended(dev_t devno);
/* Return: the rule that matches a name of the device, or a name of one of its volumes; or NULL. */
const struct policy_line *layers_rule(dev_t devno, const struct policy *p);

#endif /* NOCLONE_LAYERS_H */
