// SPDX-License-Identifier: GPL-2.0-only
/*
 * Attach the fast path to a mapped device, and detach it, any number of times.
 *
 * Invariant: nd->live is NULL, or a complete table that qualifies. The submitters in fastpath.c
 * read nd->live, and give the bio to dm core if it is NULL. Locks: nd->lock guards attaching and
 * detaching; no task waits for a bio while holding it. Callers: the callbacks of dm core, which
 * hold md->suspend_lock, except .message, which is called inside the SRCU section of the live
 * table; the parameter "stock", when it is set to "off"; module exit; and a work item of
 * file/extent.c, which detaches without md->suspend_lock.
 *
 * Documentation/design/fastpath.rst, A5 to A12.
 */
#include "fastpath-attach.h"
#include "fops.h"
#include "inflight.h"
#include "kernel.h"
#include "plain.h"
#include "sentinel.h"

#include <linux/device-mapper.h>
#include <linux/rcupdate.h>

/*
 * Compare the table with the size of the device, and store the results in the members @whole and
 * @one_segment. If an undone suspend attaches a table again, the members already have these values,
 * and submitters may read them at the same time, so the function stores nothing then. Context:
 * nd->lock; @table is complete and not live.
 */
static void noclone_fastpath_measure(struct noclone_table *table)
{
	const bool whole = table->sectors == dm_table_get_size(table->dm);
	const bool one_segment = whole && table->nr == 1;

	if (table->whole != whole)
		table->whole = whole;
	if (table->one_segment != one_segment)
		table->one_segment = one_segment;
}

/*
 * Check whether this table can use the fast path (A5), and prepare our operations, which the last
 * check needs. Return: NOCLONE_ON, or the reason against the fast path.
 */
static enum noclone_state
noclone_fastpath_qualify(const struct noclone_table *table)
{
	struct noclone_dev *nd = table->nd;
	void *data = READ_ONCE(nd->disk->queue->queuedata);

	if (!noclone_kernel_is_allowed())
		return NOCLONE_OFF_KERNEL;
	/*
	 * A table that is not whole may also have thin targets, and a thin pool suspends the device
	 * of such a table internally. On these kernels an internal resume calls no .resume, so it
	 * would not attach the fast path again
	 */
	if (!NOCLONE_INTERNAL_RESUME_CALLS_TARGETS && !table->whole)
		return NOCLONE_OFF_MIXED;
	if (table->zoned || bdev_is_zoned(nd->bdev))
		return NOCLONE_OFF_ZONED;
	if (atomic_read(&table->unpinned))
		return NOCLONE_OFF_UNPINNED;
	if (data && data != nd)
		return NOCLONE_OFF_FOREIGN;
	return noclone_fops_prepare(nd);
}

static struct noclone_table *noclone_fastpath_live(const struct noclone_dev *nd)
{
	return rcu_dereference_protected(nd->live, lockdep_is_held(&nd->lock));
}

static enum noclone_state
noclone_fastpath_requested(const struct noclone_dev *nd)
{
	if (!nd->overridden && noclone_fastpath_live(nd)->no_fastpath)
		return NOCLONE_OFF_OPTION;
	return nd->requested;
}

/* Let no submitter find @nd any more. Context: nd->lock is held. */
static void noclone_fastpath_forget(struct noclone_dev *nd)
{
	struct request_queue *q = nd->disk->queue;

	if (q->queuedata == nd)
		WRITE_ONCE(q->queuedata, NULL);
}

/*
 * Install or remove our operations, as the user requests. Another module may have replaced our
 * operations by its own, which call our submit_bio. If the fast path is off, our submit_bio then
 * finds no device and passes the bio to dm core.
 */
static void noclone_fastpath_apply(struct noclone_dev *nd)
{
	enum noclone_state requested = noclone_fastpath_requested(nd);
	bool on = requested == NOCLONE_ON;

	/*
	 * Let submitters find @nd again after noclone_fastpath_forget(). A barrier is not needed,
	 * because @nd and its live table were complete before
	 */
	if (on)
		WRITE_ONCE(nd->disk->queue->queuedata, nd);
	if (noclone_fops_replace(nd, on)) {
		WRITE_ONCE(nd->state, requested);
		return;
	}
	WRITE_ONCE(nd->state, NOCLONE_OFF_FOREIGN);
	if (!on)
		noclone_fastpath_forget(nd);
}

/*
 * Has the removal of @disk begun? A removal may begin while the device is suspended. Kernels
 * without "dm: fix resume-vs-remove race" then still resume the device, and no further .presuspend
 * would detach it. A removal that begins after this check waits for the resume, and then suspends
 * the device. Context: any that may take a spinlock of dm core.
 */
bool noclone_fastpath_is_being_removed(struct gendisk *disk)
{
	struct mapped_device *md = dm_get_md(disk_devt(disk));

	if (md)
		dm_put(md);
	return !md;
}

/*
 * Start using the fast path, if the table that is about to be live qualifies. Context: .resume or
 * .presuspend_undo; nothing may fail.
 */
void noclone_fastpath_attach(struct noclone_table *table)
{
	struct noclone_dev *nd = table->nd;
	enum noclone_state state;

	/* In .presuspend_undo, dm core does not wait for the sentinel any more */
	noclone_sentinel_end(nd);
	if (noclone_fastpath_is_being_removed(nd->disk))
		return;
	mutex_lock(&nd->lock);
	if (!noclone_fastpath_live(nd)) {
		/* After an undone suspend, bios may still be in flight: @draining stays set then */
		noclone_inflight_try_end_drain(nd);
		noclone_fastpath_measure(table);
		state = noclone_fastpath_qualify(table);
		WRITE_ONCE(nd->state, state);
		if (state == NOCLONE_ON) {
			WRITE_ONCE(nd->slow_opf, noclone_plain_slow_opf(table));
			nd->sentinel.sector = table->spans[0].begin;
			/* Initialise @nd before it can be found */
			smp_store_release(&nd->disk->queue->queuedata, nd);
			/*
			 * After an undone suspend, bios in flight belong to this table, which is
			 * live again: nothing waits for them
			 */
			WRITE_ONCE(nd->draining, false);
			rcu_assign_pointer(nd->live, table);
			noclone_fastpath_apply(nd);
		}
	}
	mutex_unlock(&nd->lock);
}

/*
 * Let new writes to @table fail, whether the table is live or not; writes in flight continue.
 * Context: may sleep.
 */
void noclone_fastpath_deny_writes(struct noclone_table *table)
{
	struct noclone_dev *nd = table->nd;

	mutex_lock(&nd->lock);
	WRITE_ONCE(table->denies_writes, true);
	if (noclone_fastpath_live(nd) == table)
		WRITE_ONCE(nd->slow_opf, noclone_plain_slow_opf(table));
	mutex_unlock(&nd->lock);
}

/*
 * Stop using the fast path, if it is in use. The caller waits for the grace period that has to
 * follow, because one grace period can serve many devices, and because the device may be freed
 * after the grace period. Return: true if there may be bios to wait for after the grace period.
 * Context: may sleep; with md->suspend_lock, or, for stock devices, when no task attaches any more.
 */
bool noclone_fastpath_detach_begin(struct noclone_dev *nd)
{
	bool draining;

	mutex_lock(&nd->lock);
	if (noclone_fastpath_live(nd)) {
		noclone_fops_replace(nd, false);
		noclone_inflight_stop(nd);
		noclone_fastpath_forget(nd);
	}
	WRITE_ONCE(nd->state, NOCLONE_OFF_SUSPENDED);
	draining = READ_ONCE(nd->draining);
	mutex_unlock(&nd->lock);
	return draining;
}

/*
 * .presuspend: stop using the fast path. dm core waits for the bios in flight, in interruptible
 * sleep. This function itself waits only if there is no memory for a sentinel, or if the device is
 * being removed. It waits in TASK_IDLE: then a stuck leg counts neither as load nor as a hung task.
 * dm core calls .presuspend for each target of a table; a later call finds a sentinel, or nothing
 * to wait for.
 *
 * After dm core's wait, or the wait of this function, no bio or submitter references the live
 * table. A submitter in our submit_bio that has not counted its bio yet calls dm core's submit_bio.
 * The queue is not frozen (A9).
 * @submit: see noclone_sentinel_send()
 */
void noclone_fastpath_presuspend(struct noclone_dev *nd, noclone_sentinel_submit_fn *submit)
{
	bool removed;

	if (!noclone_fastpath_detach_begin(nd))
		return;
	removed = noclone_fastpath_is_being_removed(nd->disk);
	/* An earlier call has sent a sentinel, and dm core waits for this sentinel */
	if (!removed && READ_ONCE(nd->sentinel.clone))
		return;
	/* The grace period is expedited, as is dm core's grace period for the table in a suspend */
	synchronize_rcu_expedited();
	while (!noclone_inflight_try_end_drain(nd) &&
	       (removed || !noclone_sentinel_send(nd, submit)))
		schedule_timeout_idle(1);
	/* The last bio may have been done before its completion could see the sentinel */
	noclone_inflight_end_sentinel(nd);
	if (removed)
		noclone_sentinel_flush(nd);
}

/*
 * Execute the message "fastpath on" or "fastpath off". The message overrides the module parameter
 * and the table options; bios in flight are not affected. Context: .message; may sleep for
 * nd->lock, whose holders wait for no I/O.
 */
void noclone_fastpath_switch(struct noclone_dev *nd, bool on)
{
	mutex_lock(&nd->lock);
	nd->overridden = true;
	WRITE_ONCE(nd->requested, on ? NOCLONE_ON : NOCLONE_OFF_MESSAGE);
	if (noclone_fastpath_live(nd))
		noclone_fastpath_apply(nd);
	mutex_unlock(&nd->lock);
}
