// SPDX-License-Identifier: GPL-2.0-only
/*
 * The segments of a table: one for each target, or one for each extent of a file. The code in
 * stock/ calls noclone_table_append() from .resume, which must not sleep for memory.
 */
#include "dev-table.h"
#include "device-state.h"

#include <linux/device-mapper.h>
#include <linux/slab.h>

/* Free the arrays of a table and reset it to zeroes; the targets are not touched. */
void noclone_table_exit(struct noclone_table *table)
{
	kvfree(table->spans);
	kvfree(table->segments);
	memset(table, 0, sizeof(*table));
}

/*
 * Allocate an array. If @gfp forbids waiting, do not use vmalloc(): in older kernels vmalloc()
 * reclaims memory even if the flags forbid this.
 */
static void *noclone_table_alloc(u32 nr, size_t size, gfp_t gfp)
{
	return gfpflags_allow_blocking(gfp) ? kvmalloc_array(nr, size, gfp) :
		kmalloc_array(nr, size, gfp);
}

/*
 * Make room for @more segments. The arrays are doubled, so that adding n segments takes O(n)
 * copies.
 */
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
 * Append a target with all its legs. @extents are @nr pieces of the target, ascending and without
 * gaps; if @extents is NULL, the target is one piece, which t->layout maps. Return: 0 or -ENOMEM.
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
