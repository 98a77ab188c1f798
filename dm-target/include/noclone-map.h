/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Find the place of a sector of the mapped device on a leg: pure arithmetic, no state.
 *
 * The module, the tool, the unit tests and the fuzzers compile this file, so it knows no kernel
 * structure and cannot fail. All lengths and positions are in sectors of 512 bytes.
 */
#ifndef DM_NOCLONE_MAP_H
#define DM_NOCLONE_MAP_H

#ifdef __KERNEL__
#include <linux/math64.h>
#include <linux/types.h>
#else
#include <stdbool.h>
#include <stdint.h>

typedef uint8_t u8;
typedef uint32_t u32;
typedef uint64_t u64;

static inline u64 div_u64_rem(u64 dividend, u32 divisor, u32 *remainder)
{
	*remainder = dividend % divisor;
	return dividend / divisor;
}
#endif

#define NOCLONE_NO_SHIFT	0xff

/**
 * struct noclone_layout - geometry of a target, or of a part of it
 * @begin:		first sector of the target in the mapped device
 * @stripes:		number of legs, 1 for a linear target
 * @chunk_sectors:	sectors on one leg before the next leg follows, or 0 if the
 *			target has no chunks (linear)
 * @stripes_shift:	log2(@stripes), or NOCLONE_NO_SHIFT
 * @chunk_shift:	log2(@chunk_sectors), or NOCLONE_NO_SHIFT
 */
struct noclone_layout {
	u64 begin;
	u32 stripes;
	u32 chunk_sectors;
	u8 stripes_shift;
	u8 chunk_shift;
};

static inline u8 noclone_shift_of(u32 n)
{
	if (!n || (n & (n - 1)))
		return NOCLONE_NO_SHIFT;
	return __builtin_ctz(n);
}

static inline void noclone_layout_init(struct noclone_layout *l, u64 begin,
				       u32 stripes, u32 chunk_sectors)
{
	l->begin = begin;
	l->stripes = stripes;
	l->chunk_sectors = chunk_sectors;
	l->stripes_shift = noclone_shift_of(stripes);
	l->chunk_shift = noclone_shift_of(chunk_sectors);
}

/*
 * Return: n / by, with the remainder in *@remainder, without a division if a shift is enough. This
 * function and the next ones are always inlined, so that no variable of the fast path needs an
 * address to receive a result.
 */
static __always_inline u64 noclone_divide(u64 n, u32 by, u8 shift, u32 *remainder)
{
	if (shift == NOCLONE_NO_SHIFT)
		return div_u64_rem(n, by, remainder);

	*remainder = n & (by - 1);
	return n >> shift;
}

/*
 * Find the chunk that holds @sector. Return: the first sector of the chunk, within the leg's part
 * of the target; *@in_chunk is the distance from there to @sector. Without chunks *@in_chunk is 0.
 */
static __always_inline u64 noclone_map_row(const struct noclone_layout *l, u64 sector,
					   u32 *leg, u32 *in_chunk)
{
	u64 offset = sector - l->begin;

	if (!l->chunk_sectors) {
		*leg = 0;
		*in_chunk = 0;
		return offset;
	}

	offset = noclone_divide(offset, l->chunk_sectors, l->chunk_shift,
				in_chunk);
	return noclone_divide(offset, l->stripes, l->stripes_shift, leg) *
	       l->chunk_sectors;
}

/**
 * noclone_map_sector - leg and position of one sector
 * @l: geometry
 * @sector: sector of the mapped device, at least l->begin
 * @leg: set to the index of the leg
 *
 * The caller adds the leg's own start sector.
 *
 * Return: the sector within the leg's part of the target.
 */
static __always_inline u64 noclone_map_sector(const struct noclone_layout *l,
					      u64 sector, u32 *leg)
{
	u32 in_chunk;
	u64 row = noclone_map_row(l, sector, leg, &in_chunk);

	return row + in_chunk;
}

/**
 * noclone_chunk_left - sectors from @sector to the end of its chunk
 * @l: geometry with chunks (l->chunk_sectors is not 0)
 * @sector: sector of the mapped device
 */
static inline u32 noclone_chunk_left(const struct noclone_layout *l, u64 sector)
{
	u32 in_chunk;

	noclone_divide(sector - l->begin, l->chunk_sectors, l->chunk_shift,
		       &in_chunk);
	return l->chunk_sectors - in_chunk;
}

/**
 * struct noclone_pieces - an I/O as dm core cuts it, one piece at a time
 * @l: geometry
 * @row: the chunk's first sector within the leg's part of the target
 * @leg: index of the leg
 * @in_chunk: sectors from @row to the piece
 * @sectors: length of the piece; 0: there are no more pieces
 * @left: sectors from the begin of the piece to the end of the I/O
 * @max: the most sectors that a piece of a target with chunks may have
 */
struct noclone_pieces {
	const struct noclone_layout *l;
	u64 row;
	u32 leg;
	u32 in_chunk;
	u32 sectors;
	u32 left;
	u32 max;
};

static inline void noclone_pieces_measure(struct noclone_pieces *p)
{
	u32 n = p->left;

	if (p->l->chunk_sectors) {
		if (n > p->l->chunk_sectors - p->in_chunk)
			n = p->l->chunk_sectors - p->in_chunk;
		if (n > p->max)
			n = p->max;
	}
	p->sectors = n;
}

/**
 * noclone_pieces_first - set @p to the first piece of an I/O
 * @p: the pieces
 * @l: geometry
 * @sector: first sector of the I/O in the mapped device, at least l->begin
 * @sectors: length of the I/O, not 0
 * @max: limit of the mapped device, max_sectors of its queue, not 0
 */
static inline void noclone_pieces_first(struct noclone_pieces *p, const struct noclone_layout *l,
					u64 sector, u32 sectors, u32 max)
{
	p->l = l;
	p->row = noclone_map_row(l, sector, &p->leg, &p->in_chunk);
	p->left = sectors;
	p->max = max;
	noclone_pieces_measure(p);
}

static inline void noclone_pieces_next(struct noclone_pieces *p)
{
	p->left -= p->sectors;
	p->in_chunk += p->sectors;
	if (p->in_chunk == p->l->chunk_sectors) {
		p->in_chunk = 0;
		if (++p->leg == p->l->stripes) {
			p->leg = 0;
			p->row += p->l->chunk_sectors;
		}
	}
	noclone_pieces_measure(p);
}

/*
 * Return: the number of pieces in @sectors sectors of one chunk. These sectors begin where a piece
 * begins.
 */
static inline u32 noclone_pieces_within(const struct noclone_pieces *p, u32 sectors)
{
	if (sectors <= p->max)
		return sectors ? 1 : 0;
	return sectors / p->max + (sectors % p->max ? 1 : 0);
}

/**
 * noclone_pieces_count - how many pieces an I/O has from @p on, in constant time
 * @p: the first of these pieces
 */
static inline u32 noclone_pieces_count(const struct noclone_pieces *p)
{
	u32 chunk = p->l->chunk_sectors, first = chunk - p->in_chunk, last;
	u32 chunks;

	if (!chunk)
		return 1;
	if (p->left <= first)
		return noclone_pieces_within(p, p->left);
	chunks = noclone_divide(p->left - first, chunk, p->l->chunk_shift, &last);
	if (p->max >= chunk)
		return 1 + chunks + (last ? 1 : 0);
	return noclone_pieces_within(p, first) + chunks * noclone_pieces_within(p, chunk) +
	       noclone_pieces_within(p, last);
}

/**
 * noclone_pieces_cut - end an I/O earlier, between two pieces
 * @p: the first piece, of a target with chunks
 * @nr: the most pieces that the I/O may have, not 0
 *
 * Return: the number of pieces that the I/O has now. It ends at the border of a chunk if @nr pieces
 * reach one.
 */
static inline u32 noclone_pieces_cut(struct noclone_pieces *p, u32 nr)
{
	u32 chunk = p->l->chunk_sectors, each = noclone_pieces_within(p, chunk);
	u64 left = (u64)(nr / each) * chunk - p->in_chunk;

	if (each > nr) {
		left = (u64)nr * p->max;
		if (left > chunk - p->in_chunk)
			left = chunk - p->in_chunk;
	}
	if (left < p->left)
		p->left = left;
	noclone_pieces_measure(p);
	return noclone_pieces_count(p);
}

/*
 * Return: the first sector at or after @sector that lies on @leg, as a sector within the leg.
 * @sector may be the end of a range, one past its last sector.
 */
static inline u64 noclone_first_on_leg(const struct noclone_layout *l,
				       u64 sector, u32 leg)
{
	u32 in_chunk, here;
	u64 result = noclone_map_sector(l, sector, &here);

	if (here == leg)
		return result;

	noclone_divide(result, l->chunk_sectors, l->chunk_shift, &in_chunk);
	result -= in_chunk;
	return leg < here ? result + l->chunk_sectors : result;
}

/**
 * noclone_map_range - find the part of a range that lies on one leg
 * @l: geometry with chunks
 * @sector: first sector of the range in the mapped device
 * @sectors: length of the range
 * @leg: the leg
 * @leg_sector: set to the first sector within the leg
 *
 * This is for operations such as discards, which go to each leg as one piece.
 *
 * Return: the number of sectors on this leg, or 0 if the range has none there.
 */
static inline u64 noclone_map_range(const struct noclone_layout *l, u64 sector,
				    u64 sectors, u32 leg, u64 *leg_sector)
{
	u64 end = noclone_first_on_leg(l, sector + sectors, leg);

	*leg_sector = noclone_first_on_leg(l, sector, leg);
	return end - *leg_sector;
}

/**
 * struct noclone_extent - contiguous sectors of a target that are contiguous on a leg
 * @begin: first sector in the mapped device
 * @sectors: number of sectors
 * @physical: first sector on the leg
 */
struct noclone_extent {
	u64 begin;
	u64 sectors;
	u64 physical;
};

/*
 * Set the layout of an extent: l->begin is the sector of the mapped device where sector 0 of the
 * leg would be. This number may be negative, and is stored modulo 2^64; the difference of a sector
 * and l->begin is right nevertheless.
 */
static inline void noclone_layout_of_extent(struct noclone_layout *l,
					    const struct noclone_extent *e)
{
	noclone_layout_init(l, e->begin - e->physical, 1, 0);
}

/* A range of the mapped device that one layout maps */
struct noclone_span {
	u64 begin;
	u64 end;	/* one past the last sector */
};

/**
 * noclone_find_span - find the span that holds a sector
 * @spans: sorted; sectors between them belong to targets of other modules
 * @nr: number of spans, at least 1
 * @sector: sector of the mapped device
 *
 * Return: index of the span, or @nr if no span holds the sector.
 */
static inline u32 noclone_find_span(const struct noclone_span *spans, u32 nr,
				    u64 sector)
{
	u32 base = 0, n = nr;

	while (n > 1) {
		u32 half = n / 2;

		if (spans[base + half].begin <= sector)
			base += half;
		n -= half;
	}

	if (sector < spans[base].begin || sector >= spans[base].end)
		return nr;
	return base;
}

#endif /* DM_NOCLONE_MAP_H */
