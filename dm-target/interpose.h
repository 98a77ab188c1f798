/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Replacing the block_device_operations of a mapped device.
 */
#ifndef DM_NOCLONE_INTERPOSE_H
#define DM_NOCLONE_INTERPOSE_H

#include <linux/blkdev.h>

#include "device-state.h"

/* dm core's own; set before any device gets our copy */
extern const struct block_device_operations *noclone_fops_dm;

void noclone_fops_init(void (*submit_bio)(struct bio *bio));
enum noclone_state noclone_fops_learn(struct noclone_dev *nd);
bool noclone_fops_replace(struct noclone_dev *nd, bool on);

#endif /* DM_NOCLONE_INTERPOSE_H */
