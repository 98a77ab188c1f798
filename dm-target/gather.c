// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reads and writes that are not remapped in place, because they cross chunks or because
 * other bios count in their completion (BIO_CHAIN). They become bios of our own in place
 * of dm core's clones: the same pieces in the same order, but chunks that are neighbours on
 * their leg become one bio where the leg can take it whole.
 *
 * Invariant: the submitter's bio (the parent) is not touched, and counts as begun, from the
 * first of these bios to the end of the last. One object holds all memory, and is allocated
 * without waiting before the first is submitted; without it dm core gets the parent unchanged.
 * A parent that is too long for one object, or for the legs, goes round again with the rest.
 *
 * Documentation/design/gather.rst has the argument, G1 to G6.
 */
#include "gather.h"
#include "inflight.h"
#include "io.h"
#include "plug.h"
#include "include/noclone-cursor.h"

#include <linux/bio.h>
#include <linux/blk-crypto.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <trace/events/block.h>

/* A bio of our own */
struct noclone_part {
	struct bio bio;
	u32 sectors;			/* of @bio, before the leg has had it; 0: it has ended */
	u32 first;			/* the number of its first piece; the next is a row on */
	u32 pieces;
	u32 vecs;			/* in a table of its own */
};

struct noclone_gather {
	struct bio *parent;
	struct noclone_target *target;
	unsigned long start;		/* jiffies */
	atomic_t remaining;
	bool failed;			/* a part, or several */
	u8 class;
	bool accounted;			/* bdev_end_io_acct() has to follow */
	u16 parts;
	/* They follow, then tables of vectors. struct bio ends with an array: no array here. */
} __aligned(__alignof__(struct noclone_part));

/* Larger objects need so many contiguous pages that they are hardly ever available. */
#define NOCLONE_GATHER_SIZE	SZ_64K
/* The largest from a slab; behind each object there is a pointer of the slab. */
#define NOCLONE_GATHER_SLAB	(SZ_8K - 16)
/* The number of parts that an object of that size has room for */
#define NOCLONE_GATHER_FEW	((NOCLONE_GATHER_SLAB - sizeof(struct noclone_gather)) / \
				 sizeof(struct noclone_part))
/*
 * The most pieces to deal out: their vectors, and BIO_MAX_VECS more, fit beside the parts for as
 * many legs as there are in practice.
 */
#define NOCLONE_GATHER_PIECES	2048

/* Limits that each of several legs satisfies */
struct noclone_gather_limits {
	unsigned int sectors;
	unsigned int segments;
	unsigned int segment_size;
	unsigned long boundary;		/* between segments, see virt_boundary_mask */
	unsigned int block;		/* physical block, in sectors, minus 1 */
	sector_t places;		/* of chunks and largest I/Os on the legs, ORed */
	bool simple;			/* there are no others */
};

/* A position in an I/O: the next piece, and the number of pieces from there on */
struct noclone_deal {
	const struct noclone_segment *s;
	struct noclone_pieces p;
	struct bvec_iter iter;
	u32 piece;
	u32 left;
};

static const size_t noclone_gather_size[] = { 512 - 16, 2048 - 16, NOCLONE_GATHER_SLAB };
static struct kmem_cache *noclone_gather_slab[ARRAY_SIZE(noclone_gather_size)];

/* A cache with a constructor is exempt from init_on_alloc. */
static void noclone_gather_ctor(void *object)
{
}

static struct noclone_part *noclone_gather_parts(struct noclone_gather *g)
{
	return (struct noclone_part *)(g + 1);
}

static struct noclone_gather *noclone_gather_alloc(u32 parts, u32 vecs)
{
	size_t size = sizeof(struct noclone_gather) + parts * sizeof(struct noclone_part) +
		      vecs * sizeof(struct bio_vec);
	struct noclone_gather *g;
	unsigned int class;

	if (size > NOCLONE_GATHER_SIZE)
		return NULL;
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
	WRITE_ONCE(g->failed, true);
}

/*
 * dm core keeps the error that comes last. Errors that come at once, because a leg does not
 * support the bio or cannot take it now, come in the order of the pieces there.
 */
static noinline blk_status_t noclone_gather_status(struct noclone_gather *g)
{
	struct noclone_part *part = noclone_gather_parts(g) + g->parts;

	while (!(--part)->bio.bi_status)
		;
	return part->bio.bi_status;
}

/* All parts have ended. */
static void noclone_gather_end(struct noclone_gather *g)
{
	struct noclone_dev *nd = g->target->nd;
	struct bio *parent = g->parent;

	if (unlikely(g->failed))
		parent->bi_status = noclone_gather_status(g);
	noclone_gather_free(g);
	bio_endio(parent);
	/* The device may go away from here on */
	noclone_inflight_put(nd);
}

/* A part has ended, or the rest of the parent has been submitted. */
static void noclone_gather_put(struct noclone_gather *g)
{
	if (atomic_dec_and_test(&g->remaining))
		noclone_gather_end(g);
}

static void noclone_gather_end_io(struct bio *bio)
{
	struct noclone_part *part = container_of(bio, struct noclone_part, bio);
	struct noclone_gather *g = bio->bi_private;

	/* Not bio_op(bio), which the leg may have changed */
	if (g->accounted)
		noclone_compat_end_io_acct(g->target->nd->bdev, bio_op(g->parent), part->pieces,
					   part->sectors, g->start, jiffies);
	part->sectors = 0;
	if (unlikely(bio->bi_status))
		noclone_gather_failed(g, bio);
	bio_uninit(bio);
	noclone_gather_put(g);
}

static void noclone_gather_next(struct noclone_deal *d, const struct bio *parent)
{
	bio_advance_iter(parent, &d->iter, d->p.sectors << SECTOR_SHIFT);
	noclone_pieces_next(&d->p);
	d->piece++;
	d->left--;
}

static __always_inline void
noclone_gather_first(struct noclone_deal *d, const struct noclone_segment *s,
		     const struct bio *parent, unsigned int max)
{
	d->s = s;
	d->iter = parent->bi_iter;
	d->piece = 0;
	noclone_pieces_first(&d->p, &s->layout, parent->bi_iter.bi_sector, bio_sectors(parent),
			     max);
	d->left = noclone_pieces_count(&d->p);
}

/*
 * Deal with at most @nr pieces now; noclone_gather_go() submits the rest of the parent again. By
 * value and not inlined, so that only very long I/O pays for it.
 */
static noinline struct noclone_deal noclone_gather_cut(struct noclone_deal d, u32 nr)
{
	if (d.left > nr) {
		d.left = noclone_pieces_cut(&d.p, nr);
		d.iter.bi_size = d.p.left << SECTOR_SHIFT;
	}
	return d;
}

/* The end of pieces that cannot be joined means nothing. */
static noinline struct noclone_deal noclone_gather_uncut(struct noclone_deal d,
							 const struct bio *parent)
{
	noclone_gather_first(&d, d.s, parent, d.p.max);
	return d;
}

/* Make the bio of a part that begins with the piece @p: as the parent, to that leg. */
static void noclone_gather_part(struct noclone_gather *g, struct noclone_part *part,
				const struct noclone_pieces *p, const struct noclone_leg *leg,
				struct bvec_iter iter)
{
	struct bio *bio = &part->bio;

	/* Fails only for a bio with a crypt context or integrity data. */
	bio_init_clone(NULL, bio, g->parent, GFP_NOWAIT);
	bio->bi_opf &= ~(REQ_ALLOC_CACHE | REQ_DRV);
	iter.bi_sector = leg->start + p->row + p->in_chunk;
	iter.bi_size = part->sectors << SECTOR_SHIFT;
	bio->bi_iter = iter;
	bio->bi_private = g;
	bio->bi_end_io = noclone_gather_end_io;
	bio->bi_bdev = leg->bdev;
	noclone_compat_clone_blkg(bio, g->parent);
}

/* The next @nr pieces, a part each, whose pages are in the parent's table. */
static void noclone_gather_singles(struct noclone_gather *g, struct noclone_deal *d, u32 nr)
{
	struct noclone_part *part = noclone_gather_parts(g);

	for (; nr; nr--, part++) {
		part->sectors = d->p.sectors;
		part->first = d->piece;
		part->pieces = 1;
		noclone_gather_part(g, part, &d->p, &d->s->leg[d->p.leg], d->iter);
		noclone_gather_next(d, g->parent);
	}
}

static struct noclone_cursor noclone_gather_join_cursor(const struct noclone_deal *d,
							const struct bio *parent)
{
	const struct bio_vec *bv = parent->bi_io_vec + d->iter.bi_idx;

	return (struct noclone_cursor) {
		.bv = bv,
		.done = mp_bvec_iter_offset(parent->bi_io_vec, d->iter) - bv->bv_offset,
	};
}

/* bi_vcnt is a hint only: noclone_gather_join_measure() checks it. */
static u32 noclone_gather_join_count_vecs(const struct noclone_deal *d, struct bio *parent)
{
	struct noclone_cursor c = noclone_gather_join_cursor(d, parent);

	if (!bio_flagged(parent, BIO_CLONED))
		return parent->bi_vcnt - d->iter.bi_idx;
	return noclone_cursor_take(&c, d->iter.bi_size, NULL);
}

/* The same, but exact for memory of whole pages. */
static u32 noclone_gather_join_guess(const struct noclone_deal *d, struct bio *parent)
{
	struct bio_vec bv = mp_bvec_iter_bvec(parent->bi_io_vec, d->iter);
	u32 vecs = noclone_gather_join_count_vecs(d, parent);

	return bv.bv_offset & ~PAGE_MASK ? vecs + d->left : max(vecs, d->left);
}

/*
 * Deal all remaining pieces to the parts from @part on, one for each leg, without making
 * bios of them. Return: true if there is room for their vectors, and each leg takes its part
 * whole.
 */
static bool noclone_gather_join_measure(const struct noclone_deal *d, const struct bio *parent,
					struct noclone_part *part, u32 room,
					const struct noclone_gather_limits *lim)
{
	struct noclone_cursor c = noclone_gather_join_cursor(d, parent);
	u32 legs = d->s->layout.stripes, i;
	struct noclone_pieces p = d->p;
	unsigned int cuts = 0;
	u32 vecs = 0;

	for (i = 0; i < legs; i++) {
		part[i].first = d->piece + i;
		part[i].sectors = 0;
		part[i].pieces = 0;
		part[i].vecs = 0;
	}
	for (i = 0; p.sectors; noclone_pieces_next(&p)) {
		if (p.left != d->p.left)
			cuts |= c.end | (c.bv->bv_offset + c.done);
		part[i].vecs += noclone_cursor_take(&c, p.sectors << SECTOR_SHIFT, NULL);
		part[i].sectors += p.sectors;
		part[i].pieces++;
		if (++i == legs)
			i = 0;
	}
	for (i = 0; i < legs; i++) {
		vecs += part[i].vecs;
		if (part[i].sectors > lim->sectors ||
		    noclone_cursor_segments(part[i].vecs, c.longest, lim->segment_size) >
		    lim->segments)
			return false;
	}
	return vecs <= room && !(cuts & lim->boundary);
}

/* Make the bios of the measured parts, with tables of their own from @table on. */
static void noclone_gather_join_fill(struct noclone_gather *g, const struct noclone_deal *d,
				     struct noclone_part *part, struct bio_vec *table)
{
	struct noclone_cursor c = noclone_gather_join_cursor(d, g->parent);
	u32 legs = d->s->layout.stripes, i;
	struct noclone_pieces p = d->p;

	for (i = 0; i < legs; i++, noclone_pieces_next(&p)) {
		noclone_gather_part(g, &part[i], &p, &d->s->leg[p.leg], (struct bvec_iter) { });
		part[i].bio.bi_io_vec = table;
		table += part[i].vecs;
		part[i].vecs = 0;
	}
	for (p = d->p, i = 0; p.sectors; noclone_pieces_next(&p)) {
		part[i].vecs += noclone_cursor_take(&c, p.sectors << SECTOR_SHIFT,
						    part[i].bio.bi_io_vec + part[i].vecs);
		if (++i == legs)
			i = 0;
	}
}

static void noclone_gather_limits_add(struct noclone_gather_limits *lim, struct request_queue *q)
{
	lim->sectors = min(lim->sectors, queue_max_sectors(q));
	lim->segments = min_t(unsigned int, lim->segments, queue_max_segments(q));
	lim->segment_size = min(lim->segment_size, queue_max_segment_size(q));
	lim->boundary |= queue_virt_boundary(q);
	lim->block |= (queue_physical_block_size(q) >> SECTOR_SHIFT) - 1;
	lim->places |= queue_max_sectors(q);
	/* A device without requests gains nothing from a larger bio. */
	if (!queue_is_mq(q) || q->limits.chunk_sectors || queue_segment_boundary(q) < U32_MAX)
		lim->simple = false;
}

/*
 * The largest bio that each leg takes without splitting it. A split costs a leg more than a
 * bio for each piece, and fails a REQ_NOWAIT bio. Limits may change, so they are read for
 * each I/O. Return: false if the legs may split in any case.
 */
static bool noclone_gather_limits_get(struct noclone_gather_limits *lim,
				      const struct noclone_deal *d)
{
	const struct noclone_leg *leg = d->s->leg;
	u32 i;

	*lim = (struct noclone_gather_limits) {
		.sectors = d->p.max, .segments = UINT_MAX, .segment_size = UINT_MAX,
		.places = d->s->layout.chunk_sectors | d->p.row | d->p.in_chunk, .simple = true,
	};
	for (i = 0; i < d->s->layout.stripes; i++) {
		lim->places |= leg[i].start + get_start_sect(leg[i].bdev);
		noclone_gather_limits_add(lim, bdev_get_queue(leg[i].bdev));
	}
	/* A leg lets no bio end in the middle of a block if that is the largest it takes. */
	if (lim->places & lim->block)
		lim->sectors -= min(lim->sectors, lim->block);
	/* The offset in a page does not tell the distance to a larger boundary. */
	return lim->simple && lim->boundary < PAGE_SIZE && lim->segment_size;
}

/* The most rows that each leg takes at once, if all of the memory is like its mean */
static noinline u32 noclone_gather_join_rows(const struct noclone_deal *d, struct bio *parent,
					     const struct noclone_gather_limits *lim)
{
	u32 chunk = d->s->layout.chunk_sectors, stripes = d->s->layout.stripes;
	u32 segments = max(DIV_ROUND_UP(noclone_gather_join_guess(d, parent), d->left),
			   DIV_ROUND_UP(chunk << SECTOR_SHIFT, lim->segment_size));

	return min3(lim->sectors / chunk, (lim->segments - 1) / segments,
		    NOCLONE_GATHER_PIECES / stripes);
}

static bool noclone_gather_join_is_too_long(const struct noclone_deal *d,
					    const struct noclone_gather_limits *lim)
{
	u32 stripes = d->s->layout.stripes;

	return d->p.left / stripes > lim->sectors || d->left / stripes >= lim->segments ||
	       d->left > NOCLONE_GATHER_PIECES;
}

/*
 * Cut an I/O that is too long after as many rows as the legs take. Return: false if that is one
 * row, so that there is nothing to join.
 */
static bool noclone_gather_join_cut(struct noclone_deal *d, struct bio *parent,
				    const struct noclone_gather_limits *lim)
{
	u32 rows = noclone_gather_join_rows(d, parent, lim);
	struct noclone_deal cut;

	if (rows < 2)
		return false;
	cut = noclone_gather_cut(*d, rows * d->s->layout.stripes);
	*d = cut;
	return true;
}

/*
 * Return: how many pieces are parts of their own, before the rest is joined. Cuts an I/O that is
 * too long.
 *
 * With a plug, chunks that are neighbours merge on the plug's list, also those of one I/O
 * with those of the next. A request of NOCLONE_PLUG_FLUSH bytes sends all that the plug has
 * on its way, so the first piece for each leg goes alone, and the rest merges with it. Where
 * a request waits for the pieces already, they are joined, if it can take them all. If none
 * waits, and no leg has more than two pieces, all are parts of their own. An I/O that was cut
 * fills requests by itself.
 */
static u32 noclone_gather_join_after(struct noclone_deal *d, struct bio *parent,
				     struct noclone_gather_limits *lim)
{
	const struct noclone_layout *l = &d->s->layout;
	const struct noclone_leg *leg = &d->s->leg[d->p.leg];

	if (d->left <= l->stripes || l->chunk_sectors > d->p.max)
		return d->left;
	if (!noclone_gather_limits_get(lim, d))
		return d->left;
	if (noclone_gather_join_is_too_long(d, lim) && !noclone_gather_join_cut(d, parent, lim))
		return d->left;
	if (l->chunk_sectors >= NOCLONE_PLUG_FLUSH >> SECTOR_SHIFT)
		return 0;
	switch (noclone_plug_look(leg->bdev, leg->start + d->p.row + d->p.in_chunk,
				  DIV_ROUND_UP(d->p.left, l->stripes),
				  DIV_ROUND_UP(noclone_gather_join_guess(d, parent), l->stripes),
				  parent->bi_opf)) {
	case NOCLONE_PLUG_NONE:
	case NOCLONE_PLUG_TAKES:
		return 0;
	case NOCLONE_PLUG_FULL:
		if (d->p.left == bio_sectors(parent))
			return d->left;
		fallthrough;
	default:
		return d->left > 2 * l->stripes ? l->stripes : d->left;
	}
}

/* Return: an object in which the pieces after the first @singles are dealt out, or NULL. */
static struct noclone_gather *
noclone_gather_join_alloc(struct noclone_deal d, struct bio *parent, u32 singles,
			  const struct noclone_gather_limits *lim)
{
	struct noclone_gather *g;
	struct noclone_part *part;
	u32 i, room;

	for (i = 0; i < singles; i++)
		noclone_gather_next(&d, parent);
	room = d.left + noclone_gather_join_count_vecs(&d, parent);
	g = noclone_gather_alloc(singles + d.s->layout.stripes, room);
	if (unlikely(!g))
		return NULL;
	part = noclone_gather_parts(g) + singles;
	if (noclone_gather_join_measure(&d, parent, part, room, lim))
		return g;
	noclone_gather_free(g);
	return NULL;
}

/* dm core also traces the remap of each piece, then, if anything is left, the split. */
static noinline void noclone_gather_trace(const struct noclone_gather *g,
					  const struct noclone_part *part,
					  const struct noclone_deal *first)
{
	u32 wanted = part->first, end = wanted + part->pieces * first->s->layout.stripes;
	sector_t from, begin = g->parent->bi_iter.bi_sector;
	struct block_device *bdev = g->parent->bi_bdev;
	struct bio bio = *g->parent;
	struct noclone_pieces p;
	u32 i = 0;

	for (p = first->p; p.sectors && wanted < end; noclone_pieces_next(&p)) {
		if (i++ != wanted)
			continue;
		wanted += first->s->layout.stripes;
		from = begin + (first->p.left - p.left);
		bio.bi_bdev = first->s->leg[p.leg].bdev;
		bio.bi_iter.bi_sector = first->s->leg[p.leg].start + p.row + p.in_chunk;
		bio.bi_iter.bi_size = p.sectors << SECTOR_SHIFT;
		trace_block_bio_remap(&bio, bdev->bd_dev, from);
		from += p.sectors;
		if (from == bio_end_sector(g->parent))
			continue;
		bio.bi_bdev = bdev;
		bio.bi_iter.bi_sector = from;
		bio.bi_iter.bi_size = (bio_end_sector(g->parent) - from) << SECTOR_SHIFT;
		trace_block_split(&bio, from);
	}
}

/*
 * Submit the bios of @g. If they are not all of the parent, the rest of it goes round again, as
 * in dm core: after the bios that the legs have got, and in its own turn for memory.
 */
static void noclone_gather_go(struct noclone_gather *g, const struct noclone_deal *first, u32 nr)
{
	struct noclone_part *part = noclone_gather_parts(g);
	struct bio *parent = g->parent;
	bool cut = first->p.left < bio_sectors(parent);

	if (g->accounted)
		noclone_compat_start_io_acct(parent->bi_bdev, bio_op(parent), first->left,
					     first->p.left, g->start);
	if (cut) {
		/* All parts may have ended before the rest is submitted, which may sleep (A35) */
		atomic_inc(&g->remaining);
		bio_inc_remaining(parent);
	}
	for (; nr; nr--, part++) {
		if (trace_block_bio_remap_enabled() || trace_block_split_enabled())
			noclone_gather_trace(g, part, first);
		/* With the last of them @g may be gone, unless there is a rest */
		submit_bio_noacct(&part->bio);
	}
	if (cut) {
		bio_advance(parent, first->p.left << SECTOR_SHIFT);
		submit_bio_noacct(parent);
		noclone_gather_put(g);
	}
}

/* A polled or atomic bio, or one with a crypt context, goes to the leg as one bio, or to dm core */
static bool noclone_gather_is_plain(struct bio *bio)
{
	return !(bio->bi_opf & (REQ_POLLED | REQ_ATOMIC)) && !bio_has_crypt_ctx(bio);
}

/*
 * An object for a part for each piece. Without one that is large enough for all, take fewer.
 * Return: NULL if there is no memory.
 */
static __always_inline struct noclone_gather *
noclone_gather_singles_alloc(struct noclone_deal *first, const struct bio *parent)
{
	struct noclone_deal changed;
	struct noclone_gather *g;

	if (unlikely(first->p.left < bio_sectors(parent))) {
		changed = noclone_gather_uncut(*first, parent);
		*first = changed;
	}
	g = noclone_gather_alloc(first->left, 0);
	if (unlikely(!g && first->left > NOCLONE_GATHER_FEW)) {
		changed = noclone_gather_cut(*first, NOCLONE_GATHER_FEW);
		*first = changed;
		g = noclone_gather_alloc(first->left, 0);
	}
	return g;
}

/**
 * noclone_gather_submit - send a read or write as bios of its own to the legs
 * @nd: the device
 * @table: its live table
 * @parent: counts as begun. Has data and neither integrity data nor PREFLUSH.
 * @why: the result if @parent has to go to dm core
 *
 * Context: the mapped device's submit_bio. Does not sleep.
 *
 * Return: NOCLONE_FAST, with the parent taken, or the begin of it; NOCLONE_NOMEM or @why, with
 * the parent as it was.
 */
enum noclone_counter noclone_gather_submit(struct noclone_dev *nd,
					   const struct noclone_table *table,
					   struct bio *parent, enum noclone_counter why)
{
	const struct noclone_segment *s = noclone_segment_of(table, parent);
	struct block_device *bdev = parent->bi_bdev;
	struct noclone_gather_limits lim;
	struct noclone_deal first, d;
	struct noclone_gather *g = NULL;
	struct noclone_part *part;
	u32 singles, parts;

	if (!s || !s->leg || !noclone_gather_is_plain(parent))
		return why;
	noclone_gather_first(&first, s, parent, queue_max_sectors(bdev_get_queue(bdev)));
	/* blk-throttle counts each remainder that dm core submits again */
	if (first.left > 1 && bio_flagged(parent, BIO_BPS_THROTTLED))
		return why;

	singles = noclone_gather_join_after(&first, parent, &lim);
	if (singles < first.left)
		g = noclone_gather_join_alloc(first, parent, singles, &lim);
	if (!g) {
		g = noclone_gather_singles_alloc(&first, parent);
		singles = first.left;
	}
	if (unlikely(!g))
		return NOCLONE_NOMEM;

	parts = singles < first.left ? singles + s->layout.stripes : singles;
	g->parent = parent;
	g->target = s->target;
	g->start = jiffies;
	atomic_set(&g->remaining, parts);
	g->failed = false;
	g->accounted = noclone_compat_accounts_io(bdev);
	g->parts = parts;
	part = noclone_gather_parts(g);
	d = first;
	noclone_gather_singles(g, &d, singles);
	if (d.left)
		noclone_gather_join_fill(g, &d, part + singles, (struct bio_vec *)(part + parts));
	noclone_count(nd, NOCLONE_GATHERED);
	this_cpu_add(nd->counters->n[NOCLONE_GATHERED_BIOS], parts);
	noclone_gather_go(g, &first, parts);
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
