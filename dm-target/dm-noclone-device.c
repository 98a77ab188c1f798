// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which mapped devices have tables with our lines in them, and which lines
 * those tables have.  Everything here happens in constructors and destructors,
 * where allocating and failing is allowed.
 */
#include "dm-noclone.h"

#include <linux/sched/mm.h>
#include <linux/slab.h>

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
	mutex_init(&nd->lock);
	INIT_LIST_HEAD(&nd->tables);
	nd->wish = READ_ONCE(noclone_fastpath_default) ? NOCLONE_ON :
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

static void noclone_dev_put(struct noclone_dev *nd)
{
	if (!list_empty(&nd->tables))
		return;

	list_del(&nd->node);
	if (nd->pinned)
		return;

	noclone_fastpath_release(nd);
	free_percpu(nd->counters);
	kfree(nd);
}

static struct noclone_table *noclone_table_create(struct dm_table *dm)
{
	struct noclone_dev *nd = noclone_dev_get(dm);
	struct noclone_table *table;

	if (IS_ERR(nd))
		return ERR_CAST(nd);

	table = kzalloc(sizeof(*table), GFP_KERNEL);
	if (!table) {
		noclone_dev_put(nd);
		return ERR_PTR(-ENOMEM);
	}

	table->nd = nd;
	table->dm = dm;
	list_add(&table->node, &nd->tables);
	return table;
}

static void noclone_table_put(struct noclone_table *table)
{
	struct noclone_dev *nd = table->nd;

	if (table->nr)
		return;

	list_del(&table->node);
	kvfree(table->spans);
	kvfree(table->targets);
	kfree(table);
	noclone_dev_put(nd);
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

/* Twice the room each time: n lines cost n copies in all, not n * n. */
static int noclone_table_make_room(struct noclone_table *table)
{
	u32 room = max(4U, table->room * 2);
	struct noclone_target **targets;
	struct noclone_span *spans;

	if (table->nr < table->room)
		return 0;

	spans = kvmalloc_array(room, sizeof(*spans), GFP_KERNEL);
	targets = kvmalloc_array(room, sizeof(*targets), GFP_KERNEL);
	if (!spans || !targets) {
		kvfree(spans);
		kvfree(targets);
		return -ENOMEM;
	}

	if (table->nr) {
		memcpy(spans, table->spans, table->nr * sizeof(*spans));
		memcpy(targets, table->targets, table->nr * sizeof(*targets));
	}
	kvfree(table->spans);
	kvfree(table->targets);
	table->spans = spans;
	table->targets = targets;
	table->room = room;
	return 0;
}

static bool noclone_has_zoned_leg(const struct noclone_target *t)
{
	unsigned int i;

	for (i = 0; i < t->nr_legs; i++)
		if (bdev_is_zoned(t->leg[i].dev->bdev))
			return true;
	return false;
}

static void noclone_table_append(struct noclone_table *table,
				 struct noclone_target *t)
{
	table->spans[table->nr].begin = t->ti->begin;
	table->spans[table->nr].end = t->ti->begin + t->ti->len;
	table->targets[table->nr] = t;
	table->nr++;
	table->sectors += t->ti->len;
	table->no_fastpath |= t->no_fastpath;
	table->zoned |= noclone_has_zoned_leg(t);
	t->table = table;
	t->nd = table->nd;
}

/**
 * noclone_table_add - make a line known to its table and its mapped device
 * @t: a target whose legs are all there
 *
 * dm core constructs the lines of a table one by one, in ascending order, so
 * appending keeps the spans sorted.
 *
 * Context: process context, from the constructor.
 * Return: 0 or -ENOMEM.
 */
int noclone_table_add(struct noclone_target *t)
{
	struct noclone_table *table;
	unsigned int noio;
	int r;

	/*
	 * Writeback to a suspended device must not hang with the lock held:
	 * the table that would let it go on may be waiting for the lock.
	 */
	mutex_lock(&noclone_devs_lock);
	noio = memalloc_noio_save();
	table = noclone_table_get(t->ti->table);
	r = PTR_ERR_OR_ZERO(table);
	if (r)
		goto unlock;

	r = noclone_table_make_room(table);
	if (r)
		noclone_table_put(table);
	else
		noclone_table_append(table, t);
unlock:
	memalloc_noio_restore(noio);
	mutex_unlock(&noclone_devs_lock);
	return r;
}

/**
 * noclone_table_del - undo noclone_table_add()
 * @t: a target whose table is not live any more, or never was
 *
 * A table is destroyed as a whole, so its lines are only counted down: nobody
 * looks anything up in it from the first destructor on.
 */
void noclone_table_del(struct noclone_target *t)
{
	if (!t->table)
		return;

	mutex_lock(&noclone_devs_lock);
	t->table->nr--;
	noclone_table_put(t->table);
	mutex_unlock(&noclone_devs_lock);
}
