// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reads and writes that are not remapped in place, because they cross chunks or because other bios
 * count in their completion (BIO_CHAIN). They become bios of our own in place of dm core's clones.
 *
 * An I/O over six chunks of a target with two legs, and three ways to send it:
 *
 *	parent	| 0 | 1 | 2 | 3 | 4 | 5 |	pieces, in the order of the sectors
 *	row	|   0   |   1   |   2   |
 *
 *	leg 0	| 0 | 2 | 4 |			pieces 0, 2 and 4 are neighbours there,
 *	leg 1	| 1 | 3 | 5 |			although their memory is not
 *
 *	parts	[0] [1] [2] [3] [4] [5]		6 singles
 *		[0 2 4] [1 3 5]			2 joined parts, one for each leg
 *		[0] [1] [2 4] [3 5]		2 singles, then 2 joined parts
 *
 *	piece	the sectors for which dm core would make a clone: at most a chunk, and at most
 *		max_sectors
 *	row	one chunk of each leg, in the drawing two pieces
 *	part	a bio of our own, with one piece or several neighbours on one leg
 *	single	a part with one piece, which uses the vectors of the parent
 *	joined	a part with several pieces, which has a table of vectors of its own
 *	deal	a position in the pieces while they are given to the parts in turn
 *	limits	the largest part that each leg takes without a split
 *	cut	a parent that is too long ends earlier; its rest is submitted again
 *
 * One object, struct noclone_gather, has memory for all of it:
 *
 *	| count and parent | part | part | ... | table of vectors | table | ... |
 *
 * Invariant: from the submission of the first part to the end of the last part, the submitter's bio
 * (the parent) is not touched, and counts as begun. The object is allocated before the first part
 * is submitted, without waiting for memory. If this fails, dm core gets the parent unchanged.
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

/* A part: a bio of our own for one leg */
struct noclone_part {
	struct bio bio;
	u32 sectors;			/* size of @bio when it is submitted; 0 after its end */
	u32 first;			/* number of its first piece; the next one is a row later */
	u32 pieces;
	u32 vecs;			/* the number of vectors in the table of a joined part */
};

struct noclone_gather {
	struct bio *parent;
	struct noclone_target *target;
	unsigned long start;		/* jiffies before the parts are submitted */
	atomic_t remaining;
	bool failed;			/* at least one part has failed */
	u8 class;
	bool accounted;			/* bdev_end_io_acct() has to follow */
	u16 parts;
	/*
	 * The parts are behind this struct, and behind them the tables of vectors. There is no
	 * array of parts here, because struct bio ends with an array.
	 */
} __aligned(__alignof__(struct noclone_part));

/*
 * The largest object: a larger one needs so many contiguous pages that they are hardly ever
 * available.
 */
#define NOCLONE_GATHER_SIZE	SZ_64K
/* The largest object from a slab; behind each object there is a pointer of the slab. */
#define NOCLONE_GATHER_SLAB	(SZ_8K - 16)
/* The number of parts that an object of NOCLONE_GATHER_SLAB has room for */
#define NOCLONE_GATHER_FEW	((NOCLONE_GATHER_SLAB - sizeof(struct noclone_gather)) / \
				 sizeof(struct noclone_part))
/*
 * The most pieces that are joined in one object. Their tables need a vector for each piece, and one
 * more for each vector of the parent, which has at most BIO_MAX_VECS. The object has room for these
 * vectors, and for the parts of as many legs as are used in practice.
 */
#define NOCLONE_GATHER_PIECES	2048

/* The limits of a part that each leg of the target takes whole */
struct noclone_gather_limits {
	unsigned int sectors;
	unsigned int segments;
	unsigned int segment_size;
	unsigned long boundary;		/* for segments in memory: a mask, see virt_boundary_mask */
	unsigned int block;		/* the largest physical block, in sectors, minus 1 */
	sector_t places;		/* OR of all sectors where a part may begin or end */
	bool simple;			/* the legs have no other limits */
};

/* A position in an I/O while its pieces are dealt to parts */
struct noclone_deal {
	const struct noclone_segment *s;
	struct noclone_pieces p;
	struct bvec_iter iter;
	u32 piece;			/* number of the next piece */
	u32 left;			/* number of pieces from there on */
};

static const size_t noclone_gather_size[] = { 512 - 16, 2048 - 16, NOCLONE_GATHER_SLAB };
static struct kmem_cache *noclone_gather_slab[ARRAY_SIZE(noclone_gather_size)];

/*
 * This constructor does nothing. It exists because a slab cache with a constructor is exempt from
 * init_on_alloc: the kernel does not zero each object.
 */
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
	noclone_target_failed(g->target, bio);
	WRITE_ONCE(g->failed, true);
}

/*
 * Return: the status for the parent. This is the error of the last part that has failed. dm core
 * uses the error that comes last in time. If legs return errors at once, because they do not
 * support a bio or cannot take it now, both are the same error, because these errors come in the
 * order of the parts.
 */
static noinline blk_status_t noclone_gather_status(struct noclone_gather *g)
{
	struct noclone_part *part = noclone_gather_parts(g) + g->parts;

	while (!(--part)->bio.bi_status)
		;
	return part->bio.bi_status;
}

/* End the parent after all parts have ended. */
static void noclone_gather_end(struct noclone_gather *g)
{
	struct noclone_dev *nd = g->target->nd;
	struct bio *parent = g->parent;

	if (unlikely(g->failed))
		parent->bi_status = noclone_gather_status(g);
	noclone_gather_free(g);
	bio_endio(parent);
	/* The device may be removed from here on */
	noclone_inflight_put(nd);
}

/* Count down after a part has ended, or after the rest of the parent was submitted. */
static void noclone_gather_put(struct noclone_gather *g)
{
	if (atomic_dec_and_test(&g->remaining))
		noclone_gather_end(g);
}

static void noclone_gather_end_io(struct bio *bio)
{
	struct noclone_part *part = container_of(bio, struct noclone_part, bio);
	struct noclone_gather *g = bio->bi_private;

	/* Use the operation of the parent: the leg may have changed bio_op(bio) */
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
 * Cut the I/O of @d to at most @nr pieces; noclone_gather_send() submits the rest of the parent
 * again. @d is passed by value, and the function is not inlined, so that only very long I/O pays
 * for the cut.
 */
static noinline struct noclone_deal noclone_gather_cut(struct noclone_deal d, u32 nr)
{
	if (d.left > nr) {
		d.left = noclone_pieces_cut(&d.p, nr);
		d.iter.bi_size = d.p.left << SECTOR_SHIFT;
	}
	return d;
}

/* Undo a cut that was made for the limits of joined parts: singles do not need this cut. */
static noinline struct noclone_deal noclone_gather_uncut(struct noclone_deal d,
							 const struct bio *parent)
{
	noclone_gather_first(&d, d.s, parent, d.p.max);
	return d;
}

/*
 * Make the bio of a part that begins with the piece @p. The bio is like the parent, but goes to
 * @leg.
 */
static void noclone_gather_part(struct noclone_gather *g, struct noclone_part *part,
				const struct noclone_pieces *p, const struct noclone_leg *leg,
				struct bvec_iter iter)
{
	struct bio *bio = &part->bio;

	/*
	 * bio_init_clone() can fail only for a bio with a crypt context or integrity data, and the
	 * parent has neither.
	 */
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

/* Make singles of the next @nr pieces. Their pages are in the parent's table. */
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

/*
 * Return: the number of vectors in the rest of the I/O. bi_vcnt is only a hint, which
 * noclone_gather_join_measure() checks.
 */
static u32 noclone_gather_join_count_vecs(const struct noclone_deal *d, struct bio *parent)
{
	struct noclone_cursor c = noclone_gather_join_cursor(d, parent);

	if (!bio_flagged(parent, BIO_CLONED))
		return parent->bi_vcnt - d->iter.bi_idx;
	return noclone_cursor_take(&c, d->iter.bi_size, NULL);
}

/*
 * Return: a guess of the number of vectors after the pieces have been cut out of the vectors. The
 * guess is exact if the memory consists of whole pages.
 */
static u32 noclone_gather_join_guess(const struct noclone_deal *d, struct bio *parent)
{
	struct bio_vec bv = mp_bvec_iter_bvec(parent->bi_io_vec, d->iter);
	u32 vecs = noclone_gather_join_count_vecs(d, parent);

	return bv.bv_offset & ~PAGE_MASK ? vecs + d->left : max(vecs, d->left);
}

/*
 * Deal all remaining pieces to the joined parts from @part on, one part for each leg, without
 * making bios of them. Return: true if @room is enough for their vectors, and each leg takes its
 * part whole.
 *
 * @cuts is the OR of the places in memory where a piece ends or the next one begins: one test
 * finds whether any of them is not on the boundary of the legs.
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

/* Make the bios of the measured joined parts. Their tables of vectors begin at @table. */
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
	/* On a device that has no requests, larger bios save no work. */
	if (!queue_is_mq(q) || q->limits.chunk_sectors || queue_segment_boundary(q) < U32_MAX)
		lim->simple = false;
}

/* Do all parts begin and end at physical blocks of the legs? */
static bool noclone_gather_is_aligned(const struct noclone_gather_limits *lim)
{
	return !(lim->places & lim->block);
}

/*
 * Find the largest bio that each leg takes without splitting it. A split costs a leg more than a
 * bio for each piece, and fails a REQ_NOWAIT bio. Limits may change, so they are read for each
 * I/O. Return: false if the legs may split in any case.
 *
 * lim->places is the OR of all sectors where a part may begin or end: one test finds whether any
 * of them is not aligned to a physical block.
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
	/*
	 * If the largest bio ends in the middle of a physical block, a leg splits it at the
	 * block's begin: count on one block less.
	 */
	if (!noclone_gather_is_aligned(lim))
		lim->sectors -= min(lim->sectors, lim->block);
	/*
	 * The test of a boundary uses the offset in a page, which does not show larger boundaries.
	 */
	return lim->simple && lim->boundary < PAGE_SIZE && lim->segment_size;
}

/* Return: how many rows each leg takes in one part, if all vectors have the average length. */
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
 * Cut an I/O that is too long after as many rows as the legs take. Return: false if the legs take
 * less than two rows, so that nothing can be joined.
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
 * Choose how many pieces of an I/O become singles; all later pieces are joined. An I/O that is too
 * long to be joined is cut. Return: the number of singles.
 *
 * All pieces are singles if no leg has two pieces, or if the pieces cannot be joined. Otherwise all
 * pieces are joined if there is no plug, or if each chunk is large enough to flush the plug. With a
 * plug, requests that are neighbours merge on its list, within one I/O and from one I/O to the
 * next, until a request has NOCLONE_PLUG_FLUSH bytes and flushes the plug. So the choice depends on
 * the request on the plug that ends where this I/O begins:
 *
 * - The request has room for a part: all pieces are joined, and merge with the request.
 * - The request has no room: all pieces are singles. If the I/O was cut, the request is ignored,
 *   because the I/O fills requests by itself.
 * - There is no such request: the first piece for each leg is a single, and the joined rest merges
 *   with this single. If no leg has more than two pieces, all pieces are singles.
 */
static u32 noclone_gather_choose_singles(struct noclone_deal *d, struct bio *parent,
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

/*
 * Return: an object in which the pieces after the first @singles are dealt to joined parts, or
 * NULL.
 */
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

/*
 * Trace the pieces of a part as dm core does: the remap of each piece and, if the I/O does not end
 * with the piece, the split.
 */
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
 * Submit the bios of @g. If the parent was cut, its rest is submitted again, as by dm core: the
 * legs get the bios of @g first, and the rest needs another object.
 */
static void noclone_gather_send(struct noclone_gather *g, const struct noclone_deal *first, u32 nr)
{
	struct noclone_part *part = noclone_gather_parts(g);
	struct bio *parent = g->parent;
	bool cut = first->p.left < bio_sectors(parent);

	if (g->accounted)
		noclone_compat_start_io_acct(parent->bi_bdev, bio_op(parent), first->left,
					     first->p.left, g->start);
	if (cut) {
		/*
		 * Hold @g: all parts may have ended before the rest is submitted, which may sleep
		 * (A35)
		 */
		atomic_inc(&g->remaining);
		bio_inc_remaining(parent);
	}
	for (; nr; nr--, part++) {
		if (trace_block_bio_remap_enabled() || trace_block_split_enabled())
			noclone_gather_trace(g, part, first);
		/* After the last submission @g may be gone, unless there is a rest */
		submit_bio_noacct(&part->bio);
	}
	if (cut) {
		bio_advance(parent, first->p.left << SECTOR_SHIFT);
		submit_bio_noacct(parent);
		noclone_gather_put(g);
	}
}

/*
 * May bios of our own take the place of @bio? They may not if @bio is polled or atomic, or has a
 * crypt context.
 */
static bool noclone_gather_is_plain(struct bio *bio)
{
	return !(bio->bi_opf & (REQ_POLLED | REQ_ATOMIC)) && !bio_has_crypt_ctx(bio);
}

/*
 * Return: an object with a single for each piece. If no object is large enough, the I/O is cut, and
 * a smaller object is returned; NULL if there is no memory for that object either.
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

/*
 * Choose how to send an I/O, and allocate the object for it. If the joined parts do not fit into
 * an object, or the legs do not take them, all pieces are singles. Return: the object, or NULL
 * without memory. @first is the I/O, and is cut if it is too long; @singles is the number of
 * singles.
 */
static __always_inline struct noclone_gather *
noclone_gather_plan(struct noclone_deal *first, struct bio *parent, u32 *singles)
{
	struct noclone_gather_limits lim;
	struct noclone_gather *g = NULL;

	*singles = noclone_gather_choose_singles(first, parent, &lim);
	if (*singles < first->left)
		g = noclone_gather_join_alloc(*first, parent, *singles, &lim);
	if (!g) {
		g = noclone_gather_singles_alloc(first, parent);
		*singles = first->left;
	}
	return g;
}

/*
 * Build the bios: first the singles, then a joined part for each leg if pieces are left. Return:
 * the number of parts.
 */
static __always_inline u32
noclone_gather_build(struct noclone_gather *g, const struct noclone_deal *first,
		     struct bio *parent, u32 singles)
{
	u32 parts = singles < first->left ? singles + first->s->layout.stripes : singles;
	struct noclone_part *part;
	struct noclone_deal d;

	g->parent = parent;
	g->target = first->s->target;
	g->start = jiffies;
	atomic_set(&g->remaining, parts);
	g->failed = false;
	g->accounted = noclone_compat_accounts_io(parent->bi_bdev);
	g->parts = parts;
	part = noclone_gather_parts(g);
	d = *first;
	noclone_gather_singles(g, &d, singles);
	if (d.left)
		noclone_gather_join_fill(g, &d, part + singles, (struct bio_vec *)(part + parts));
	return parts;
}

/**
 * noclone_gather_submit - send a read or write to the legs as bios of our own
 * @nd: the device
 * @table: its live table
 * @parent: the bio, which counts as begun. It has data, no integrity data and no REQ_PREFLUSH.
 * @why: the result if @parent has to go to dm core
 *
 * Context: the mapped device's submit_bio. Does not sleep.
 *
 * Return: NOCLONE_FAST if the module has taken all of the parent; otherwise NOCLONE_NOMEM or @why,
 * and the parent is unchanged.
 */
enum noclone_counter noclone_gather_submit(struct noclone_dev *nd,
					   const struct noclone_table *table,
					   struct bio *parent, enum noclone_counter why)
{
	const struct noclone_segment *s = noclone_segment_of(table, parent);
	struct block_device *bdev = parent->bi_bdev;
	struct noclone_gather *g;
	struct noclone_deal first;
	u32 singles, parts;

	if (!s || !s->leg || !noclone_gather_is_plain(parent))
		return why;
	noclone_gather_first(&first, s, parent, queue_max_sectors(bdev_get_queue(bdev)));
	/*
	 * dm core must take this bio, because blk-throttle counts each remainder that dm core
	 * submits again
	 */
	if (first.left > 1 && bio_flagged(parent, BIO_BPS_THROTTLED))
		return why;

	g = noclone_gather_plan(&first, parent, &singles);
	if (unlikely(!g))
		return NOCLONE_NOMEM;
	parts = noclone_gather_build(g, &first, parent, singles);
	noclone_count(nd, NOCLONE_GATHERED);
	this_cpu_add(nd->counters->n[NOCLONE_GATHERED_BIOS], parts);
	noclone_gather_send(g, &first, parts);
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
