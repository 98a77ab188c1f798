// SPDX-License-Identifier: GPL-2.0-only
/*
 * The list of the mapped devices that have tables with our targets, and of these tables.
 * Constructors and destructors, which may allocate and fail, call noclone_dev_add_target() and
 * noclone_dev_del_target(). The code in stock/ calls noclone_dev_init() from .message, and
 * noclone_dev_alloc() from .resume, which must not sleep for memory, and from a work item, which
 * may.
 */
#include "dev.h"
#include "dev-table.h"
#include "device-state.h"
#include "fops.h"
#include "io.h"
#include "polled.h"

#include <linux/device-mapper.h>
#include <linux/moduleparam.h>
#include <linux/slab.h>
#include <linux/workqueue.h>

/* The parameter "fastpath": each device reads it once, when it is created. */
static bool noclone_dev_fastpath = true;
module_param_named(fastpath, noclone_dev_fastpath, bool, 0644);
MODULE_PARM_DESC(fastpath, "Use the fast path on devices made from now on (default Y)");

static DEFINE_MUTEX(noclone_devs_lock);
static LIST_HEAD(noclone_devs);

/*
 * Devices that have no table of ours any more, but whose operations another module has covered by
 * operations that may call our submit_bio. Each such device holds a reference to this module, and
 * is checked again after this delay.
 */
static LIST_HEAD(noclone_devs_covered);
#define NOCLONE_DEVS_DELAY	(5 * HZ)
static void noclone_dev_look(struct work_struct *work);
static DECLARE_DELAYED_WORK(noclone_devs_looker, noclone_dev_look);

/* Initialise a device. @nd is zeroed. Call noclone_dev_alloc() before a table is attached. */
void noclone_dev_init(struct noclone_dev *nd, struct gendisk *disk)
{
	BUILD_BUG_ON(offsetof(struct noclone_dev, reserve) > SMP_CACHE_BYTES);
	nd->disk = disk;
	nd->bdev = disk->part0;
	nd->diskseq = disk->diskseq;
	nd->dev = disk_devt(disk);
	mutex_init(&nd->lock);
	noclone_polled_dev_init(nd);
	INIT_LIST_HEAD(&nd->tables);
	nd->requested = READ_ONCE(noclone_dev_fastpath) ? NOCLONE_ON :
		NOCLONE_OFF_PARAMETER;
	nd->state = NOCLONE_OFF_SUSPENDED;
}

/* Allocate the memory of a device: reserve and counters. Return: 0 or -ENOMEM. */
int noclone_dev_alloc(struct noclone_dev *nd, gfp_t gfp)
{
	struct noclone_counters __percpu *counters;
	int r;

	counters = alloc_percpu_gfp(struct noclone_counters, gfp);
	if (!counters)
		return -ENOMEM;

	r = noclone_io_reserve_init(&nd->reserve, gfp);
	if (r) {
		free_percpu(counters);
		return r;
	}
	/* Pairs with noclone_dev_is_ready() */
	smp_store_release(&nd->counters, counters);
	return 0;
}

/*
 * Free the memory of a device. Context: a grace period has passed that began after the last detach,
 * and after the last noclone_inflight_put() had counted its bio. During the grace period, a
 * submitter that had found @nd may still use @nd, and the last noclone_inflight_put() may not have
 * returned yet.
 */
void noclone_dev_exit(struct noclone_dev *nd)
{
	if (!nd->counters)
		return;
	mempool_exit(&nd->reserve);
	free_percpu(nd->counters);
}

/*
 * Return: the mapped device, for dm_put(), or NULL if its removal has begun. The disk is compared
 * by diskseq, because the kernel reuses device numbers and addresses of disks, but never a diskseq.
 */
struct mapped_device *noclone_dev_get_md(const struct noclone_dev *nd)
{
	struct mapped_device *md = dm_get_md(nd->dev);

	if (!md || dm_disk(md)->diskseq == nd->diskseq)
		return md;
	dm_put(md);
	return NULL;
}

/*
 * Try to restore dm core's operations. Another module may have covered our operations by its own
 * operations, which call our submit_bio. Then our code has to stay until that module has restored
 * our operations, or the device is gone. A removed device is not open, so each bio that was
 * submitted to it has left our submit_bio. Return: false if our code has to stay. Context: @nd is
 * detached, and no task attaches it.
 */
bool noclone_dev_uncover(struct noclone_dev *nd)
{
	struct mapped_device *md;

	if (!READ_ONCE(nd->covered))
		return true;
	md = noclone_dev_get_md(nd);
	if (md) {
		noclone_fops_replace(nd, false);
		dm_put(md);
	} else {
		noclone_fops_set_uncovered(nd);
	}
	return !nd->covered;
}

/* Return: a device that is not in the list yet, or NULL. */
static struct noclone_dev *noclone_dev_create(struct gendisk *disk)
{
	struct noclone_dev *nd = kzalloc(sizeof(*nd), GFP_KERNEL);

	if (!nd)
		return NULL;
	noclone_dev_init(nd, disk);
	if (noclone_dev_alloc(nd, GFP_KERNEL)) {
		kfree(nd);
		return NULL;
	}
	return nd;
}

/* Free a device. Context: no submitter has found @nd, or a grace period has passed since. */
static void noclone_dev_destroy(struct noclone_dev *nd)
{
	noclone_dev_exit(nd);
	kfree(nd);
}

/* Return: the device of @disk, or NULL. Context: noclone_devs_lock */
static struct noclone_dev *noclone_dev_find(struct gendisk *disk)
{
	struct noclone_dev *nd;

	list_for_each_entry(nd, &noclone_devs, node)
		if (nd->disk == disk)
			return nd;
	return NULL;
}

/*
 * If the device has no table, remove it from the list. Return: true if the device was removed; the
 * caller then calls noclone_dev_free(). Context: noclone_devs_lock
 */
static bool noclone_dev_put(struct noclone_dev *nd)
{
	if (!list_empty(&nd->tables))
		return false;

	list_del(&nd->node);
	return true;
}

/* Keep @nd until noclone_dev_uncover() succeeds. A later table of ours gets another noclone_dev. */
static void noclone_dev_keep(struct noclone_dev *nd)
{
	mutex_lock(&noclone_devs_lock);
	list_add(&nd->node, &noclone_devs_covered);
	schedule_delayed_work(&noclone_devs_looker, NOCLONE_DEVS_DELAY);
	mutex_unlock(&noclone_devs_lock);
}

/*
 * Free a device after an expedited grace period. Context: may sleep; without noclone_devs_lock,
 * because no holder of this lock may wait for a grace period.
 */
static void noclone_dev_free(struct noclone_dev *nd)
{
	if (!noclone_dev_uncover(nd)) {
		noclone_dev_keep(nd);
		return;
	}
	synchronize_rcu_expedited();
	noclone_dev_destroy(nd);
}

static void noclone_dev_look(struct work_struct *work)
{
	struct noclone_dev *nd, *next;
	LIST_HEAD(covered);

	mutex_lock(&noclone_devs_lock);
	list_splice_init(&noclone_devs_covered, &covered);
	mutex_unlock(&noclone_devs_lock);
	list_for_each_entry_safe(nd, next, &covered, node)
		noclone_dev_free(nd);
}

/*
 * Stop noclone_devs_looker. Context: no device is left, but the work item that has freed the last
 * device may not have returned yet.
 */
void noclone_dev_stop_looking(void)
{
	cancel_delayed_work_sync(&noclone_devs_looker);
}

/*
 * Link @table to the device of @disk; if this device is not in the list yet, link @table to @nd,
 * which may be NULL. Return: the device, or NULL.
 */
static struct noclone_dev *noclone_dev_link_table(struct noclone_table *table,
						  struct gendisk *disk,
						  struct noclone_dev *nd)
{
	mutex_lock(&noclone_devs_lock);
	table->nd = noclone_dev_find(disk);
	if (!table->nd && nd) {
		list_add(&nd->node, &noclone_devs);
		table->nd = nd;
	}
	if (table->nd)
		list_add(&table->node, &table->nd->tables);
	mutex_unlock(&noclone_devs_lock);
	return table->nd;
}

static struct noclone_table *noclone_dev_create_table(struct dm_table *dm)
{
	struct gendisk *disk = dm_disk(dm_table_get_md(dm));
	struct noclone_table *table = kzalloc(sizeof(*table), GFP_KERNEL);
	struct noclone_dev *nd;

	if (!table)
		return NULL;
	table->dm = dm;
	if (noclone_dev_link_table(table, disk, NULL))
		return table;
	nd = noclone_dev_create(disk);
	if (!nd) {
		kfree(table);
		return NULL;
	}
	if (noclone_dev_link_table(table, disk, nd) != nd)
		noclone_dev_destroy(nd);
	return table;
}

/*
 * Free the table if it has no targets. Return: the device if noclone_dev_free() has to follow,
 * else NULL. Context: noclone_devs_lock
 */
static struct noclone_dev *noclone_dev_put_table(struct noclone_table *table)
{
	struct noclone_dev *nd = table->nd;

	if (table->targets)
		return NULL;

	list_del(&table->node);
	noclone_table_exit(table);
	kfree(table);
	return noclone_dev_put(nd) ? nd : NULL;
}

/* Return: our table for @dm, or NULL. Context: noclone_devs_lock */
static struct noclone_table *noclone_dev_find_table_locked(struct dm_table *dm)
{
	struct noclone_dev *nd;
	struct noclone_table *table;

	list_for_each_entry(nd, &noclone_devs, node)
		list_for_each_entry(table, &nd->tables, node)
			if (table->dm == dm)
				return table;
	return NULL;
}

static struct noclone_table *noclone_dev_find_table(struct dm_table *dm)
{
	struct noclone_table *table;

	mutex_lock(&noclone_devs_lock);
	table = noclone_dev_find_table_locked(dm);
	mutex_unlock(&noclone_devs_lock);
	return table;
}

/* Return: whether @dm has targets of ours. Context: may sleep, but not for memory */
bool noclone_dev_knows_table(struct dm_table *dm)
{
	return noclone_dev_find_table(dm);
}

/* Free a table if it has no targets. */
static void noclone_dev_drop_table(struct noclone_table *table)
{
	struct noclone_dev *unused;

	mutex_lock(&noclone_devs_lock);
	unused = noclone_dev_put_table(table);
	mutex_unlock(&noclone_devs_lock);
	if (unused)
		noclone_dev_free(unused);
}

/*
 * Add a target with all its legs to its table and mapped device; see noclone_table_append(). dm
 * core constructs the targets of a table one after the other, in ascending order, so appending
 * keeps the spans sorted, and no other task accesses the table until it is complete. Return: 0 or
 * -ENOMEM.
 *
 * Memory is allocated without noclone_devs_lock. Reclaim may wait for writeback to a suspended
 * device, and the constructors of the table that resumes this device need the lock. Even with GFP
 * flags without reclaim, the allocator may wait for the lock of a task that reclaims.
 */
int noclone_dev_add_target(struct noclone_target *t,
			   const struct noclone_extent *extents, u32 nr)
{
	struct noclone_table *table = noclone_dev_find_table(t->ti->table);
	int r;

	if (!table)
		table = noclone_dev_create_table(t->ti->table);
	if (!table)
		return -ENOMEM;
	r = noclone_table_append(table, t, extents, nr, GFP_KERNEL);
	if (r)
		noclone_dev_drop_table(table);
	return r;
}

/*
 * Undo noclone_dev_add_target(); the table is not live. dm core destroys a table as a whole, and no
 * bio uses the table any more, so this function only counts down the targets of the table, and the
 * last call frees the table.
 */
void noclone_dev_del_target(struct noclone_target *t)
{
	if (!t->table)
		return;
	t->table->targets--;
	noclone_dev_drop_table(t->table);
}
