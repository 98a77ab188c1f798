// SPDX-License-Identifier: GPL-2.0-only
/*
 * Learn how a stock target maps, from the facts that the target gives to dm core: its legs come in
 * order from .iterate_devices, its chunk is max_io_len. The result is compared with the target's
 * own .map at both ends of each leg, and around the chunk borders of the first and of the last row
 * (a row is one chunk of each leg). A target that maps in another way is left to dm core.
 *
 * Context of learning: .resume. Allocations neither reclaim nor warn, because the device may hold
 * swap.
 */
#include "learn.h"
#include "../dev-table.h"
#include "../device-state.h"

#include <linux/bio.h>
#include <linux/device-mapper.h>
#include <linux/slab.h>

struct noclone_learn {
	struct noclone_target *t;	/* NULL: only count the legs */
	unsigned int nr;
	sector_t width;			/* length of a leg; all legs have the same length */
	bool odd;
};

static int noclone_learn_leg(struct dm_target *ti, struct dm_dev *dev,
			     sector_t start, sector_t len, void *data)
{
	struct noclone_learn *l = data;

	if (l->nr && len != l->width)
		l->odd = true;
	l->width = len;
	if (l->t && l->nr < l->t->nr_legs) {
		l->t->leg[l->nr].dev = dev;
		l->t->leg[l->nr].bdev = dev->bdev;
		l->t->leg[l->nr].start = start;
	}
	l->nr++;
	return 0;
}

/*
 * Let dm-stripe count and report the error, while bi_bdev still names the leg. dm-stripe would
 * also count a bio that the leg could not take without waiting, which is no error of the leg.
 */
static void noclone_learn_leg_error(struct noclone_target *t, struct bio *bio,
				    blk_status_t status)
{
	if (status != BLK_STS_AGAIN)
		t->ti->type->end_io(t->ti, bio, &status);
}

static const struct noclone_target_ops noclone_learn_striped_ops = {
	.leg_error = noclone_learn_leg_error,
};

/*
 * Does the target's own .map map @sector, relative to the begin of the target, as our layout does?
 */
static bool noclone_learn_agrees_at(const struct noclone_target *t, sector_t sector)
{
	sector_t expected;
	struct bio bio;
	bool agrees;
	u32 leg;

	sector += t->ti->begin;
	expected = noclone_map_sector(&t->layout, sector, &leg);
	bio_init(&bio, t->leg[0].bdev, NULL, 0, REQ_OP_READ);
	bio.bi_iter.bi_sector = sector;
	bio.bi_iter.bi_size = SECTOR_SIZE;
	agrees = t->ti->type->map(t->ti, &bio) == DM_MAPIO_REMAPPED &&
		 bio.bi_bdev == t->leg[leg].bdev &&
		 bio.bi_iter.bi_sector == t->leg[leg].start + expected;
	bio_uninit(&bio);
	return agrees;
}

static bool noclone_learn_agrees(const struct noclone_target *t, u32 chunk)
{
	sector_t end = t->ti->len, last;
	unsigned int i;

	if (!chunk)
		return noclone_learn_agrees_at(t, 0) &&
		       noclone_learn_agrees_at(t, end - 1);

	last = end - (sector_t)t->nr_legs * chunk;
	for (i = 0; i < t->nr_legs; i++) {
		sector_t first = (sector_t)i * chunk;

		if (!noclone_learn_agrees_at(t, first) ||
		    !noclone_learn_agrees_at(t, first + chunk - 1) ||
		    !noclone_learn_agrees_at(t, last + first) ||
		    !noclone_learn_agrees_at(t, last + first + chunk - 1))
			return false;
	}
	return true;
}

/*
 * Do the facts fit dm-linear or dm-stripe? dm-linear has one leg and no .end_io; dm-stripe has a
 * chunk and an .end_io.
 */
static bool noclone_learn_fits(const struct dm_target *ti,
			       const struct noclone_learn *l)
{
	u32 rest;

	if (!l->nr || l->odd || l->width * l->nr != ti->len)
		return false;
	if (!ti->type->end_io)
		return l->nr == 1 && !ti->max_io_len;
	if (!ti->max_io_len)
		return false;
	div_u64_rem(l->width, ti->max_io_len, &rest);
	return !rest;
}

/*
 * Return: a target for the fast path, for kfree(); ERR_PTR(-ENOMEM),
 * or ERR_PTR(-EINVAL) if the target does not map as expected.
 */
struct noclone_target *noclone_learn_target(struct dm_target *ti)
{
	struct noclone_learn l = { };
	struct noclone_target *t;
	u32 chunk;

	ti->type->iterate_devices(ti, noclone_learn_leg, &l);
	if (!noclone_learn_fits(ti, &l))
		return ERR_PTR(-EINVAL);

	t = kzalloc(struct_size(t, leg, l.nr), GFP_NOWAIT | __GFP_NOWARN);
	if (!t)
		return ERR_PTR(-ENOMEM);
	chunk = ti->type->end_io ? ti->max_io_len : 0;
	noclone_layout_init(&t->layout, ti->begin, l.nr, chunk);
	t->ti = ti;
	t->nr_legs = l.nr;
	if (ti->type->end_io)
		t->ops = &noclone_learn_striped_ops;

	l = (struct noclone_learn){ .t = t };
	ti->type->iterate_devices(ti, noclone_learn_leg, &l);
	if (l.nr != t->nr_legs || !noclone_learn_agrees(t, chunk)) {
		kfree(t);
		return ERR_PTR(-EINVAL);
	}
	return t;
}

/*
 * Free the targets of @table, the only table of @nd, and empty the table. Context: nd->lock; no bio
 * uses the table.
 */
void noclone_learn_forget(struct noclone_table *table, struct noclone_dev *nd)
{
	u32 i;

	for (i = 0; i < table->nr; i++)
		kfree(table->segments[i].target);
	noclone_table_exit(table);
	table->nd = nd;
}
