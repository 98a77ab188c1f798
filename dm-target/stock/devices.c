// SPDX-License-Identifier: GPL-2.0-only
/*
 * The list of mapped devices with stock targets: joining it, leaving it, and
 * the work on devices outside of dm core's callbacks.
 *
 * dm core does not tell when a device is gone: entries are found by diskseq, which
 * is never used twice, and a work item frees entries that have no device any more.
 *
 * A device that is in use is attached by suspending and resuming it inside the
 * kernel: user space need not run while it is suspended, so it may hold
 * the root file system or swap.
 */
#include "devices.h"
#include "learn.h"
#include "../fastpath.h"
#include "../inflight.h"
#include "../mapped-device.h"
#include "../sentinel.h"

#include <linux/blkdev.h>
#include <linux/device-mapper.h>
#include <linux/part_stat.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <linux/workqueue.h>

/* Ticks without a completion after which a device counts as stuck */
#define NOCLONE_STOCK_PATIENCE	HZ

/* Delay until devices that are gone are freed, and until memory is tried again */
#define NOCLONE_STOCK_DELAY	(5 * HZ)

static DEFINE_MUTEX(noclone_stock_lock);
static bool noclone_stock_closing;	/* see noclone_stock_detach_all() */
static LIST_HEAD(noclone_stocks);

/*
 * A queue of our own, because an item waits as long as a leg does not complete I/O. Unbound,
 * because items of an isolated CPU may never run, and exit waits for them.
 */
static struct workqueue_struct *noclone_stock_wq;
static atomic_t noclone_stock_working = ATOMIC_INIT(0);	/* items queued or executing */
static void noclone_stock_collect(struct work_struct *work);
static DECLARE_DELAYED_WORK(noclone_stock_collector, noclone_stock_collect);
static void noclone_stock_retry_all(struct work_struct *work);
static DECLARE_DELAYED_WORK(noclone_stock_retrier, noclone_stock_retry_all);

/*
 * May a work item suspend the device? If a suspend is waiting for bios, the resume that
 * follows attaches, and the work item would wait for dm core's lock, not idle. In the other
 * states the table cannot use the fast path.
 */
static bool noclone_stock_may_suspend(const struct noclone_stock *sd)
{
	switch (READ_ONCE(sd->nd.state)) {
	case NOCLONE_OFF_MIXED:
		return READ_ONCE(sd->partly);
	case NOCLONE_OFF_SUSPENDED:
	case NOCLONE_OFF_LAYOUT:
	case NOCLONE_OFF_ZONED:
		return false;
	default:
		return true;
	}
}

/*
 * Are there bios to wait for? An undone suspend, or a stock=off that a signal has
 * ended, leaves some. This is a hint: only callers of noclone_inflight_is_drained() know that
 * there are none for good.
 */
static bool noclone_stock_is_draining(struct noclone_stock *sd)
{
	return READ_ONCE(sd->nd.draining) && !noclone_inflight_is_zero(&sd->nd);
}

/* Does the device still have to be attached? */
static bool noclone_stock_wants_attach(struct noclone_stock *sd)
{
	return READ_ONCE(sd->nd.requested) == NOCLONE_ON &&
	       noclone_stock_may_suspend(sd) &&
	       !rcu_access_pointer(sd->nd.live) &&
	       !READ_ONCE(noclone_stock_closing);
}

static unsigned long noclone_stock_in_flight(struct block_device *bdev)
{
	unsigned long n = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		n += part_stat_local_read_cpu(bdev, in_flight[READ], cpu) +
		     part_stat_local_read_cpu(bdev, in_flight[WRITE], cpu);
	return n;
}

/*
 * Does the device complete no I/O, although some is in flight? An internal suspend would wait
 * for it in a sleep that no signal ends, and hold the lock that dmsetup needs. The statistics
 * add up times when an I/O ends (Linux 6.1 adds its number when it begins), and an I/O that is
 * in flight in a tick takes some time.
 */
static bool noclone_stock_is_stuck(struct noclone_stock *sd)
{
	struct block_device *bdev = sd->nd.bdev;
	u64 done = part_stat_read_accum(bdev, nsecs);
	unsigned int i;

	for (i = 0; i < NOCLONE_STOCK_PATIENCE; i++) {
		if (!noclone_stock_is_draining(sd) &&
		    (!noclone_stock_in_flight(bdev) ||
		     part_stat_read_accum(bdev, nsecs) != done))
			return false;
		schedule_timeout_idle(1);
	}
	return true;
}

/* The work item must not suspend the device. A resume may have attached it meanwhile. */
static void noclone_stock_put_off(struct noclone_stock *sd, enum noclone_state why)
{
	mutex_lock(&sd->nd.lock);
	if (noclone_stock_wants_attach(sd))
		WRITE_ONCE(sd->nd.state, why);
	mutex_unlock(&sd->nd.lock);
}

static void noclone_stock_resume_again(struct noclone_stock *sd)
{
	struct mapped_device *md = noclone_dev_get_md(&sd->nd);

	if (!md)
		return;
	if (noclone_stock_is_stuck(sd)) {
		noclone_stock_put_off(sd, NOCLONE_OFF_STUCK);
	} else if (noclone_stock_wants_attach(sd)) {
		WRITE_ONCE(sd->attacher, current);
		dm_internal_suspend_noflush(md);
		dm_internal_resume(md);
		WRITE_ONCE(sd->attacher, NULL);
	}
	dm_put(md);
}

/* noclone_stock_prepare() for callers that may wait. */
static bool noclone_stock_prepare_wait(struct noclone_stock *sd)
{
	unsigned int noio;
	int r = 0;

	mutex_lock(&sd->preparing);
	noio = memalloc_noio_save();
	if (!noclone_dev_is_ready(&sd->nd))
		r = noclone_dev_alloc(&sd->nd, GFP_KERNEL);
	memalloc_noio_restore(noio);
	mutex_unlock(&sd->preparing);
	return !r;
}

/* The device may be attached, or switched off, before this begins and while it waits. */
static void noclone_stock_attach_now(struct noclone_stock *sd)
{
	if (!noclone_stock_wants_attach(sd))
		return;
	if (!noclone_stock_prepare_wait(sd)) {
		noclone_stock_put_off(sd, NOCLONE_OFF_MEMORY);
		noclone_stock_retry_later();
	} else if (NOCLONE_INTERNAL_RESUME_IS_WHOLE && noclone_stock_wants_attach(sd)) {
		/* Otherwise the next resume finds the memory */
		noclone_stock_resume_again(sd);
	}
}

/*
 * Attach a device that is in use. .message cannot do so: it is inside the SRCU
 * section that a suspend waits for.
 */
static void noclone_stock_attach_work(struct work_struct *work)
{
	struct noclone_stock *sd = container_of(work, struct noclone_stock, attach);

	noclone_stock_attach_now(sd);
	/* If a signal ends the closing, noclone_stock_retry_all() queues this once more */
	if (READ_ONCE(noclone_stock_closing))
		WRITE_ONCE(sd->interrupted, true);
	noclone_stock_put(sd);
	/* The reader of this calls flush_workqueue() afterwards */
	atomic_dec(&noclone_stock_working);
}

/* Context: noclone_stock_lock */
static struct noclone_stock *noclone_stock_create(struct gendisk *disk)
{
	struct noclone_stock *sd = kzalloc(sizeof(*sd), GFP_NOWAIT | __GFP_NOWARN);

	if (!sd)
		return NULL;
	noclone_dev_init(&sd->nd, disk);
	/* Until the message "fastpath on" is executed */
	sd->nd.requested = NOCLONE_OFF_UNASKED;
	sd->nd.state = NOCLONE_OFF_DETACHED;
	sd->nd.stock = true;
	sd->retries = NOCLONE_STOCK_RETRIES;
	sd->table.nd = &sd->nd;
	mutex_init(&sd->preparing);
	INIT_WORK(&sd->attach, noclone_stock_attach_work);
	list_add_tail(&sd->node, &noclone_stocks);
	return sd;
}

/* Context: after a grace period without a live table. */
static void noclone_stock_free(struct noclone_stock *sd)
{
	noclone_learn_forget(&sd->table, &sd->nd);
	noclone_dev_exit(&sd->nd);
	kfree(sd);
}

/* Context: noclone_stock_lock */
static struct noclone_stock *noclone_stock_find(u64 diskseq)
{
	struct noclone_stock *sd;

	list_for_each_entry(sd, &noclone_stocks, node)
		if (sd->nd.diskseq == diskseq)
			return sd;
	return NULL;
}

/*
 * Return: the entry of the device, for noclone_stock_put(); NULL if
 * it has none and @add is false, or there is no memory.
 */
struct noclone_stock *noclone_stock_get(struct dm_target *ti, bool add)
{
	struct gendisk *disk = dm_disk(dm_table_get_md(ti->table));
	struct noclone_stock *sd;

	mutex_lock(&noclone_stock_lock);
	sd = noclone_stock_find(disk->diskseq);
	if (!sd && add)
		sd = noclone_stock_create(disk);
	if (sd)
		sd->users++;
	mutex_unlock(&noclone_stock_lock);
	return sd;
}

void noclone_stock_put(struct noclone_stock *sd)
{
	mutex_lock(&noclone_stock_lock);
	sd->users--;
	mutex_unlock(&noclone_stock_lock);
}

/* What noclone_stock_doubt() needs to know */
void noclone_stock_count_detaching(struct noclone_stock *sd, int n)
{
	mutex_lock(&noclone_stock_lock);
	sd->detaching += n;
	mutex_unlock(&noclone_stock_lock);
}

/* Return: false if it is queued already, or must not be. Context: noclone_stock_lock */
static bool noclone_stock_queue(struct noclone_stock *sd)
{
	if (noclone_stock_closing || !queue_work(noclone_stock_wq, &sd->attach))
		return false;
	sd->users++;
	atomic_inc(&noclone_stock_working);
	return true;
}

/* Attach @sd from a work item, because a message asks for it. */
void noclone_stock_queue_attach(struct noclone_stock *sd)
{
	mutex_lock(&noclone_stock_lock);
	sd->retries = NOCLONE_STOCK_RETRIES;
	noclone_stock_queue(sd);
	mutex_unlock(&noclone_stock_lock);
}

/* The same after an allocation failed, with a bounded number of retries. Context: as above */
static void noclone_stock_queue_retry(struct noclone_stock *sd)
{
	if (READ_ONCE(sd->nd.requested) == NOCLONE_ON && sd->retries &&
	    noclone_stock_queue(sd))
		sd->retries--;
}

void noclone_stock_retry(struct noclone_stock *sd)
{
	mutex_lock(&noclone_stock_lock);
	noclone_stock_queue_retry(sd);
	mutex_unlock(&noclone_stock_lock);
}

/* Try again soon to attach devices that lack memory. */
void noclone_stock_retry_later(void)
{
	queue_delayed_work(noclone_stock_wq, &noclone_stock_retrier, NOCLONE_STOCK_DELAY);
}

/* Attach devices that lacked memory, or whose work item an interrupted stock=off has ended. */
static void noclone_stock_retry_all(struct work_struct *work)
{
	struct noclone_stock *sd;

	mutex_lock(&noclone_stock_lock);
	list_for_each_entry(sd, &noclone_stocks, node) {
		/* noclone_stock_go_on() calls this again */
		if (noclone_stock_closing)
			break;
		if (READ_ONCE(sd->nd.state) == NOCLONE_OFF_MEMORY || READ_ONCE(sd->interrupted)) {
			WRITE_ONCE(sd->interrupted, false);
			noclone_stock_queue_retry(sd);
		}
	}
	mutex_unlock(&noclone_stock_lock);
}

/* Look soon for devices that are gone. */
void noclone_stock_look_later(void)
{
	queue_delayed_work(noclone_stock_wq, &noclone_stock_collector, NOCLONE_STOCK_DELAY);
}

static bool noclone_stock_is_gone(const struct noclone_stock *sd)
{
	struct mapped_device *md = noclone_dev_get_md(&sd->nd);

	if (md)
		dm_put(md);
	return !md;
}

static void noclone_stock_free_list(struct list_head *list)
{
	struct noclone_stock *sd, *next;

	if (list_empty(list))
		return;
	synchronize_rcu();
	list_for_each_entry_safe(sd, next, list, node)
		noclone_stock_free(sd);
}

/*
 * Free the entry of a device that is gone, also if another module has replaced its operations: no
 * task can submit to it. Return: whether to look at @sd again later. Context: noclone_stock_lock
 */
static bool noclone_stock_collect_one(struct noclone_stock *sd,
				      struct list_head *gone)
{
	if (sd->users)
		return true;
	if ((sd->table.dm && !sd->kept) || !noclone_stock_is_gone(sd))
		return false;
	/* dm_get_md() fails before the .presuspend of a removal has waited for bios */
	if (noclone_stock_is_draining(sd))
		return true;
	list_move(&sd->node, gone);
	return false;
}

/*
 * Free the entries of devices that are gone. A suspended device can be removed without a
 * callback. Its entry stays until the next suspend of any asked device, or until another device is
 * asked: a timer that looks for it would run as long as a device is suspended.
 */
static void noclone_stock_collect(struct work_struct *work)
{
	struct noclone_stock *sd, *next;
	bool again = false;
	LIST_HEAD(gone);

	mutex_lock(&noclone_stock_lock);
	if (!noclone_stock_closing)
		list_for_each_entry_safe(sd, next, &noclone_stocks, node)
			again |= noclone_stock_collect_one(sd, &gone);
	if (again)
		queue_delayed_work(noclone_stock_wq, &noclone_stock_collector,
				   10 * NOCLONE_STOCK_DELAY);
	mutex_unlock(&noclone_stock_lock);
	noclone_stock_free_list(&gone);
}

/*
 * Wait for a leg or for another module, in TASK_IDLE unless @interruptible: the wait is neither
 * load nor a hung task. Return: true if a signal ends the wait.
 */
static bool noclone_stock_nap(bool interruptible, signed long ticks)
{
	if (!interruptible) {
		schedule_timeout_idle(ticks);
		return false;
	}
	schedule_timeout_interruptible(ticks);
	return signal_pending(current);
}

/*
 * Return: 0, or -EINTR after a signal if @interruptible; then the device stays pinned, so that
 * the next call waits once more.
 */
static int noclone_stock_wait_unpinned(struct noclone_stock *sd, bool interruptible)
{
	if (!noclone_dev_unpin(&sd->nd)) {
		DMWARN("another module has replaced the operations of device %u:%u: waiting for that module",
		       MAJOR(sd->nd.dev), MINOR(sd->nd.dev));
		do {
			if (noclone_stock_nap(interruptible, HZ / 10))
				return -EINTR;
		} while (!noclone_dev_unpin(&sd->nd));
	}
	return 0;
}

/* Return: 0 or -EINTR. Context: a grace period after noclone_fastpath_detach_begin() */
static int noclone_stock_drain(struct noclone_stock *sd, bool interruptible)
{
	/* On Linux 6.1 a sentinel on its way to dm core waits for memory, as long as a leg does */
	while (!noclone_inflight_is_drained(&sd->nd) || noclone_sentinel_is_busy(&sd->nd))
		if (noclone_stock_nap(interruptible, 1))
			return -EINTR;
	mutex_lock(&sd->nd.lock);
	noclone_learn_forget(&sd->table, &sd->nd);
	mutex_unlock(&sd->nd.lock);
	return 0;
}

/* Work items may wait for a leg. Return: 0 or -EINTR */
static int noclone_stock_finish_work(bool interruptible)
{
	cancel_delayed_work_sync(&noclone_stock_retrier);
	cancel_delayed_work_sync(&noclone_stock_collector);
	while (atomic_read(&noclone_stock_working))
		if (noclone_stock_nap(interruptible, 1))
			return -EINTR;
	/* The items may not have returned yet */
	flush_workqueue(noclone_stock_wq);
	return 0;
}

static int noclone_stock_wait_all_unpinned(bool interruptible)
{
	struct noclone_stock *sd;
	int r = 0;

	list_for_each_entry(sd, &noclone_stocks, node)
		r = r ?: noclone_stock_wait_unpinned(sd, interruptible);
	return r;
}

static int noclone_stock_detach_each(bool interruptible)
{
	struct noclone_stock *sd;
	int r = 0;

	list_for_each_entry(sd, &noclone_stocks, node)
		noclone_fastpath_detach_begin(&sd->nd);
	synchronize_rcu();
	list_for_each_entry(sd, &noclone_stocks, node)
		r = r ?: noclone_stock_drain(sd, interruptible);
	return r;
}

/*
 * Tables may have come up without .resume, or with it for some targets only, so the learned
 * table is valid for bios in flight only. A .presuspend that is running sets the state itself.
 * Context: noclone_stock_lock
 */
static void noclone_stock_doubt(struct noclone_stock *sd)
{
	/* Not detached, so the table is the same: before another one comes .presuspend */
	if (!sd->detaching && rcu_access_pointer(sd->nd.live))
		return;
	sd->stale = true;
	if (sd->detaching)
		return;
	sd->was_suspended = false;
	/* noclone_stock_retry_all() looks for the first */
	WRITE_ONCE(sd->nd.state, sd->lacks_memory ? NOCLONE_OFF_MEMORY :
				 noclone_stock_idle_state(sd));
}

/*
 * Undo noclone_stock_detach_all() after a signal. The callbacks come back before another
 * .presuspend can take the lock: a device that it marks as suspended must not resume unseen.
 */
static void noclone_stock_go_on(void (*fill)(void))
{
	struct noclone_stock *sd;

	mutex_lock(&noclone_stock_lock);
	list_for_each_entry(sd, &noclone_stocks, node) {
		noclone_stock_doubt(sd);
		/* A work item may have given up, and not said so yet */
		if (sd->users)
			WRITE_ONCE(sd->interrupted, true);
	}
	fill();
	noclone_stock_closing = false;
	mutex_unlock(&noclone_stock_lock);
	noclone_stock_look_later();
	noclone_stock_retry_later();
}

static void noclone_stock_begin_closing(void)
{
	struct noclone_stock *sd;

	mutex_lock(&noclone_stock_lock);
	noclone_stock_closing = true;
	list_for_each_entry(sd, &noclone_stocks, node)
		sd->lacks_memory = READ_ONCE(sd->nd.state) == NOCLONE_OFF_MEMORY;
	mutex_unlock(&noclone_stock_lock);
}

/*
 * Give all devices back to dm core, with one grace period for all. Return: 0, or -EINTR
 * after a signal if @interruptible, then with the callbacks that @fill puts back. Context: no
 * other task attaches or sends messages any more, so the list does not change.
 */
int noclone_stock_detach_all(bool interruptible, void (*fill)(void))
{
	int r;

	noclone_stock_begin_closing();
	r = noclone_stock_finish_work(interruptible) ?:
	    noclone_stock_detach_each(interruptible) ?:
	    noclone_stock_wait_all_unpinned(interruptible);
	if (r)
		noclone_stock_go_on(fill);
	return r;
}

/* Context: after noclone_stock_detach_all(), when no task detaches any more. */
void noclone_stock_free_all(void)
{
	LIST_HEAD(all);

	/* .presuspend and work items may have queued them meanwhile */
	cancel_delayed_work_sync(&noclone_stock_retrier);
	cancel_delayed_work_sync(&noclone_stock_collector);
	list_splice_init(&noclone_stocks, &all);
	noclone_stock_free_list(&all);
	noclone_stock_closing = false;
}

int noclone_stock_init(void)
{
	noclone_stock_wq = alloc_workqueue("dm_noclone_stock", WQ_UNBOUND, 0);
	return noclone_stock_wq ? 0 : -ENOMEM;
}

void noclone_stock_exit(void)
{
	destroy_workqueue(noclone_stock_wq);
}
