// SPDX-License-Identifier: GPL-2.0-only
/*
 * Mapped devices with stock targets: what is known of each, from its first resume
 * to its end.
 *
 * A device's table is learned target by target in .resume and forgotten in
 * .presuspend, which dm core calls before it touches a table that is live. The
 * rest, counters and what a message requested, stays until the device is gone. dm
 * core does not tell when that is: devices are known by diskseq, which is never
 * used twice, and a work item frees what has no device any more.
 *
 * A device that is in use is attached by suspending and resuming it inside the
 * kernel: nothing in user space has to run while it is suspended, so it may hold
 * the root file system or swap.
 *
 * Locks: noclone_stock_lock guards the list and the reference counts. It is taken
 * in .resume, so nobody waits for I/O, memory or a grace period with it: the table
 * that is resumed may be what he waits for. nd->lock guards the rest and is held
 * while the bios of that device are waited for, and of no other.
 */
#include "stock.h"
#include "learn.h"
#include "../device-state.h"
#include "../fastpath.h"
#include "../fastpath-status.h"
#include "../interpose.h"
#include "../mapped-device.h"
#include "../target.h"

#include <linux/blkdev.h>
#include <linux/slab.h>
#include <linux/workqueue.h>

/* How soon a device that is gone is forgotten, and memory is tried again */
#define NOCLONE_STOCK_DELAY	(5 * HZ)
#define NOCLONE_STOCK_RETRIES	3

struct noclone_stock {
	struct list_head node;
	unsigned int users;		/* callbacks and work items inside */
	u64 diskseq;
	dev_t dev;
	struct noclone_dev nd;
	struct noclone_table table;	/* .dm is NULL while there is none */
	struct noclone_target **targets;	/* table.targets of them */
	enum noclone_state refused;	/* NOCLONE_ON: all of the table is understood */
	unsigned int retries;		/* left, for want of memory */
	bool draining;			/* detach_all() has begun and not waited */
	struct work_struct attach;
};

static DEFINE_MUTEX(noclone_stock_lock);
static bool noclone_stock_closing;	/* between detach_all() and free_all() */
static LIST_HEAD(noclone_stocks);

static void noclone_stock_collect(struct work_struct *work);
static DECLARE_DELAYED_WORK(noclone_stock_collector, noclone_stock_collect);
static void noclone_stock_attach_work(struct work_struct *work);

static struct noclone_stock *noclone_stock_create(struct gendisk *disk, gfp_t gfp)
{
	struct noclone_stock *sd = kzalloc(sizeof(*sd), gfp);

	if (!sd)
		return NULL;
	if (noclone_dev_init(&sd->nd, disk, gfp)) {
		kfree(sd);
		return NULL;
	}
	sd->diskseq = disk->diskseq;
	sd->dev = disk_devt(disk);
	sd->nd.state = NOCLONE_OFF_DETACHED;
	sd->retries = NOCLONE_STOCK_RETRIES;
	sd->table.nd = &sd->nd;
	INIT_WORK(&sd->attach, noclone_stock_attach_work);
	return sd;
}

/* Context: after a grace period without a live table. */
static void noclone_stock_free(struct noclone_stock *sd)
{
	noclone_dev_exit(&sd->nd);
	kfree(sd);
}

static struct noclone_stock *noclone_stock_find(u64 diskseq)
{
	struct noclone_stock *sd;

	list_for_each_entry(sd, &noclone_stocks, node)
		if (sd->diskseq == diskseq)
			return sd;
	return NULL;
}

/* @new may be NULL, and is freed if there is one already. */
static struct noclone_stock *noclone_stock_find_or_add(u64 diskseq,
						       struct noclone_stock *new)
{
	struct noclone_stock *sd;

	mutex_lock(&noclone_stock_lock);
	sd = noclone_stock_find(diskseq);
	if (!sd && new) {
		list_add_tail(&new->node, &noclone_stocks);
		swap(sd, new);
	}
	if (sd)
		sd->users++;
	mutex_unlock(&noclone_stock_lock);
	if (new)
		noclone_stock_free(new);
	return sd;
}

static struct noclone_stock *noclone_stock_get(struct dm_target *ti, gfp_t gfp)
{
	struct gendisk *disk = dm_disk(dm_table_get_md(ti->table));
	struct noclone_stock *sd = noclone_stock_find_or_add(disk->diskseq, NULL);

	if (!sd && gfp)
		sd = noclone_stock_create(disk, gfp);
	else
		return sd;
	return sd ? noclone_stock_find_or_add(disk->diskseq, sd) : NULL;
}

static void noclone_stock_put(struct noclone_stock *sd)
{
	mutex_lock(&noclone_stock_lock);
	sd->users--;
	mutex_unlock(&noclone_stock_lock);
}

/* Context: nd->lock; no bio knows the table. */
static void noclone_stock_forget_table(struct noclone_stock *sd)
{
	u32 i;

	for (i = 0; i < sd->table.nr; i++)
		kfree(sd->table.segments[i].target);
	noclone_table_exit(&sd->table);
	sd->table.nd = &sd->nd;
}

/*
 * Request-based devices are dm-multipath's. It may hold bios back for ever
 * (queue_if_no_path); a stock suspend can be interrupted then, ours cannot.
 */
static bool noclone_stock_on_multipath(const struct noclone_stock *sd,
				       const struct noclone_target *t)
{
	unsigned int i;

	for (i = 0; i < t->nr_legs; i++) {
		const struct gendisk *leg = t->leg[i].bdev->bd_disk;

		if (leg->major == sd->nd.disk->major && queue_is_mq(leg->queue))
			return true;
	}
	return false;
}

/* Return: NOCLONE_ON, or why the fast path cannot be used on the table. */
static enum noclone_state noclone_stock_add(struct noclone_stock *sd,
					    struct dm_target *ti)
{
	struct noclone_target *t = noclone_learn_target(ti);

	if (IS_ERR(t))
		return PTR_ERR(t) == -ENOMEM ? NOCLONE_OFF_MEMORY :
			NOCLONE_OFF_LAYOUT;
	if (noclone_stock_on_multipath(sd, t) && !sd->nd.overridden) {
		kfree(t);
		return NOCLONE_OFF_MULTIPATH;
	}
	if (noclone_table_append(&sd->table, t, NULL, 0,
				 GFP_NOWAIT | __GFP_NOWARN)) {
		kfree(t);
		return NOCLONE_OFF_MEMORY;
	}
	return NOCLONE_ON;
}

/* Return: whether the table is complete and nothing stands against it. */
static bool noclone_stock_learn(struct noclone_stock *sd, struct dm_target *ti)
{
	bool complete;

	mutex_lock(&sd->nd.lock);
	if (sd->table.dm != ti->table) {
		noclone_stock_forget_table(sd);
		sd->table.dm = ti->table;
		sd->refused = NOCLONE_ON;
	}
	if (sd->refused == NOCLONE_ON)
		sd->refused = noclone_stock_add(sd, ti);
	complete = sd->refused == NOCLONE_ON &&
		   sd->table.sectors == dm_table_get_size(ti->table);
	/* Targets of other types do not come here: until the last, it is mixed */
	sd->nd.state = sd->refused == NOCLONE_ON ? NOCLONE_OFF_MIXED :
		sd->refused;
	mutex_unlock(&sd->nd.lock);
	return complete;
}

/*
 * .resume and .presuspend_undo: dm core calls it for each target of a table that
 * is about to be live, in order.
 */
void noclone_stock_attach(struct dm_target *ti)
{
	struct noclone_stock *sd = noclone_stock_get(ti, GFP_NOWAIT | __GFP_NOWARN);

	if (!sd) {
		DMWARN_LIMIT("%s: no memory for the fast path until it is resumed again",
			     dm_table_device_name(ti->table));
		return;
	}
	if (noclone_stock_learn(sd, ti)) {
		noclone_fastpath_attach(&sd->table);
		sd->retries = NOCLONE_STOCK_RETRIES;
	} else if (sd->refused == NOCLONE_OFF_MEMORY) {
		schedule_delayed_work(&noclone_stock_collector,
				      NOCLONE_STOCK_DELAY);
	}
	noclone_stock_put(sd);
}

static void noclone_stock_end_detach(struct noclone_stock *sd)
{
	noclone_fastpath_detach_end(&sd->nd);
	mutex_lock(&sd->nd.lock);
	noclone_stock_forget_table(sd);
	mutex_unlock(&sd->nd.lock);
}

/* .presuspend: called for each target, and again on removal */
void noclone_stock_detach(struct dm_target *ti)
{
	struct noclone_stock *sd = noclone_stock_get(ti, 0);

	if (!sd)
		return;
	if (noclone_fastpath_detach_begin(&sd->nd))
		synchronize_rcu();
	noclone_stock_end_detach(sd);
	noclone_stock_put(sd);
	schedule_delayed_work(&noclone_stock_collector, NOCLONE_STOCK_DELAY);
}

/*
 * Attach a device that is in use. Not from .message, which is inside the SRCU
 * section that a suspend waits for.
 */
static void noclone_stock_attach_work(struct work_struct *work)
{
	struct noclone_stock *sd = container_of(work, struct noclone_stock, attach);
	struct mapped_device *md = dm_get_md(sd->dev);

	if (md && dm_disk(md)->diskseq == sd->diskseq) {
		dm_internal_suspend_noflush(md);
		dm_internal_resume(md);
	}
	if (md)
		dm_put(md);
	noclone_stock_put(sd);
}

/* Context: noclone_stock_lock */
static void noclone_stock_queue_attach(struct noclone_stock *sd)
{
	if (queue_work(noclone_target_wq, &sd->attach))
		sd->users++;
}

/* Nothing is gained by resuming a table that was found not to be for us. */
static bool noclone_stock_is_hopeless(const struct noclone_stock *sd,
				      const struct dm_target *ti)
{
	enum noclone_state state = READ_ONCE(sd->nd.state);

	return READ_ONCE(sd->table.dm) == ti->table &&
	       (state == NOCLONE_OFF_MIXED || state == NOCLONE_OFF_LAYOUT ||
		state == NOCLONE_OFF_ZONED);
}

static int noclone_stock_switch(struct noclone_stock *sd,
				const struct dm_target *ti, const char *word)
{
	bool on = !strcasecmp(word, NOCLONE_MSG_ON);
	int r;

	if (!on && strcasecmp(word, NOCLONE_MSG_OFF))
		return -EINVAL;
	if (on && noclone_stock_is_hopeless(sd, ti))
		return -EOPNOTSUPP;
	r = noclone_fastpath_switch(&sd->nd, on);
	if (r || !on || rcu_access_pointer(sd->nd.live))
		return r;
	mutex_lock(&noclone_stock_lock);
	noclone_stock_queue_attach(sd);
	mutex_unlock(&noclone_stock_lock);
	return 0;
}

/* dmsetup message NAME 0 fastpath [on|off]; everything else as without us */
int noclone_stock_message(struct dm_target *ti, unsigned int argc, char **argv,
			  char *result, unsigned int maxlen)
{
	struct noclone_stock *sd;
	int r = 1;

	if (!argc || argc > 2 || strcasecmp(argv[0], NOCLONE_MSG_FASTPATH)) {
		DMERR("Target type does not support messages");
		return -EINVAL;
	}
	/* Reclaim might wait for a suspend, which waits for .message to return */
	sd = noclone_stock_get(ti, GFP_NOWAIT | __GFP_NOWARN);
	if (!sd)
		return -ENOMEM;
	if (argc == 2)
		r = noclone_stock_switch(sd, ti, argv[1]);
	else
		noclone_status_emit(&sd->nd, result, maxlen, 0);
	noclone_stock_put(sd);
	return r;
}

static bool noclone_stock_is_gone(const struct noclone_stock *sd)
{
	struct mapped_device *md = dm_get_md(sd->dev);
	bool gone = !md || dm_disk(md)->diskseq != sd->diskseq;

	if (md)
		dm_put(md);
	return gone;
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

static bool noclone_stock_wants_retry(const struct noclone_stock *sd)
{
	return sd->table.dm && sd->refused == NOCLONE_OFF_MEMORY &&
	       sd->nd.requested == NOCLONE_ON && sd->retries;
}

/*
 * Forget devices that are gone; attach those that memory was short for. A device
 * can be removed while it is suspended, without a callback: look again then.
 */
static void noclone_stock_collect(struct work_struct *work)
{
	struct noclone_stock *sd, *next;
	bool again = false;
	LIST_HEAD(gone);

	mutex_lock(&noclone_stock_lock);
	list_for_each_entry_safe(sd, next, &noclone_stocks, node) {
		if (noclone_stock_closing || sd->nd.pinned)
			continue;
		if (sd->users) {
			again = true;
		} else if (!sd->table.dm && noclone_stock_is_gone(sd)) {
			list_move(&sd->node, &gone);
		} else if (!sd->table.dm) {
			again = true;
		} else if (noclone_stock_wants_retry(sd)) {
			sd->retries--;
			noclone_stock_queue_attach(sd);
		}
	}
	if (again)
		schedule_delayed_work(&noclone_stock_collector,
				      10 * NOCLONE_STOCK_DELAY);
	mutex_unlock(&noclone_stock_lock);
	noclone_stock_free_list(&gone);
}

/*
 * Another module has put operations over ours that end in our submit_bio: our text
 * must stay until it is gone or has given them back. Exit cannot fail, so it waits.
 */
static bool noclone_stock_is_unpinned(struct noclone_stock *sd)
{
	struct mapped_device *md = dm_get_md(sd->dev);
	bool unpinned = !md || dm_disk(md)->diskseq != sd->diskseq ||
			noclone_fops_replace(&sd->nd, false);

	if (md)
		dm_put(md);
	return unpinned;
}

static void noclone_stock_wait_unpinned(struct noclone_stock *sd)
{
	if (!noclone_stock_is_unpinned(sd)) {
		DMWARN("another module has replaced the operations of device %u:%u: waiting for that module",
		       MAJOR(sd->dev), MINOR(sd->dev));
		while (!noclone_stock_is_unpinned(sd))
			schedule_timeout_idle(HZ / 10);
	}
	sd->nd.pinned = false;
}

/*
 * Give all devices back to dm core, with one grace period for all. Context: nobody
 * attaches or sends messages any more, so the list does not change.
 */
void noclone_stock_detach_all(void)
{
	struct noclone_stock *sd;

	mutex_lock(&noclone_stock_lock);
	noclone_stock_closing = true;
	mutex_unlock(&noclone_stock_lock);
	cancel_delayed_work_sync(&noclone_stock_collector);
	list_for_each_entry(sd, &noclone_stocks, node)
		flush_work(&sd->attach);
	list_for_each_entry(sd, &noclone_stocks, node)
		noclone_fastpath_detach_begin(&sd->nd);
	synchronize_rcu();
	list_for_each_entry(sd, &noclone_stocks, node)
		noclone_stock_end_detach(sd);
	list_for_each_entry(sd, &noclone_stocks, node)
		if (sd->nd.pinned)
			noclone_stock_wait_unpinned(sd);
}

/* After noclone_stock_detach_all(), and nobody detaches any more. */
void noclone_stock_free_all(void)
{
	struct noclone_stock *sd, *next;
	LIST_HEAD(all);

	cancel_delayed_work_sync(&noclone_stock_collector);
	list_for_each_entry_safe(sd, next, &noclone_stocks, node)
		if (!sd->nd.pinned)
			list_move(&sd->node, &all);
	noclone_stock_free_list(&all);
	noclone_stock_closing = false;
}
