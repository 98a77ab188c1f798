// SPDX-License-Identifier: GPL-2.0-only
/*
 * The list of mapped devices with stock targets: the functions that add a device to the list or
 * remove a device, and the work on devices outside of dm core's callbacks.
 *
 * dm core does not report that a device is gone. An entry is found by diskseq, which is never used
 * twice, and a work item frees the entries of devices that are gone.
 *
 * A device that is in use is attached by suspending and resuming it inside the kernel: user space
 * need not run while the device is suspended, so the device may hold the root file system or swap.
 */
#include "stock.h"
#include "learn.h"
#include "../dev.h"
#include "../fastpath-attach.h"
#include "../inflight.h"
#include "../sentinel.h"

#include <linux/blkdev.h>
#include <linux/device-mapper.h>
#include <linux/part_stat.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <linux/workqueue.h>

/* The ticks without a completion after which a device counts as stuck */
#define NOCLONE_STOCK_PATIENCE	HZ

/* The delay until devices that are gone are freed, and until an allocation is tried again */
#define NOCLONE_STOCK_DELAY	(5 * HZ)

static DEFINE_MUTEX(noclone_stock_lock);
/* noclone_stock_lock guards the changes; see noclone_stock_detach_all() */
static bool noclone_stock_closing;
static LIST_HEAD(noclone_stocks);

/*
 * The workqueue is our own, because an item waits as long as a leg does not complete I/O. The
 * workqueue is unbound, because items on an isolated CPU may never run, and the unloading of the
 * module waits for all items.
 */
static struct workqueue_struct *noclone_stock_wq;
static atomic_t noclone_stock_working = ATOMIC_INIT(0);	/* items that are queued or executed */
static void noclone_stock_collect(struct work_struct *work);
static DECLARE_DELAYED_WORK(noclone_stock_collector, noclone_stock_collect);
static void noclone_stock_retry_all(struct work_struct *work);
static DECLARE_DELAYED_WORK(noclone_stock_retrier, noclone_stock_retry_all);

/*
 * The stages that may follow each stage, see "Stages" in Documentation/design/stock.rst. Kernels
 * with lockdep check each transition, so that the tests show if the table is wrong.
 */
#define TO(stage)	BIT(NOCLONE_STOCK_##stage)
static const unsigned long noclone_stock_next[] = {
	[NOCLONE_STOCK_NONE] = TO(LEARNING) | TO(SUSPENDED) | TO(STALE),
	[NOCLONE_STOCK_LEARNING] = TO(NONE) | TO(PARTLY) | TO(COMPLETE) | TO(SUSPENDED) | TO(STALE),
	[NOCLONE_STOCK_PARTLY] = TO(NONE) | TO(PARTLY) | TO(COMPLETE) | TO(SUSPENDED) | TO(STALE),
	[NOCLONE_STOCK_COMPLETE] = TO(NONE) | TO(COMPLETE) | TO(KEPT) | TO(STALE),
	[NOCLONE_STOCK_KEPT] = TO(KEPT) | TO(COMPLETE) | TO(LEARNING) | TO(SUSPENDED) | TO(STALE),
	[NOCLONE_STOCK_SUSPENDED] = TO(SUSPENDED) | TO(LEARNING) | TO(STALE),
	[NOCLONE_STOCK_STALE] = TO(STALE) | TO(LEARNING),
};

#undef TO

static void noclone_stock_check_stage(enum noclone_stock_stage from, enum noclone_stock_stage to)
{
	WARN_ON_ONCE(IS_ENABLED(CONFIG_PROVE_LOCKING) && !(noclone_stock_next[from] & BIT(to)));
}

/* Enter a stage. Context: see noclone_stock.stage */
void noclone_stock_set_stage(struct noclone_stock *sd, enum noclone_stock_stage stage)
{
	noclone_stock_check_stage(READ_ONCE(sd->stage), stage);
	WRITE_ONCE(sd->stage, stage);
}

/*
 * Enter the stage @to, but only if the stage is still @from: noclone_stock_set_stale() may store
 * STALE at the same time, and STALE has to stay. Context: .presuspend; nd->lock
 */
void noclone_stock_change_stage(struct noclone_stock *sd, enum noclone_stock_stage from,
				enum noclone_stock_stage to)
{
	noclone_stock_check_stage(from, to);
	cmpxchg(&sd->stage, from, to);
}

/*
 * May a work item suspend the device, to attach it? In state off:suspended it may not: another
 * suspend may hold dm core's lock while it waits for bios, and the work item would wait for this
 * lock in a sleep that is not TASK_IDLE. The resume that follows attaches the device.
 */
static bool noclone_stock_may_suspend(const struct noclone_stock *sd)
{
	enum noclone_state state = READ_ONCE(sd->nd.state);

	return state != NOCLONE_OFF_SUSPENDED && !noclone_stock_is_hopeless(sd, state);
}

/*
 * Are bios of the fast path in flight although no table is live? An undone suspend, or a stock=off
 * that a signal has ended, leaves such bios. The result false is only a hint: only
 * noclone_inflight_try_end_drain() ensures that no bio is left.
 */
static bool noclone_stock_is_draining(struct noclone_stock *sd)
{
	return READ_ONCE(sd->nd.draining) && !noclone_inflight_is_zero(&sd->nd);
}

/*
 * Has a message requested the fast path, is the device not attached, and may a work item attach it?
 */
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

/* Return: the time that I/O of the device has taken. */
static u64 noclone_stock_nsecs(struct block_device *bdev)
{
	/*
	 * The processors add to this time without a lock. Any sum that differs from an earlier sum
	 * shows that I/O has ended.
	 */
	return data_race(part_stat_read_accum(bdev, nsecs));
}

/*
 * Does the device complete no I/O, although I/O is in flight? An internal suspend would wait for
 * this I/O in a sleep that no signal ends, and would hold the lock that dmsetup needs. The
 * statistics add the time of an I/O when it ends (Linux 6.1 adds the number of I/Os when they
 * begin), and an I/O that is in flight in a tick takes some time.
 */
static bool noclone_stock_is_stuck(struct noclone_stock *sd)
{
	struct block_device *bdev = sd->nd.bdev;
	u64 done = noclone_stock_nsecs(bdev);
	unsigned int i;

	for (i = 0; i < NOCLONE_STOCK_PATIENCE; i++) {
		if (!noclone_stock_is_draining(sd) &&
		    (!noclone_stock_in_flight(bdev) ||
		     noclone_stock_nsecs(bdev) != done))
			return false;
		schedule_timeout_idle(1);
	}
	return true;
}

/*
 * Set the state to @why, because the work item must not suspend the device now. If a resume has
 * attached the device in the meantime, the state stays.
 */
static void noclone_stock_postpone(struct noclone_stock *sd, enum noclone_state why)
{
	mutex_lock(&sd->nd.lock);
	if (noclone_stock_wants_attach(sd))
		WRITE_ONCE(sd->nd.state, why);
	mutex_unlock(&sd->nd.lock);
}

/*
 * Suspend and resume the device, unless its I/O is stuck. dm core then calls .presuspend and
 * .resume of each target: noclone_callback_presuspend() and noclone_callback_resume().
 */
static void noclone_stock_resume_again(struct noclone_stock *sd)
{
	struct mapped_device *md = noclone_dev_get_md(&sd->nd);

	/* The removal of the device has begun */
	if (!md)
		return;
	if (noclone_stock_is_stuck(sd)) {
		noclone_stock_postpone(sd, NOCLONE_OFF_STUCK);
	} else if (noclone_stock_wants_attach(sd)) {
		WRITE_ONCE(sd->attacher, current);
		dm_internal_suspend_noflush(md);
		dm_internal_resume(md);
		WRITE_ONCE(sd->attacher, NULL);
	}
	dm_put(md);
}

/*
 * Give @sd the memory that the fast path needs. The caller may wait, in contrast to the caller of
 * noclone_callback_prepare(). Return: false if there is no memory.
 */
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

/*
 * Attach a device, unless it was attached or switched off before this function begins, or while the
 * function waits for memory.
 */
static void noclone_stock_attach_now(struct noclone_stock *sd)
{
	if (!noclone_stock_wants_attach(sd))
		return;
	if (!noclone_stock_prepare_wait(sd)) {
		noclone_stock_postpone(sd, NOCLONE_OFF_MEMORY);
		noclone_stock_retry_later();
	} else if (NOCLONE_INTERNAL_RESUME_CALLS_TARGETS && noclone_stock_wants_attach(sd)) {
		/* If an internal resume does not call targets, the next resume finds the memory */
		noclone_stock_resume_again(sd);
	}
}

/*
 * Work item that attaches a device in use. .message cannot attach it, because it is inside the
 * SRCU section that a suspend waits for.
 */
static void noclone_stock_attach_work(struct work_struct *work)
{
	struct noclone_stock *sd = container_of(work, struct noclone_stock, attach);

	noclone_stock_attach_now(sd);
	/* If a signal ends stock=off, noclone_stock_retry_all() queues this item once more */
	if (READ_ONCE(noclone_stock_closing))
		WRITE_ONCE(sd->interrupted, true);
	noclone_stock_put(sd);
	/* noclone_stock_finish_work() reads the count, and calls flush_workqueue() afterwards */
	atomic_dec(&noclone_stock_working);
}

/* Return: a new entry for @disk, or NULL without memory. Context: noclone_stock_lock */
static struct noclone_stock *noclone_stock_create(struct gendisk *disk)
{
	struct noclone_stock *sd = kzalloc(sizeof(*sd), GFP_NOWAIT | __GFP_NOWARN);

	if (!sd)
		return NULL;
	/*
	 * noclone_dev_init() stores the disk and its diskseq. noclone_dev_alloc() gets the memory
	 * later
	 */
	noclone_dev_init(&sd->nd, disk);
	/* The device is unasked until the message "fastpath on" is executed */
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

/* Free an entry. Context: after a grace period without a live table. */
static void noclone_stock_free(struct noclone_stock *sd)
{
	noclone_learn_forget(&sd->table, &sd->nd);
	noclone_dev_exit(&sd->nd);
	kfree(sd);
}

/* Return: the entry of a device, or NULL. Context: noclone_stock_lock */
static struct noclone_stock *noclone_stock_find(u64 diskseq)
{
	struct noclone_stock *sd;

	list_for_each_entry(sd, &noclone_stocks, node)
		if (sd->nd.diskseq == diskseq)
			return sd;
	return NULL;
}

/*
 * Return: the entry of the device, for noclone_stock_put(). NULL if the device has no entry and
 * @add is false, or if there is no memory for one.
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

/* Let work items try again to get memory. */
void noclone_stock_renew_retries(struct noclone_stock *sd)
{
	mutex_lock(&noclone_stock_lock);
	sd->retries = NOCLONE_STOCK_RETRIES;
	mutex_unlock(&noclone_stock_lock);
}

/* Add @n to the number of .presuspend callbacks that are running, for noclone_stock_set_stale(). */
void noclone_stock_count_detaching(struct noclone_stock *sd, int n)
{
	mutex_lock(&noclone_stock_lock);
	sd->detaching += n;
	mutex_unlock(&noclone_stock_lock);
}

/*
 * Queue the work item that attaches @sd. Return: false if the item is already queued, or if
 * stock=off forbids it. Context: noclone_stock_lock
 */
static bool noclone_stock_queue(struct noclone_stock *sd)
{
	if (noclone_stock_closing || !queue_work(noclone_stock_wq, &sd->attach))
		return false;
	sd->users++;
	atomic_inc(&noclone_stock_working);
	return true;
}

/* Attach @sd from a work item, because a message has requested the fast path. */
void noclone_stock_queue_attach(struct noclone_stock *sd)
{
	mutex_lock(&noclone_stock_lock);
	sd->retries = NOCLONE_STOCK_RETRIES;
	noclone_stock_queue(sd);
	mutex_unlock(&noclone_stock_lock);
}

/*
 * Attach @sd from a work item, because an allocation has failed; the number of retries is bounded.
 * Context: noclone_stock_lock
 */
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

/* Try again, after a short time, to attach the devices that lack memory. */
void noclone_stock_retry_later(void)
{
	queue_delayed_work(noclone_stock_wq, &noclone_stock_retrier, NOCLONE_STOCK_DELAY);
}

/*
 * Work item that attaches devices that lacked memory. It also attaches a device whose own work item
 * ended early because of stock=off, if a signal has then interrupted stock=off.
 */
static void noclone_stock_retry_all(struct work_struct *work)
{
	struct noclone_stock *sd;

	mutex_lock(&noclone_stock_lock);
	list_for_each_entry(sd, &noclone_stocks, node) {
		/* noclone_stock_end_closing() queues this item again */
		if (noclone_stock_closing)
			break;
		if (READ_ONCE(sd->nd.state) == NOCLONE_OFF_MEMORY || READ_ONCE(sd->interrupted)) {
			WRITE_ONCE(sd->interrupted, false);
			noclone_stock_queue_retry(sd);
		}
	}
	mutex_unlock(&noclone_stock_lock);
}

/* Look for devices that are gone, after a short time. */
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
 * Move the entry of a device that is gone to @gone, to be freed. No task can submit to such a
 * device, not even if another module has replaced its operations. Return: whether to look at @sd
 * again later. Context: noclone_stock_lock
 */
static bool noclone_stock_collect_one(struct noclone_stock *sd,
				      struct list_head *gone)
{
	if (sd->users)
		return true;
	if (noclone_stock_has_table(sd) || !noclone_stock_is_gone(sd))
		return false;
	/* A device counts as gone before the .presuspend of its removal has waited for bios */
	if (noclone_stock_is_draining(sd))
		return true;
	list_move(&sd->node, gone);
	return false;
}

/*
 * Work item that frees the entries of devices that are gone. A suspended device can be removed
 * without a callback. Its entry stays until a device of the list is suspended, or another device
 * gets the message "fastpath on": a timer for such an entry would run as long as the device is
 * suspended.
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
 * Sleep for @ticks, as a step of a wait for a leg or for another module. If @interruptible is
 * false, the sleep is TASK_IDLE, so that it counts neither as load nor as a hung task. Return: true
 * if a signal ends the wait.
 */
static bool noclone_stock_sleep(bool interruptible, signed long ticks)
{
	if (!interruptible) {
		schedule_timeout_idle(ticks);
		return false;
	}
	schedule_timeout_interruptible(ticks);
	return signal_pending(current);
}

/*
 * Wait until no other module may call our submit_bio for the device. Return: 0, or -ERESTARTSYS
 * after a signal if @interruptible; after the signal the device stays covered, so that the next
 * call waits again.
 */
static int noclone_stock_wait_uncovered(struct noclone_stock *sd, bool interruptible)
{
	if (!noclone_dev_uncover(&sd->nd)) {
		DMWARN("another module has replaced the operations of device %u:%u: dm-noclone waits until the other module restores the operations",
		       MAJOR(sd->nd.dev), MINOR(sd->nd.dev));
		do {
			if (noclone_stock_sleep(interruptible, HZ / 10))
				return -ERESTARTSYS;
		} while (!noclone_dev_uncover(&sd->nd));
	}
	return 0;
}

/*
 * Wait until the bios of a device are done, and forget its table. Return: 0 or -ERESTARTSYS.
 * Context: a grace period after noclone_fastpath_detach_begin()
 */
static int noclone_stock_drain(struct noclone_stock *sd, bool interruptible)
{
	/*
	 * On Linux 6.1 the submission of a sentinel to dm core may wait for memory, as long as a
	 * leg does not complete I/O
	 */
	while (!noclone_inflight_try_end_drain(&sd->nd) || noclone_sentinel_is_busy(&sd->nd))
		if (noclone_stock_sleep(interruptible, 1))
			return -ERESTARTSYS;
	mutex_lock(&sd->nd.lock);
	noclone_learn_forget(&sd->table, &sd->nd);
	if (noclone_stock_has_table(sd))
		noclone_stock_set_stage(sd, NOCLONE_STOCK_NONE);
	else if (sd->stage == NOCLONE_STOCK_KEPT)
		noclone_stock_set_stage(sd, NOCLONE_STOCK_SUSPENDED);
	mutex_unlock(&sd->nd.lock);
	return 0;
}

/*
 * Wait until no work item is queued or executed; an item may wait for a leg. Return: 0 or
 * -ERESTARTSYS
 */
static int noclone_stock_finish_work(bool interruptible)
{
	cancel_delayed_work_sync(&noclone_stock_retrier);
	cancel_delayed_work_sync(&noclone_stock_collector);
	while (atomic_read(&noclone_stock_working))
		if (noclone_stock_sleep(interruptible, 1))
			return -ERESTARTSYS;
	/* An item that is no longer counted may not have returned yet */
	flush_workqueue(noclone_stock_wq);
	return 0;
}

static int noclone_stock_wait_all_uncovered(bool interruptible)
{
	struct noclone_stock *sd;
	int r = 0;

	list_for_each_entry(sd, &noclone_stocks, node)
		r = r ?: noclone_stock_wait_uncovered(sd, interruptible);
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
 * Decide what is known about a device after an interrupted stock=off. While the callbacks were
 * removed, a table may have been resumed without our .resume, or .resume may have been called for
 * some of its targets only. So a learned table that is not live is valid only for bios in flight. A
 * .presuspend that is running sets the state itself. Context: noclone_stock_lock
 */
static void noclone_stock_set_stale(struct noclone_stock *sd)
{
	/*
	 * The device is still attached, so its table is the same: another table needs a
	 * .presuspend first
	 */
	if (!sd->detaching && rcu_access_pointer(sd->nd.live))
		return;
	noclone_stock_set_stage(sd, NOCLONE_STOCK_STALE);
	if (sd->detaching)
		return;
	sd->was_suspended = false;
	/* noclone_stock_retry_all() looks for NOCLONE_OFF_MEMORY */
	WRITE_ONCE(sd->nd.state, sd->lacks_memory ? NOCLONE_OFF_MEMORY :
				 noclone_stock_idle_state(sd));
}

/*
 * Undo noclone_stock_detach_all() after a signal. @fill puts the callbacks back before another
 * .presuspend can take the lock: a device that this .presuspend marks as suspended must not resume
 * without our .resume.
 */
static void noclone_stock_end_closing(void (*fill)(void))
{
	struct noclone_stock *sd;

	mutex_lock(&noclone_stock_lock);
	list_for_each_entry(sd, &noclone_stocks, node) {
		noclone_stock_set_stale(sd);
		/* A work item that has ended early may not have set @interrupted yet */
		if (sd->users)
			WRITE_ONCE(sd->interrupted, true);
	}
	fill();
	WRITE_ONCE(noclone_stock_closing, false);
	mutex_unlock(&noclone_stock_lock);
	noclone_stock_look_later();
	noclone_stock_retry_later();
}

static void noclone_stock_begin_closing(void)
{
	struct noclone_stock *sd;

	mutex_lock(&noclone_stock_lock);
	WRITE_ONCE(noclone_stock_closing, true);
	list_for_each_entry(sd, &noclone_stocks, node)
		sd->lacks_memory = READ_ONCE(sd->nd.state) == NOCLONE_OFF_MEMORY;
	mutex_unlock(&noclone_stock_lock);
}

/*
 * Give all devices back to dm core, with one grace period for all. Return: 0; or, if
 * @interruptible, -ERESTARTSYS after a signal: @fill has then put the callbacks back. Context: no
 * other task attaches or sends messages any more, so the list does not change.
 */
int noclone_stock_detach_all(bool interruptible, void (*fill)(void))
{
	int r;

	noclone_stock_begin_closing();
	r = noclone_stock_finish_work(interruptible) ?:
	    noclone_stock_detach_each(interruptible) ?:
	    noclone_stock_wait_all_uncovered(interruptible);
	if (r)
		noclone_stock_end_closing(fill);
	return r;
}

/* Free all entries. Context: after noclone_stock_detach_all(), when no task detaches any more. */
void noclone_stock_free_all(void)
{
	LIST_HEAD(all);

	/* .presuspend and work items may have queued these items in the meantime */
	cancel_delayed_work_sync(&noclone_stock_retrier);
	cancel_delayed_work_sync(&noclone_stock_collector);
	list_splice_init(&noclone_stocks, &all);
	noclone_stock_free_list(&all);
	WRITE_ONCE(noclone_stock_closing, false);
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
