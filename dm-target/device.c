// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which mapped devices have tables with our lines in them, and which lines
 * those tables have.  Everything here happens in constructors and destructors,
 * where allocating and failing is allowed.
 */
#include "core.h"

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
	nd->bdev = disk->part0;
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

/* Return: whether @nd has lost its last table: give it to noclone_dev_free(). */
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

/* Waits for a grace period, so without noclone_devs_lock. */
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

/* Return: the device if that was its last table, for noclone_dev_free(). */
static struct noclone_dev *noclone_table_put(struct noclone_table *table)
{
	struct noclone_dev *nd = table->nd;

	if (table->lines)
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

/* Twice the room each time: n lines cost n copies in all, not n * n. */
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

static bool noclone_has_zoned_leg(const struct noclone_target *t)
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

static void noclone_table_append_line(struct noclone_table *table,
				      struct noclone_target *t,
				      const struct noclone_extent *extents,
				      u32 nr)
{
	if (extents)
		noclone_table_append_extents(table, t, extents, nr);
	else
		noclone_table_append(table, t, t->ti->begin, t->ti->len,
				     &t->layout);
	table->lines++;
	table->sectors += t->ti->len;
	table->no_fastpath |= t->no_fastpath;
	table->zoned |= noclone_has_zoned_leg(t);
	t->table = table;
	t->nd = table->nd;
}

/**
 * noclone_table_add - make a line known to its table and its mapped device
 * @t: a target whose legs are all there
 * @extents: pieces of the line in ascending order and without gaps, or NULL:
 *	it is one piece, mapped by its layout
 * @nr: how many
 *
 * dm core constructs the lines of a table one by one, in ascending order, so
 * appending keeps the spans sorted.
 *
 * Context: process context, from the constructor.
 * Return: 0 or -ENOMEM.
 */
int noclone_table_add(struct noclone_target *t,
		      const struct noclone_extent *extents, u32 nr)
{
	struct noclone_dev *unused = NULL;
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

	r = noclone_table_make_room(table, extents ? nr : 1);
	if (r)
		unused = noclone_table_put(table);
	else
		noclone_table_append_line(table, t, extents, nr);
unlock:
	memalloc_noio_restore(noio);
	mutex_unlock(&noclone_devs_lock);
	if (unused)
		noclone_dev_free(unused);
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
	struct noclone_dev *unused;

	if (!t->table)
		return;

	mutex_lock(&noclone_devs_lock);
	t->table->lines--;
	unused = noclone_table_put(t->table);
	mutex_unlock(&noclone_devs_lock);
	if (unused)
		noclone_dev_free(unused);
}
