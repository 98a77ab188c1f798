// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which mapped devices have tables with our targets, and which targets those
 * tables have. Everything here happens in constructors and destructors, where
 * allocating and failing is allowed.
 */
#include "mapped-device.h"
#include "device-state.h"
#include "fastpath.h"

#include <linux/device-mapper.h>
#include <linux/moduleparam.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>

/* Each device reads it once, when it is created. */
static bool noclone_dev_fastpath = true;
module_param_named(fastpath, noclone_dev_fastpath, bool, 0644);
MODULE_PARM_DESC(fastpath, "Use the fast path on devices made from now on (default Y)");

static DEFINE_MUTEX(noclone_devs_lock);
static LIST_HEAD(noclone_devs);

static struct noclone_dev *noclone_dev_create(struct gendisk *disk)
{
	struct noclone_dev *nd = kzalloc(sizeof(*nd), GFP_KERNEL);
	int r = -ENOMEM;

	if (!nd)
		return ERR_PTR(-ENOMEM);

	nd->counters = alloc_percpu(struct noclone_counters);
	if (!nd->counters)
		goto free_nd;

	nd->disk = disk;
	nd->bdev = disk->part0;
	mutex_init(&nd->lock);
	INIT_LIST_HEAD(&nd->tables);
	nd->requested = READ_ONCE(noclone_dev_fastpath) ? NOCLONE_ON :
		NOCLONE_OFF_PARAMETER;
	nd->state = NOCLONE_OFF_SUSPENDED;

	r = noclone_fastpath_prepare(nd);
	if (r)
		goto free_counters;

	list_add(&nd->node, &noclone_devs);
	return nd;

free_counters:
	free_percpu(nd->counters);
free_nd:
	kfree(nd);
	return ERR_PTR(r);
}

static struct noclone_dev *noclone_dev_get(struct dm_table *dm)
{
	struct gendisk *disk = dm_disk(dm_table_get_md(dm));
	struct noclone_dev *nd;

	list_for_each_entry(nd, &noclone_devs, node)
		if (nd->disk == disk)
			return nd;
	return noclone_dev_create(disk);
}

/* Return: true if that was the last table: noclone_dev_free() has to follow. */
static bool noclone_dev_put(struct noclone_dev *nd)
{
	if (!list_empty(&nd->tables))
		return false;

	list_del(&nd->node);
	if (nd->pinned)
		return false;
	noclone_fastpath_forget(nd);
	return true;
}

/* Waits for a grace period: not under noclone_devs_lock. */
static void noclone_dev_free(struct noclone_dev *nd)
{
	noclone_fastpath_release(nd);
	free_percpu(nd->counters);
	kfree(nd);
}

static struct noclone_table *noclone_table_create(struct dm_table *dm)
{
	struct noclone_table *table = kzalloc(sizeof(*table), GFP_KERNEL);
	struct noclone_dev *nd;

	if (!table)
		return ERR_PTR(-ENOMEM);

	nd = noclone_dev_get(dm);
	if (IS_ERR(nd)) {
		kfree(table);
		return ERR_CAST(nd);
	}

	table->nd = nd;
	table->dm = dm;
	list_add(&table->node, &nd->tables);
	return table;
}

/* Return: the device if noclone_dev_free() has to follow, else NULL. */
static struct noclone_dev *noclone_table_put(struct noclone_table *table)
{
	struct noclone_dev *nd = table->nd;

	if (table->targets)
		return NULL;

	list_del(&table->node);
	kvfree(table->spans);
	kvfree(table->segments);
	kfree(table);
	return noclone_dev_put(nd) ? nd : NULL;
}

static struct noclone_table *noclone_table_get(struct dm_table *dm)
{
	struct noclone_dev *nd;
	struct noclone_table *table;

	list_for_each_entry(nd, &noclone_devs, node)
		list_for_each_entry(table, &nd->tables, node)
			if (table->dm == dm)
				return table;
	return noclone_table_create(dm);
}

/* Doubles the arrays, so that adding n segments takes O(n) copies. */
static int noclone_table_make_room(struct noclone_table *table, u32 more)
{
	u32 room = max3(4U, table->room * 2, table->nr + more);
	struct noclone_segment *segments;
	struct noclone_span *spans;

	if (table->nr + more <= table->room)
		return 0;

	spans = kvmalloc_array(room, sizeof(*spans), GFP_KERNEL);
	segments = kvmalloc_array(room, sizeof(*segments), GFP_KERNEL);
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

static void noclone_table_append(struct noclone_table *table,
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
		noclone_table_append(table, t, e->begin, e->sectors, &layout);
	}
}

static void noclone_table_append_target(struct noclone_table *table,
					struct noclone_target *t,
					const struct noclone_extent *extents,
					u32 nr)
{
	if (extents)
		noclone_table_append_extents(table, t, extents, nr);
	else
		noclone_table_append(table, t, t->ti->begin, t->ti->len,
				     &t->layout);
	table->targets++;
	table->sectors += t->ti->len;
	table->no_fastpath |= t->no_fastpath;
	table->zoned |= noclone_table_has_zoned_leg(t);
	t->table = table;
	t->nd = table->nd;
}

/*
 * Add a target with all its legs to its table and mapped device. @extents are
 * @nr pieces of the target, ascending and without gaps; NULL: it is one piece,
 * mapped by t->layout. dm core constructs the targets of a table in ascending
 * order, so appending keeps the spans sorted. Return: 0 or -ENOMEM.
 */
int noclone_table_add(struct noclone_target *t,
		      const struct noclone_extent *extents, u32 nr)
{
	struct noclone_dev *unused = NULL;
	struct noclone_table *table;
	unsigned int noio;
	int r;

	/*
	 * No reclaim that waits for I/O: writeback to a suspended device would
	 * hang with the lock held, and the table that resumes it needs the lock.
	 */
	mutex_lock(&noclone_devs_lock);
	noio = memalloc_noio_save();
	table = noclone_table_get(t->ti->table);
	r = PTR_ERR_OR_ZERO(table);
	if (r)
		goto unlock;

	r = noclone_table_make_room(table, extents ? nr : 1);
	if (r)
		unused = noclone_table_put(table);
	else
		noclone_table_append_target(table, t, extents, nr);
unlock:
	memalloc_noio_restore(noio);
	mutex_unlock(&noclone_devs_lock);
	if (unused)
		noclone_dev_free(unused);
	return r;
}

/*
 * Undo noclone_table_add(); the table is not live. dm core destroys a table as a
 * whole, so its targets are only counted down: nothing is looked up in it any
 * more.
 */
void noclone_table_del(struct noclone_target *t)
{
	struct noclone_dev *unused;

	if (!t->table)
		return;

	mutex_lock(&noclone_devs_lock);
	t->table->targets--;
	unused = noclone_table_put(t->table);
	mutex_unlock(&noclone_devs_lock);
	if (unused)
		noclone_dev_free(unused);
}
