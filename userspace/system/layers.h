/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Mapped devices above and below one another, as sysfs shows them.
 *
 * LVM makes a logical volume of others of its group: the mirror vg0/mir of vg0/mir_rimage_0,
 * the thin volume vg0/thin of vg0/pool_tdata.  Devices of one group that are on top of each
 * other are therefore one volume and its parts.  Only the origin of a snapshot is a volume
 * of its own: the layer vg0-root-real below vg0/root, and below each of its snapshots.
 */
#ifndef NOCLONE_LAYERS_H
#define NOCLONE_LAYERS_H

#include <sys/types.h>

#include "model/policy.h"
#include "system/devmap.h"

/* Visit the devices of its volume group below a device. */
void layers_below(dev_t devno, devmap_visitor visit, void *data);
/* The rule that decides on a device, by its own names and those of its volumes, or NULL. */
const struct policy_line *layers_rule(dev_t devno, const struct policy *p);

#endif /* NOCLONE_LAYERS_H */
