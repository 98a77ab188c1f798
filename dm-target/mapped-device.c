// SPDX-License-Identifier: GPL-2.0-only
/*
 * The mapped devices that have tables with our targets, and the targets of those
 * tables. Constructors and destructors, which may allocate and fail, call
 * noclone_table_add() and noclone_table_del(). stock/ also calls noclone_dev_init() in
 * .message, and functions with a @gfp in .resume, where nothing may sleep for memory.
 */
#include "mapped-device.h"
#include "device-state.h"
#include "interpose.h"
#include "io.h"
#include "polled.h"

#include <linux/device-mapper.h>
#include <linux/moduleparam.h>
#include <linux/slab.h>
#include <linux/workqueue.h>

/* Each device reads it once, when it is created. */
static bool noclone_dev_fastpath = true;
module_param_named(fastpath, noclone_dev_fastpath, bool, 0644);
MODULE_PARM_DESC(fastpath, "Use the fast path on devices made from now on (default Y)");

static DEFINE_MUTEX(noclone_devs_lock);
static LIST_HEAD(noclone_devs);

/*
 * Devices that have no table of ours any more, but operations of another module that may end in our
 * submit_bio, and the delay until they are looked at again. Each holds a reference to this module.
 */
static LIST_HEAD(noclone_devs_covered);
#define NOCLONE_DEVS_DELAY	(5 * HZ)
static void noclone_devs_look(struct work_struct *work);
static DECLARE_DELAYED_WORK(noclone_devs_looker, noclone_devs_look);

/* @nd is zeroed. Call noclone_dev_alloc() before a table is attached. */
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

/* The memory of a device: reserve and counters. Return: 0 or -ENOMEM. */
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
	/* For noclone_dev_is_ready() */
	smp_store_release(&nd->counters, counters);
	return 0;
}

/*
 * Context: a grace period after the last detach, for submitters that had found @nd before
 * and for the tail of the last noclone_inflight_put().
 */
void noclone_dev_exit(struct noclone_dev *nd)
{
	if (!nd->counters)
		return;
	mempool_exit(&nd->reserve);
	free_percpu(nd->counters);
}

/*
 * Return: the device, for dm_put(), or NULL if its removal has begun. Numbers of devices and
 * addresses of disks are used again, diskseq is not.
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
 * Another module may have put operations over ours that end in our submit_bio: our text has to
 * stay until that module has restored ours, or the device is gone. A device that is removed is not
 * open, so each bio that was submitted to it has passed our submit_bio.
 * Return: false if our text has to stay. Context: @nd is detached, and no task attaches it.
 */
bool noclone_dev_unpin(struct noclone_dev *nd)
{
	struct mapped_device *md;

	if (!READ_ONCE(nd->pinned))
		return true;
	md = noclone_dev_get_md(nd);
	if (md) {
		noclone_fops_replace(nd, false);
		dm_put(md);
	} else {
		noclone_fops_unpin(nd);
	}
	return !nd->pinned;
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

/* Context: no submitter has found @nd, or a grace period has passed since. */
static void noclone_dev_destroy(struct noclone_dev *nd)
{
	noclone_dev_exit(nd);
	kfree(nd);
}

/* Context: noclone_devs_lock */
static struct noclone_dev *noclone_dev_find(struct gendisk *disk)
{
	struct noclone_dev *nd;

	list_for_each_entry(nd, &noclone_devs, node)
		if (nd->disk == disk)
			return nd;
	return NULL;
}

/*
 * Return: true if that was the last table: noclone_dev_free() has to follow. Context:
 * noclone_devs_lock
 */
static bool noclone_dev_put(struct noclone_dev *nd)
{
	if (!list_empty(&nd->tables))
		return false;

	list_del(&nd->node);
	return true;
}

/* Keep @nd until noclone_dev_unpin() succeeds. A later table of ours gets another one. */
static void noclone_dev_keep(struct noclone_dev *nd)
{
	mutex_lock(&noclone_devs_lock);
	list_add(&nd->node, &noclone_devs_covered);
	schedule_delayed_work(&noclone_devs_looker, NOCLONE_DEVS_DELAY);
	mutex_unlock(&noclone_devs_lock);
}

/* Waits for a grace period, as short as dm core's own: not under noclone_devs_lock. */
static void noclone_dev_free(struct noclone_dev *nd)
{
	if (!noclone_dev_unpin(nd)) {
		noclone_dev_keep(nd);
		return;
	}
	synchronize_rcu_expedited();
	noclone_dev_destroy(nd);
}

static void noclone_devs_look(struct work_struct *work)
{
	struct noclone_dev *nd, *next;
	LIST_HEAD(covered);

	mutex_lock(&noclone_devs_lock);
	list_splice_init(&noclone_devs_covered, &covered);
	mutex_unlock(&noclone_devs_lock);
	list_for_each_entry_safe(nd, next, &covered, node)
		noclone_dev_free(nd);
}

/* Context: no device is left, but the work item that has freed the last one may still return. */
void noclone_devs_exit(void)
{
	cancel_delayed_work_sync(&noclone_devs_looker);
}

/*
 * Link @table to the device of @disk, or, if that is not in the list yet, to @nd, which may be
 * NULL. Return: the device, or NULL.
 */
static struct noclone_dev *noclone_table_link(struct noclone_table *table,
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

static struct noclone_table *noclone_table_create(struct dm_table *dm)
{
	struct gendisk *disk = dm_disk(dm_table_get_md(dm));
	struct noclone_table *table = kzalloc(sizeof(*table), GFP_KERNEL);
	struct noclone_dev *nd;

	if (!table)
		return NULL;
	table->dm = dm;
	if (noclone_table_link(table, disk, NULL))
		return table;
	nd = noclone_dev_create(disk);
	if (!nd) {
		kfree(table);
		return NULL;
	}
	if (noclone_table_link(table, disk, nd) != nd)
		noclone_dev_destroy(nd);
	return table;
}

/* Reset to zeroes; the targets are not touched. */
void noclone_table_exit(struct noclone_table *table)
{
	kvfree(table->spans);
	kvfree(table->segments);
	memset(table, 0, sizeof(*table));
}

/*
 * Return: the device if noclone_dev_free() has to follow, else NULL. Context:
 * noclone_devs_lock
 */
static struct noclone_dev *noclone_table_put(struct noclone_table *table)
{
	struct noclone_dev *nd = table->nd;

	if (table->targets)
		return NULL;

	list_del(&table->node);
	noclone_table_exit(table);
	kfree(table);
	return noclone_dev_put(nd) ? nd : NULL;
}

/* Context: noclone_devs_lock */
static struct noclone_table *noclone_table_find_locked(struct dm_table *dm)
{
	struct noclone_dev *nd;
	struct noclone_table *table;

	list_for_each_entry(nd, &noclone_devs, node)
		list_for_each_entry(table, &nd->tables, node)
			if (table->dm == dm)
				return table;
	return NULL;
}

static struct noclone_table *noclone_table_find(struct dm_table *dm)
{
	struct noclone_table *table;

	mutex_lock(&noclone_devs_lock);
	table = noclone_table_find_locked(dm);
	mutex_unlock(&noclone_devs_lock);
	return table;
}

/* Return: whether @dm has targets of ours. Context: may sleep, but not for memory */
bool noclone_table_is_known(struct dm_table *dm)
{
	return noclone_table_find(dm);
}

/* vmalloc() of older kernels reclaims whatever the GFP flags say. */
static void *noclone_table_alloc(u32 nr, size_t size, gfp_t gfp)
{
	return gfpflags_allow_blocking(gfp) ? kvmalloc_array(nr, size, gfp) :
		kmalloc_array(nr, size, gfp);
}

/* Doubles the arrays, so that adding n segments takes O(n) copies. */
static int noclone_table_make_room(struct noclone_table *table, u32 more,
				   gfp_t gfp)
{
	u32 room = max3(4U, table->room * 2, table->nr + more);
	struct noclone_segment *segments;
	struct noclone_span *spans;

	if (table->nr + more <= table->room)
		return 0;

	spans = noclone_table_alloc(room, sizeof(*spans), gfp);
	segments = noclone_table_alloc(room, sizeof(*segments), gfp);
	if (!spans || !segments) {
		kvfree(spans);
		kvfree(segments);
		return -ENOMEM;
	}

	if (table->nr) {
		memcpy(spans, table->spans, table->nr * sizeof(*spans));
		memcpy(segments, table->segments,
		       table->nr * sizeof(*segments));
	}
	kvfree(table->spans);
	kvfree(table->segments);
	table->spans = spans;
	table->segments = segments;
	table->room = room;
	return 0;
}

static bool noclone_table_has_zoned_leg(const struct noclone_target *t)
{
	unsigned int i;

	for (i = 0; i < t->nr_legs; i++)
		if (bdev_is_zoned(t->leg[i].bdev))
			return true;
	return false;
}

static void noclone_table_append_segment(struct noclone_table *table,
					 struct noclone_target *t, u64 begin,
					 u64 sectors,
					 const struct noclone_layout *layout)
{
	table->spans[table->nr].begin = begin;
	table->spans[table->nr].end = begin + sectors;
	table->segments[table->nr].layout = *layout;
	table->segments[table->nr].leg = t->nr_legs ? t->leg : NULL;
	table->segments[table->nr].target = t;
	table->nr++;
}

static void noclone_table_append_extents(struct noclone_table *table,
					 struct noclone_target *t,
					 const struct noclone_extent *e, u32 nr)
{
	struct noclone_layout layout;

	for (; nr; nr--, e++) {
		noclone_layout_of_extent(&layout, e);
		noclone_table_append_segment(table, t, e->begin, e->sectors,
					     &layout);
	}
}

/*
 * Append a target with all its legs. @extents are @nr pieces of the target,
 * ascending and without gaps; NULL: it is one piece, mapped by t->layout. Return:
 * 0 or -ENOMEM.
 */
int noclone_table_append(struct noclone_table *table, struct noclone_target *t,
			 const struct noclone_extent *extents, u32 nr, gfp_t gfp)
{
	if (noclone_table_make_room(table, extents ? nr : 1, gfp))
		return -ENOMEM;

	if (extents)
		noclone_table_append_extents(table, t, extents, nr);
	else
		noclone_table_append_segment(table, t, t->ti->begin,
					     t->ti->len, &t->layout);
	table->targets++;
	table->sectors += t->ti->len;
	table->no_fastpath |= t->no_fastpath;
	table->zoned |= noclone_table_has_zoned_leg(t);
	t->table = table;
	t->nd = table->nd;
	return 0;
}

/* Drop a table that has no targets (left). */
static void noclone_table_drop(struct noclone_table *table)
{
	struct noclone_dev *unused;

	mutex_lock(&noclone_devs_lock);
	unused = noclone_table_put(table);
	mutex_unlock(&noclone_devs_lock);
	if (unused)
		noclone_dev_free(unused);
}

/*
 * Add a target with all its legs to its table and mapped device; see
 * noclone_table_append(). dm core constructs the targets of a table in ascending
 * order, so appending keeps the spans sorted, and one after the other: until it is complete,
 * no other task accesses the table. Return: 0 or -ENOMEM.
 *
 * Memory is allocated without the lock. Reclaim may wait for writeback to a suspended
 * device, and the table that resumes it needs the lock. With GFP flags without reclaim, the
 * allocator may still wait for the lock of a task that reclaims.
 */
int noclone_table_add(struct noclone_target *t,
		      const struct noclone_extent *extents, u32 nr)
{
	struct noclone_table *table = noclone_table_find(t->ti->table);
	int r;

	if (!table)
		table = noclone_table_create(t->ti->table);
	if (!table)
		return -ENOMEM;
	r = noclone_table_append(table, t, extents, nr, GFP_KERNEL);
	if (r)
		noclone_table_drop(table);
	return r;
}

/*
 * Undo noclone_table_add(); the table is not live. dm core destroys a table as a
 * whole, and no bio is looked up in it any more, so its targets are only counted down.
 */
void noclone_table_del(struct noclone_target *t)
{
	if (!t->table)
		return;
	t->table->targets--;
	noclone_table_drop(t->table);
}
