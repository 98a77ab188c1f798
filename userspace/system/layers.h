/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Mapped devices above and below one another, from sysfs.
 *
 * LVM builds a logical volume from other volumes of its group: the mirror vg0/mir from
 * vg0/mir_rimage_0, and the thin volume vg0/thin from vg0/pool_tdata. So devices of one group that
 * are on top of each other are one volume and its parts. The only exception is the origin of a
 * snapshot, because the origin is also a volume for users: the layer vg0-root-real of the origin is
 * below vg0/root, and below each snapshot of vg0/root.
 */
#ifndef NOCLONE_LAYERS_H
#define NOCLONE_LAYERS_H

#include <sys/types.h>

#include "model/policy.h"

/*
 * Find the names of the mapped devices that are below a device and are in the same volume group as
 * this device.
 */
void layers_below(dev_t devno, struct names *names);
/*
 * Return: the name of the device if it is suspended; otherwise the name of a suspended mapped
 * device below it, a new string; NULL if none of these devices is suspended. The disk of the
 * backing file counts as a device below a loop device or a noclone-file target. The table of mounts
 * tells which disk this is, because the file itself may not answer.
 */
char *layers_suspended(dev_t devno);
/*
 * Return: the rule that matches a name of the device, or a name of a volume that the device is a
 * part of; NULL if no rule matches.
 */
const struct policy_line *layers_rule(dev_t devno, const struct policy *p);

#endif /* NOCLONE_LAYERS_H */
