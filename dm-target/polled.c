// SPDX-License-Identifier: GPL-2.0-only
/*
 * Polled bios on the fast path, if the parameter "polled" is set.
 *
 * bio_poll() takes the cookie and the device from the bio itself. While the leg has the bio, the
 * cookie and the device in the bio belong to the leg, so the submitter polls the leg's queue
 * directly.
 *
 * Invariant: our ->poll_bio() dereferences no pointer of the bio, because another poller may have
 * completed the bio, and its memory may be another bio by now (SLAB_TYPESAFE_BY_RCU). The
 * ->poll_bio() of dm core gets only bios that dm core polls. All legs of a table have the same
 * queues; the module cannot ensure the same for several devices that one task polls, so the
 * parameter is off by default. Locks: nd->retry_lock guards the bios to be submitted again.
 *
 * Documentation/design/polled.rst has the argument, P1 to P10.
 */
#include "polled.h"
#include "device-state.h"
#include "fops.h"
#include "inflight.h"
#include "kernel.h"

#include <linux/bio.h>
#include <linux/blk-mq.h>
#include <linux/moduleparam.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>

static bool noclone_polled_wanted;
module_param_named(polled, noclone_polled_wanted, bool, 0644);
MODULE_PARM_DESC(polled, "Remap polled I/O in place, on devices that are resumed from now on (default N)");

static struct workqueue_struct *noclone_polled_wq;

/*
 * Our poll_bio, in front of dm_poll_bio(). The poll lists of dm core for an attached device only
 * hold bios that were submitted before it was attached, or that the fast path rejected.
 */
int noclone_polled_poll_bio(struct bio *bio, struct io_comp_batch *iob,
			    unsigned int flags)
{
	if (!(READ_ONCE(bio->bi_opf) & REQ_DRV))
		return 0;
	/*
	 * A bio in place never shows both REQ_DRV and dm core's cookie if they are read in this
	 * order: noclone_fastpath_remap() has a barrier between the cookie and the leg's changes.
	 */
	smp_rmb();
	if (READ_ONCE(bio->bi_cookie) != NOCLONE_DM_COOKIE)
		return 0;
	return noclone_fops_dm->poll_bio(bio, iob, flags);
}

struct noclone_polled_queues {
	unsigned long nr;		/* number of hardware queues */
	unsigned long nr_polled;
	unsigned long first_polled;
};

/*
 * Count the hardware queues of a disk. The driver's tag set has these numbers as well, but may be
 * gone while the disk is still open. Linux 6.19 and later have the queues in an array, which has
 * gaps while the driver changes their number.
 */
static struct noclone_polled_queues
noclone_polled_queues(struct request_queue *q)
{
	struct noclone_polled_queues r = { };
	struct blk_mq_hw_ctx *hctx;
	unsigned long i;

	queue_for_each_hw_ctx(q, hctx, i) {
		if (!hctx)
			continue;
		if (hctx->type == HCTX_TYPE_POLL && !r.nr_polled++)
			r.first_polled = i;
		r.nr++;
	}
	return r;
}

/* Do both devices have the same number and layout of poll queues? */
static bool noclone_polled_alike(struct block_device *a, struct block_device *b)
{
	struct request_queue *q = bdev_get_queue(a), *p = bdev_get_queue(b);
	struct noclone_polled_queues m, n;

	if (q == p)
		return true;
	if (!queue_is_mq(q) || !queue_is_mq(p))
		return false;
	m = noclone_polled_queues(q);
	n = noclone_polled_queues(p);
	return m.nr == n.nr && m.nr_polled == n.nr_polled &&
	       m.first_polled == n.first_polled;
}

/*
 * Return: whether polled bios of this table are remapped in place. They are remapped in place if
 * all legs are alike, and if each target has a leg: workers take the bios of a target without a
 * leg. Context: when the table is attached, because queues of a leg may have changed since the
 * table was loaded.
 */
bool noclone_polled_in_place(const struct noclone_table *table)
{
	const struct noclone_target *t, *last = NULL;
	struct block_device *first = NULL;
	unsigned int leg;
	u32 i;

	/* dm core polls for a table that also has targets of other modules */
	if (!READ_ONCE(noclone_polled_wanted) || !noclone_kernel_polled_is_allowed() ||
	    !table->whole || !noclone_compat_polls(table->nd->disk->queue))
		return false;
	for (i = 0; i < table->nr; i++) {
		t = table->segments[i].target;
		if (t == last)
			continue;
		if (!t->nr_legs)
			return false;
		first = first ?: t->leg[0].bdev;
		for (leg = 0; leg < t->nr_legs; leg++)
			if (!noclone_polled_alike(first, t->leg[leg].bdev))
				return false;
		last = t;
	}
	return true;
}

static struct bio *noclone_polled_take_all(struct noclone_dev *nd)
{
	struct bio *bios;

	spin_lock_irq(&nd->retry_lock);
	bios = bio_list_get(&nd->retries);
	spin_unlock_irq(&nd->retry_lock);
	return bios;
}

/*
 * Submit the bios of the list. Each bio counts as begun, and this count keeps @nd; after the last
 * bio, @nd may be gone.
 */
static void noclone_polled_work(struct work_struct *work)
{
	struct noclone_dev *nd = container_of(work, struct noclone_dev, retry);
	struct bio *bio, *next;

	for (bio = noclone_polled_take_all(nd); bio; bio = next) {
		next = bio->bi_next;
		bio->bi_next = NULL;
		submit_bio_noacct(bio);
		noclone_inflight_put(nd);
	}
}

/*
 * Let the worker submit a bio that a leg had no room for, or that cannot be polled in place. All
 * fields of the bio have the values that its submitter has set. The worker submits it without
 * REQ_POLLED, as dm core does: pollers of a stock device never see BLK_STS_AGAIN. The bio also
 * loses REQ_NOWAIT, because the worker may wait; io_uring sets that flag for its first attempt
 * only. The caller has counted the bio as begun. The worker submits the bio anew, so the fast path
 * or dm core counts it once more, and then ends the count of the caller with
 * noclone_inflight_put(). Context: any.
 *
 * The work is queued with the first bio of a list, so that it never runs without one. The worker
 * may end the last count before this function returns, so the RCU section keeps @nd until then.
 * bio_associate_blkg() also needs an RCU section, see noclone_compat_set_dev().
 */
void noclone_polled_retry(struct noclone_dev *nd, struct bio *bio)
{
	unsigned long flags;

	noclone_polled_end_polling(bio);
	bio->bi_status = BLK_STS_OK;
	/*
	 * bio_endio() may have put the blkg, so associate the bio again. In most cases the current
	 * task is still the submitter.
	 */
	rcu_read_lock();
	bio_associate_blkg(bio);
	spin_lock_irqsave(&nd->retry_lock, flags);
	if (bio_list_empty(&nd->retries))
		queue_work(noclone_polled_wq, &nd->retry);
	bio_list_add(&nd->retries, bio);
	spin_unlock_irqrestore(&nd->retry_lock, flags);
	rcu_read_unlock();
}

/*
 * Pass on a polled bio that cannot take the fast path, for @reason; the caller has counted it as
 * begun. dm core must not poll for this bio while other bios are polled in place, because dm core's
 * list of polled bios may have only one poller. Little is lost: dm core splits most of these bios,
 * and the block layer does not poll for a bio that was split. If the bio also has REQ_NOWAIT, its
 * submitter must not get BLK_STS_AGAIN for a part after other parts have begun. So the bio goes to
 * a worker, which may wait.
 *
 * Two kinds of bios stay polled: all bios of a device whose polled bios go to dm core, and the rest
 * of a bio that dm core has split and already polls, because the rest shares bi_opf with the bio
 * that dm core polls.
 *
 * Return: false if the worker has got the bio and the count.
 */
bool noclone_polled_pass(struct noclone_dev *nd, struct bio *bio,
			 enum noclone_counter reason)
{
	if (reason == NOCLONE_POLLED || reason == NOCLONE_STATS)
		return true;
	if (bio_flagged(bio, BIO_CHAIN) && (bio->bi_opf & REQ_DRV))
		return true;
	if (bio->bi_opf & REQ_NOWAIT) {
		noclone_polled_retry(nd, bio);
		return false;
	}
	bio_clear_polled(bio);
	return true;
}

void noclone_polled_dev_init(struct noclone_dev *nd)
{
	spin_lock_init(&nd->retry_lock);
	bio_list_init(&nd->retries);
	INIT_WORK(&nd->retry, noclone_polled_work);
}

int noclone_polled_init(void)
{
	noclone_polled_wq = alloc_workqueue("dm_noclone_polled",
					    WQ_UNBOUND | WQ_MEM_RECLAIM, 0);
	return noclone_polled_wq ? 0 : -ENOMEM;
}

void noclone_polled_exit(void)
{
	destroy_workqueue(noclone_polled_wq);
}
