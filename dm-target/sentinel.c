// SPDX-License-Identifier: GPL-2.0-only
/*
 * A suspend waits for the bios of the fast path, as long as no signal comes.
 *
 * .presuspend hands dm core one bio, the sentinel, and .map keeps its clone until the last
 * bio of the fast path is done: so dm core waits for these bios as for its own.
 *
 * Invariant: sentinel.clone is NULL, or the clone that .map keeps. The clone is stored after
 * nd->live was cleared and a grace period has passed, so no bio begins any more. Only the caller
 * that takes the clone out with xchg() ends it.
 *
 * dm core's submit_bio is called directly, so the sentinel is neither throttled, traced, nor
 * charged to a cgroup. dm core accounts the sentinel to a disk that no user sees.
 *
 * Documentation/design/suspend.rst has the argument, U1 to U9.
 */
#include "sentinel.h"
#include "fops.h"
#include "io.h"
#include "no-disk.h"

#include <linux/bio.h>
#include <linux/device-mapper.h>
#include <linux/gfp.h>
#include <linux/wait_bit.h>

static void noclone_sentinel_end_io(struct bio *bio)
{
	struct noclone_dev *nd = container_of(bio, struct noclone_dev, sentinel.bio);

	clear_and_wake_up_bit(0, &nd->sentinel.busy);
}

/*
 * Keep the sentinel out of statistics. dm core accounts a bio after .map has returned: to the
 * iostat of its block_device, and to "dmsetup stats" if it has sectors. After .map, only this
 * accounting reads bi_bdev and bi_size of the sentinel, so both can be replaced.
 */
static void noclone_sentinel_hide(struct bio *bio)
{
	bio->bi_bdev = noclone_no_disk->part0;
	bio->bi_iter.bi_size = 0;
}

/*
 * Keep the clone of the sentinel. Return: the result for .map. Context: .map, below
 * noclone_sentinel_send()
 */
int noclone_sentinel_keep(struct noclone_dev *nd, struct bio *clone)
{
	noclone_sentinel_hide(&nd->sentinel.bio);
	/* Pairs with noclone_inflight_end_sentinel() on another CPU */
	smp_store_release(&nd->sentinel.clone, clone);
	return DM_MAPIO_SUBMITTED;
}

/* End the clone of the sentinel, if a clone is kept. Context: any that may complete bios */
void noclone_sentinel_end(struct noclone_dev *nd)
{
	struct bio *clone = xchg(&nd->sentinel.clone, NULL);

	if (!clone)
		return;
	/* This status does not count as an error of a leg */
	clone->bi_status = BLK_STS_NOTSUPP;
	bio_endio(clone);
}

/* Wait until dm core has given back a sentinel that was ended. This waits for no I/O. */
void noclone_sentinel_flush(struct noclone_dev *nd)
{
	wait_on_bit(&nd->sentinel.busy, 0, TASK_UNINTERRUPTIBLE);
}

static void noclone_sentinel_prepare(struct noclone_dev *nd, blk_opf_t flags)
{
	struct bio *bio = &nd->sentinel.bio;

	bio_init(bio, NULL, &nd->sentinel.vec, 1, REQ_OP_READ | flags);
	/* bio_init() with a device would look for a cgroup */
	bio->bi_bdev = nd->bdev;
	bio->bi_iter.bi_sector = nd->sentinel.sector;
	bio->bi_iter.bi_size = SECTOR_SIZE;
	bio->bi_end_io = noclone_sentinel_end_io;
}

/*
 * Submit the sentinel with @flags. If neither @submit nor dm core fails, .map keeps the clone of
 * the sentinel.
 */
static void noclone_sentinel_try(struct noclone_dev *nd, noclone_sentinel_submit_fn *submit,
				 blk_opf_t flags)
{
	noclone_sentinel_flush(nd);
	set_bit(0, &nd->sentinel.busy);
	noclone_sentinel_prepare(nd, flags);
	if (!submit)
		noclone_fops_dm->submit_bio(&nd->sentinel.bio);
	else if (!submit(nd, &nd->sentinel.bio))
		clear_and_wake_up_bit(0, &nd->sentinel.busy);
}

/*
 * Did dm core have no clone for the sentinel, although there is memory? On Linux 7.1 this always
 * happens for a bio that must not wait, if the bio sets of the device have a cache for each
 * processor. If a page can be allocated without waiting, a bio that may wait gets a clone; see U9.
 * The page is not taken from the emergency reserves for victims of the OOM killer, because the
 * mempools of dm core do not use these reserves either.
 */
static bool noclone_sentinel_may_wait(struct noclone_dev *nd)
{
	unsigned long page;

	if (noclone_sentinel_is_busy(nd) || nd->sentinel.bio.bi_status != BLK_STS_AGAIN)
		return false;
	page = __get_free_page(NOCLONE_IO_GFP);
	free_page(page);
	return page;
}

/*
 * Make dm core wait for the bios in flight. @submit: NULL to call dm core's submit_bio. Return:
 * false if the sentinel has ended already, or if there is no memory. Context: .presuspend, a grace
 * period after noclone_inflight_stop(). noclone_inflight_end_sentinel() has to follow.
 *
 * While dm core holds back new I/O, it ends a bio with REQ_NOWAIT or REQ_RAHEAD at once, and defers
 * other bios. A sentinel that was deferred would wait for the next resume, and the resume for this
 * suspend.
 */
bool noclone_sentinel_send(struct noclone_dev *nd, noclone_sentinel_submit_fn *submit)
{
	if (READ_ONCE(noclone_io_fail_tiers) & NOCLONE_FAIL_SENTINEL)
		return false;
	noclone_sentinel_try(nd, submit, REQ_NOWAIT);
	if (noclone_sentinel_may_wait(nd))
		noclone_sentinel_try(nd, submit, REQ_RAHEAD);
	return READ_ONCE(nd->sentinel.clone);
}
