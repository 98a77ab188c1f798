/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Replace the block_device_operations of a mapped device.
 */
#ifndef DM_NOCLONE_FOPS_H
#define DM_NOCLONE_FOPS_H

#include <linux/blkdev.h>

#include "device-state.h"

/* dm core's own operations; set before any device gets our copy */
extern const struct block_device_operations *noclone_fops_dm;

typedef void noclone_submit_bio_fn(struct bio *bio);
typedef int noclone_poll_bio_fn(struct bio *bio, struct io_comp_batch *iob,
				unsigned int flags);

void noclone_fops_init(noclone_submit_bio_fn *submit_bio,
		       noclone_poll_bio_fn *poll_bio);
enum noclone_state noclone_fops_prepare(struct noclone_dev *nd);
bool noclone_fops_replace(struct noclone_dev *nd, bool on);
void noclone_fops_set_uncovered(struct noclone_dev *nd);

#endif /* DM_NOCLONE_FOPS_H */
