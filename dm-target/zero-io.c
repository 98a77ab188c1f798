// SPDX-License-Identifier: GPL-2.0-only
/*
 * noclone-zero: how a bio ends, dm core's clone or the submitter's own. This file is below
 * the targets, as file/submit.c is, because the fast path calls it.
 */
#include "zero-io.h"
#include "device-state.h"
#include "inflight.h"

#include <linux/bio.h>

/* Execute a bio. Return: false if it fails. */
bool noclone_zero_handle(struct bio *bio)
{
	switch (bio_op(bio)) {
	case REQ_OP_READ:
		/* Zeroes that are read ahead would waste page cache; dm-zero refuses them */
		if (bio->bi_opf & REQ_RAHEAD)
			return false;
		zero_fill_bio(bio);
		return true;
	case REQ_OP_WRITE:
		return true;
	case REQ_OP_DISCARD:
		return NOCLONE_ZERO_DISCARDS;
	default:
		return false;
	}
}

/*
 * End a plain read or write of the submitter, which counts as begun. Context: the mapped
 * device's submit_bio; does not sleep.
 */
void noclone_zero_submit(struct noclone_dev *nd, struct bio *bio)
{
	struct block_device *bdev = bio->bi_bdev;
	unsigned int sectors = bio_sectors(bio);
	unsigned long start = jiffies;

	noclone_count(nd, NOCLONE_FAST);
	/* dm core does not account bios that a target refuses */
	if (!noclone_zero_handle(bio)) {
		bio->bi_status = BLK_STS_IOERR;
	} else if (noclone_compat_accounts_io(bdev)) {
		noclone_compat_start_io_acct(bdev, bio_op(bio), 1, sectors, start);
		noclone_compat_end_io_acct(bdev, bio_op(bio), 1, sectors, start, jiffies);
	}
	bio_endio(bio);
	/* The device may go away from here on */
	noclone_inflight_put(nd);
}
