// SPDX-License-Identifier: GPL-2.0-only
/*
 * A suspend waits for the bios of the fast path, as long as no signal comes.
 *
 * .presuspend hands dm core one bio, the sentinel, and .map keeps its clone until the last
 * bio of the fast path is done: so dm core waits for these bios as for its own.
 *
 * Invariant: sentinel.clone is NULL or kept. It is stored when nd->live is NULL and a grace
 * period has passed since, so no bio begins any more. The caller that takes it out with
 * xchg() ends it, once.
 *
 * dm core's submit_bio is called directly, so the sentinel is neither throttled, traced,
 * nor charged to a cgroup. dm core accounts it, but to a disk that no user sees.
 *
 * Documentation/design/suspend.rst has the argument, U1 to U9.
 */
#include "sentinel.h"
#include "inflight.h"
#include "interpose.h"
#include "io.h"
#include "no-disk.h"

#include <linux/bio.h>
#include <linux/device-mapper.h>
#include <linux/wait_bit.h>

static void noclone_sentinel_end_io(struct bio *bio)
{
	struct noclone_dev *nd = container_of(bio, struct noclone_dev, sentinel.bio);

	clear_and_wake_up_bit(0, &nd->sentinel.busy);
}

/*
 * dm core accounts a bio after .map has returned: to the iostat of its block_device, and to
 * "dmsetup stats" if it has sectors. Nothing else reads these two any more.
 */
static void noclone_sentinel_hide(struct bio *bio)
{
	bio->bi_bdev = noclone_no_disk->part0;
	bio->bi_iter.bi_size = 0;
}

/* Return: the result for .map. Context: .map, below noclone_sentinel_send() */
int noclone_sentinel_keep(struct noclone_dev *nd, struct bio *clone)
{
	noclone_sentinel_hide(&nd->sentinel.bio);
	/* For noclone_sentinel_drained() on another CPU */
	smp_store_release(&nd->sentinel.clone, clone);
	return DM_MAPIO_SUBMITTED;
}

/* End the sentinel, if it is kept. Context: any that may complete bios */
void noclone_sentinel_end(struct noclone_dev *nd)
{
	struct bio *clone = xchg(&nd->sentinel.clone, NULL);

	if (!clone)
		return;
	/* Not counted as an error of a leg */
	clone->bi_status = BLK_STS_NOTSUPP;
	bio_endio(clone);
}

/* Wait until dm core has given back a sentinel that was ended. This waits for no I/O. */
void noclone_sentinel_flush(struct noclone_dev *nd)
{
	wait_on_bit(&nd->sentinel.busy, 0, TASK_UNINTERRUPTIBLE);
}

static void noclone_sentinel_prepare(struct noclone_dev *nd)
{
	struct bio *bio = &nd->sentinel.bio;

	bio_init(bio, NULL, &nd->sentinel.vec, 1, REQ_OP_READ | REQ_NOWAIT);
	/* bio_init() would look for a cgroup */
	bio->bi_bdev = nd->bdev;
	bio->bi_iter.bi_sector = nd->sentinel.sector;
	bio->bi_iter.bi_size = SECTOR_SIZE;
	bio->bi_end_io = noclone_sentinel_end_io;
}

/*
 * Have dm core wait for the bios in flight. @submit: NULL to call dm core's submit_bio. Return:
 * false if all bios are done, or there is no memory. Context: .presuspend, a grace period
 * after noclone_inflight_stop().
 */
bool noclone_sentinel_send(struct noclone_dev *nd, noclone_sentinel_submit_fn *submit)
{
	if (READ_ONCE(noclone_io_fail_tiers) & NOCLONE_FAIL_SENTINEL)
		return false;
	noclone_sentinel_flush(nd);
	set_bit(0, &nd->sentinel.busy);
	noclone_sentinel_prepare(nd);
	if (!submit)
		noclone_fops_dm->submit_bio(&nd->sentinel.bio);
	else if (!submit(nd, &nd->sentinel.bio))
		clear_and_wake_up_bit(0, &nd->sentinel.busy);
	if (!READ_ONCE(nd->sentinel.clone))
		return false;
	/* Pairs with noclone_sentinel_drained(): one of the two sees what the other did */
	smp_mb();
	if (noclone_inflight_is_zero(nd))
		noclone_sentinel_end(nd);
	return true;
}

/*
 * A bio of the fast path is done, and a suspend may wait for it. Context: any that may
 * complete bios, inside of rcu_read_lock(), and preemptible if the caller was.
 */
void noclone_sentinel_drained(struct noclone_dev *nd)
{
	/* Count before reading the clone. Pairs with noclone_sentinel_send() */
	smp_mb();
	/* Read the clone before the sums: only if it exists, no bio begins any more */
	if (smp_load_acquire(&nd->sentinel.clone) && noclone_inflight_is_zero(nd))
		noclone_sentinel_end(nd);
}
