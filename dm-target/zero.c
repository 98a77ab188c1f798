// SPDX-License-Identifier: GPL-2.0-only
/*
 * noclone-zero: reads return zeroes and writes are dropped, as by dm's zero target. There is no
 * leg: on the fast path, a bio begins and ends in the call of submit_bio().
 */
#include "zero.h"
#include "device-state.h"
#include "fastpath-status.h"
#include "inflight.h"
#include "sentinel.h"
#include "target.h"

#include <linux/bio.h>
#include <linux/module.h>

/* Read zeroes, or drop a write or discard. Return: false if the bio fails. */
static bool noclone_zero_handle(struct bio *bio)
{
	switch (bio_op(bio)) {
	case REQ_OP_READ:
		/*
		 * Zeroes that are read ahead would waste page cache, so read-ahead fails, as with
		 * dm-zero
		 */
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

/* End the submitter's own bio, for struct noclone_target_ops. */
static enum noclone_counter noclone_zero_submit(struct noclone_target *t, struct bio *bio)
{
	struct block_device *bdev = bio->bi_bdev;
	unsigned int sectors = bio_sectors(bio);
	unsigned long start = jiffies;
	struct noclone_dev *nd = t->nd;

	noclone_count(nd, NOCLONE_FAST);
	/* dm core does not account a bio that a target refuses */
	if (!noclone_zero_handle(bio)) {
		bio->bi_status = BLK_STS_IOERR;
	} else if (noclone_compat_accounts_io(bdev)) {
		noclone_compat_start_io_acct(bdev, bio_op(bio), 1, sectors, start);
		noclone_compat_end_io_acct(bdev, bio_op(bio), 1, sectors, start, jiffies);
	}
	bio_endio(bio);
	/* The device may be removed from here on */
	noclone_inflight_put(nd);
	return NOCLONE_FAST;
}

static const struct noclone_target_ops noclone_zero_ops = {
	.submit = noclone_zero_submit,
};

/*
 * Construct a mapping that reads as zeroes:
 *	(no arguments)
 */
static int noclone_zero_ctr(struct dm_target *ti, unsigned int argc, char **argv)
{
	struct noclone_target *t;
	int r;

	if (argc) {
		ti->error = NOCLONE_ERR_ZERO_ARGS;
		return -EINVAL;
	}
	t = noclone_target_alloc(ti, 0);
	if (!t)
		return -ENOMEM;
	ti->private = t;
	t->ops = &noclone_zero_ops;
	noclone_layout_init(&t->layout, ti->begin, 1, 0);
	r = noclone_target_finish(t);
	if (r) {
		noclone_target_dtr(ti);
		return r;
	}
	/* Discards are dropped as writes are */
	ti->num_discard_bios = 1;
	ti->discards_supported = NOCLONE_ZERO_DISCARDS;
	return 0;
}

/* This function is called for clones, that is, for bios that the fast path left to dm core. */
static int noclone_zero_map(struct dm_target *ti, struct bio *bio)
{
	struct noclone_target *t = ti->private;

	if (noclone_sentinel_is(t->nd, bio))
		return noclone_sentinel_keep(t->nd, bio);
	noclone_count(t->nd, NOCLONE_CLONES);
	if (!noclone_zero_handle(bio))
		return DM_MAPIO_KILL;
	bio_endio(bio);
	return DM_MAPIO_SUBMITTED;
}

static void noclone_zero_status(struct dm_target *ti, status_type_t type,
				unsigned int status_flags, char *result, unsigned int maxlen)
{
	struct noclone_target *t = ti->private;
	size_t sz = 0;

	switch (type) {
	case STATUSTYPE_INFO:
		noclone_status_emit(t->nd, noclone_target_is_first(t), result, maxlen, sz);
		break;
	case STATUSTYPE_TABLE:
		*result = '\0';
		break;
	case STATUSTYPE_IMA:
		DMEMIT_TARGET_NAME_VERSION(ti->type);
		DMEMIT(";");
		break;
	}
}

static void noclone_zero_io_hints(struct dm_target *ti, struct queue_limits *limits)
{
	if (!NOCLONE_ZERO_DISCARDS)
		return;
	limits->max_hw_discard_sectors = UINT_MAX;
	limits->discard_granularity = SECTOR_SIZE;
}

struct target_type noclone_zero_target = {
	.name			= NOCLONE_ZERO_NAME,
	.version		= { NOCLONE_VERSION_MAJOR,
				    NOCLONE_VERSION_MINOR,
				    NOCLONE_VERSION_PATCH },
	.features		= DM_TARGET_NOWAIT,
	.module			= THIS_MODULE,
	.ctr			= noclone_zero_ctr,
	.dtr			= noclone_target_dtr,
	.map			= noclone_zero_map,
	.presuspend		= noclone_target_presuspend,
	.presuspend_undo	= noclone_target_resume,
	.resume			= noclone_target_resume,
	.status			= noclone_zero_status,
	.message		= noclone_target_message,
	.io_hints		= noclone_zero_io_hints,
};
