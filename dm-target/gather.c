// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reads and writes that are not remapped in place, because they cross chunks or because
 * others hold a part in their completion (BIO_CHAIN): they become bios of our own, one for
 * each piece, instead of dm core's clones.
 *
 * The submitter's bio (the parent) is not touched until all of these have ended: it needs
 * neither saving nor restoring, and it may be in a chain. One object holds all that is
 * needed, and it is there, without waiting, before the first of them is submitted. If there
 * is no memory dm core gets the parent as it came, so no memory is held while waiting for
 * memory. The device is held, as for a bio in place, from before the first to after the last.
 *
 * The bios are those that dm core makes: the same pieces, in the same order, with the same
 * flags, counted and traced in the same way.
 */
#include "gather.h"
#include "inflight.h"
#include "io.h"

#include <linux/bio.h>
#include <linux/blk-crypto.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <trace/events/block.h>

struct noclone_part {
	struct bio bio;
	u32 sectors;			/* of @bio, before the leg has had it */
};

struct noclone_gather {
	struct bio *parent;
	struct noclone_target *target;
	unsigned long start;		/* jiffies */
	atomic_t remaining;
	blk_status_t status;		/* of the last part that failed, as in dm core */
	u8 class;
	bool accounted;			/* bdev_end_io_acct() has to follow */
	/* The parts are behind it; struct bio ends with an array, so there is none of them. */
};

/* What a slab hardly ever has contiguous memory for is not asked for. */
#define NOCLONE_GATHER_MAX	((SZ_64K - sizeof(struct noclone_gather)) / \
				 sizeof(struct noclone_part))

/* What a slab adds to an object with a constructor must not make a page of it. */
static const size_t noclone_gather_size[] = { 512 - 16, 2048 - 16, 8192 - 16 };
static struct kmem_cache *noclone_gather_slab[ARRAY_SIZE(noclone_gather_size)];

/* A cache with a constructor is exempt from init_on_alloc. */
static void noclone_gather_ctor(void *object)
{
}

static struct noclone_part *noclone_gather_parts(struct noclone_gather *g)
{
	return (struct noclone_part *)(g + 1);
}

static struct noclone_gather *noclone_gather_alloc(u32 parts)
{
	size_t size = sizeof(struct noclone_gather) + parts * sizeof(struct noclone_part);
	struct noclone_gather *g;
	unsigned int class;

	for (class = 0; class < ARRAY_SIZE(noclone_gather_size); class++)
		if (size <= noclone_gather_size[class])
			break;
	if (class < ARRAY_SIZE(noclone_gather_size))
		g = noclone_io_slab_alloc(noclone_gather_slab[class]);
	else
		g = noclone_io_kmalloc(size);
	if (likely(g))
		g->class = class;
	return g;
}

static void noclone_gather_free(struct noclone_gather *g)
{
	if (likely(g->class < ARRAY_SIZE(noclone_gather_size)))
		kmem_cache_free(noclone_gather_slab[g->class], g);
	else
		kfree(g);
}

static noinline void noclone_gather_failed(struct noclone_gather *g, struct bio *bio)
{
	if (g->target->leg_error)
		g->target->leg_error(g->target, bio, bio->bi_status);
	WRITE_ONCE(g->status, bio->bi_status);
}

/* All parts have ended. */
static void noclone_gather_end(struct noclone_gather *g)
{
	struct noclone_dev *nd = g->target->nd;
	struct bio *parent = g->parent;

	if (unlikely(g->status))
		parent->bi_status = g->status;
	noclone_gather_free(g);
	bio_endio(parent);
	/* From here on the device may go away */
	noclone_inflight_put(nd);
}

static void noclone_gather_end_io(struct bio *bio)
{
	struct noclone_part *part = container_of(bio, struct noclone_part, bio);
	struct noclone_gather *g = bio->bi_private;

	/* Not bio_op(bio), which the leg may have changed */
	if (g->accounted)
		noclone_compat_end_io_acct(g->target->nd->bdev, bio_op(g->parent), 1,
					   part->sectors, g->start);
	if (unlikely(bio->bi_status))
		noclone_gather_failed(g, bio);
	bio_uninit(bio);
	if (atomic_dec_and_test(&g->remaining))
		noclone_gather_end(g);
}

/* A bio for one piece: the parent's pages, from where @iter is in them. */
static void noclone_gather_part(struct noclone_gather *g, struct noclone_part *part,
				const struct noclone_leg *leg, const struct noclone_pieces *p,
				const struct bvec_iter *iter)
{
	struct bio *bio = &part->bio;

	/* Can fail only for what has a crypt context or integrity data. */
	bio_init_clone(NULL, bio, g->parent, GFP_NOWAIT);
	bio->bi_opf &= ~(REQ_ALLOC_CACHE | REQ_DRV);
	bio->bi_iter = *iter;
	bio->bi_iter.bi_sector = leg->start + p->row + p->in_chunk;
	bio->bi_iter.bi_size = p->sectors << SECTOR_SHIFT;
	bio->bi_private = g;
	bio->bi_end_io = noclone_gather_end_io;
	bio->bi_bdev = leg->bdev;
	noclone_compat_clone_blkg(bio, g->parent);
	part->sectors = p->sectors;
}

static void noclone_gather_fill(struct noclone_gather *g, const struct noclone_segment *s,
				struct noclone_pieces p)
{
	struct bvec_iter iter = g->parent->bi_iter;
	struct noclone_part *part = noclone_gather_parts(g);

	for (; p.sectors; noclone_pieces_next(&p)) {
		noclone_gather_part(g, part++, &s->leg[p.leg], &p, &iter);
		bio_advance_iter(g->parent, &iter, p.sectors << SECTOR_SHIFT);
	}
}

/* As dm core: the remap of a piece, then, if anything is left, the split. */
static noinline void noclone_gather_trace(const struct bio *parent, const struct noclone_part *part,
					  struct block_device *bdev, sector_t from)
{
	struct bio rest = *parent;

	trace_block_bio_remap((struct bio *)&part->bio, bdev->bd_dev, from);
	from += part->sectors;
	if (from == bio_end_sector(parent))
		return;
	rest.bi_iter.bi_size = (bio_end_sector(parent) - from) << SECTOR_SHIFT;
	rest.bi_iter.bi_sector = from;
	trace_block_split(&rest, from);
}

static void noclone_gather_go(struct noclone_gather *g, struct block_device *bdev, u32 nr)
{
	sector_t from = g->parent->bi_iter.bi_sector;
	struct noclone_part *part = noclone_gather_parts(g);

	if (g->accounted)
		noclone_compat_start_io_acct(bdev, bio_op(g->parent), nr, bio_sectors(g->parent),
					     g->start);
	for (; nr; nr--, part++) {
		if (trace_block_bio_remap_enabled() || trace_block_split_enabled()) {
			noclone_gather_trace(g->parent, part, bdev, from);
			from += part->sectors;
		}
		/* With the last of them @g may be gone */
		submit_bio_noacct(&part->bio);
	}
}

/* Return: how many pieces, or 0: too many. */
static u32 noclone_gather_count(struct noclone_pieces p)
{
	u32 nr = 0;

	for (; p.sectors; noclone_pieces_next(&p))
		if (++nr > NOCLONE_GATHER_MAX)
			return 0;
	return nr;
}

/* Return: what maps all of @bio, or NULL. */
static const struct noclone_segment *
noclone_gather_find_segment(const struct noclone_table *table, const struct bio *bio)
{
	u32 i = noclone_find_span(table->spans, table->nr, bio->bi_iter.bi_sector);

	if (i == table->nr || bio_end_sector(bio) > table->spans[i].end ||
	    !table->segments[i].leg)
		return NULL;
	return &table->segments[i];
}

/* Return: whether it is a matter of where @bio goes, and not of more than that. */
static bool noclone_gather_is_plain(struct bio *bio)
{
	return !(bio->bi_opf & (REQ_POLLED | REQ_ATOMIC)) && !bio_has_crypt_ctx(bio);
}

/**
 * noclone_gather_submit - send a read or write as bios of its own to the legs
 * @nd: the device
 * @table: its live table
 * @parent: counts as begun. Has data and neither integrity data nor PREFLUSH.
 * @why: what is returned if @parent has to go to dm core
 *
 * Context: the mapped device's submit_bio. Does not sleep.
 *
 * Return: NOCLONE_FAST, with the parent taken; NOCLONE_NOMEM or @why, with the parent as
 * it was.
 */
enum noclone_counter noclone_gather_submit(struct noclone_dev *nd,
					   const struct noclone_table *table,
					   struct bio *parent, enum noclone_counter why)
{
	const struct noclone_segment *s = noclone_gather_find_segment(table, parent);
	struct block_device *bdev = parent->bi_bdev;
	struct noclone_gather *g;
	struct noclone_pieces p;
	u32 nr;

	if (!s || !noclone_gather_is_plain(parent))
		return why;
	noclone_pieces_first(&p, &s->layout, parent->bi_iter.bi_sector, bio_sectors(parent),
			     queue_max_sectors(bdev_get_queue(bdev)));
	nr = noclone_gather_count(p);
	/* blk-throttle counts each piece that dm core sends round again */
	if (!nr || (nr > 1 && bio_flagged(parent, BIO_BPS_THROTTLED)))
		return why;
	g = noclone_gather_alloc(nr);
	if (unlikely(!g))
		return NOCLONE_NOMEM;

	g->parent = parent;
	g->target = s->target;
	g->start = jiffies;
	atomic_set(&g->remaining, nr);
	g->status = BLK_STS_OK;
	g->accounted = noclone_compat_accounts_io(bdev);
	noclone_gather_fill(g, s, p);
	noclone_count(nd, NOCLONE_GATHERED);
	this_cpu_add(nd->counters->n[NOCLONE_GATHERED_BIOS], nr);
	noclone_gather_go(g, bdev, nr);
	return NOCLONE_FAST;
}

int noclone_gather_init(void)
{
	static const char * const name[] = {
		"dm_noclone_gather-512", "dm_noclone_gather-2k", "dm_noclone_gather-8k",
	};
	unsigned int i;

	BUILD_BUG_ON(ARRAY_SIZE(name) != ARRAY_SIZE(noclone_gather_size));
	for (i = 0; i < ARRAY_SIZE(name); i++) {
		noclone_gather_slab[i] = kmem_cache_create(name[i], noclone_gather_size[i], 0,
							   SLAB_HWCACHE_ALIGN,
							   noclone_gather_ctor);
		if (!noclone_gather_slab[i]) {
			noclone_gather_exit();
			return -ENOMEM;
		}
	}
	return 0;
}

void noclone_gather_exit(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(noclone_gather_slab); i++)
		kmem_cache_destroy(noclone_gather_slab[i]);
}
