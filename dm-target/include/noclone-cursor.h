/* SPDX-License-Identifier: GPL-2.0-only */
/* Walk through the vectors of a bio: pure functions, no state. */
#ifndef DM_NOCLONE_CURSOR_H
#define DM_NOCLONE_CURSOR_H

#ifdef __KERNEL__
#include <linux/bvec.h>
#else
struct bio_vec {
	struct page *bv_page;
	unsigned int bv_len;
	unsigned int bv_offset;
};
#endif

/**
 * struct noclone_cursor - a place in the vectors of a bio
 * @bv: the vector
 * @done: bytes of @bv that lie before the place
 * @end: end of the vector that was taken last, in bytes from the begin of its page
 * @longest: the longest vector that was taken, in bytes
 */
struct noclone_cursor {
	const struct bio_vec *bv;
	unsigned int done;
	unsigned int end;
	unsigned int longest;
};

static inline void noclone_cursor_copy(const struct noclone_cursor *c, unsigned int len,
				       struct bio_vec *to)
{
	unsigned int offset = c->bv->bv_offset + c->done;

	to->bv_page = noclone_compat_nth_page(c->bv->bv_page, offset >> PAGE_SHIFT);
	to->bv_offset = offset & ((1u << PAGE_SHIFT) - 1);
	to->bv_len = len;
}

/**
 * noclone_cursor_take - advance a place by some bytes
 * @c: the place
 * @bytes: number of bytes; the vectors must have that many
 * @to: room for the vectors that hold just these bytes; NULL: only count them
 *
 * Return: the number of vectors.
 */
static __always_inline unsigned int
noclone_cursor_take(struct noclone_cursor *c, unsigned int bytes, struct bio_vec *to)
{
	unsigned int nr = 0, len;

	for (; bytes; bytes -= len, nr++) {
		len = c->bv->bv_len - c->done;
		if (len > bytes)
			len = bytes;
		if (len > c->longest)
			c->longest = len;
		if (to)
			noclone_cursor_copy(c, len, to + nr);
		c->done += len;
		c->end = c->bv->bv_offset + c->done;
		if (c->done == c->bv->bv_len) {
			c->bv++;
			c->done = 0;
		}
	}
	return nr;
}

/**
 * noclone_cursor_segments - how many segments a disk makes of vectors, at most
 * @vecs: the number of vectors
 * @longest: the longest of them, in bytes, not 0
 * @segment_size: the longest segment, in bytes, not 0; UINT_MAX: there is no limit
 *
 * The result is one more than the lengths require, because the memory of one vector may cross a
 * border of 4 GiB, where a segment ends (seg_boundary_mask).
 */
static inline unsigned int noclone_cursor_segments(unsigned int vecs, unsigned int longest,
						   unsigned int segment_size)
{
	return vecs * ((longest - 1) / segment_size + 1) + 1;
}

#endif /* DM_NOCLONE_CURSOR_H */
