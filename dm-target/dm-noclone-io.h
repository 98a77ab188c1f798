/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The object that remembers what a bio in flight must get back, and the first
 * two of its three memory tiers: the slab, then the device's reserve. Without
 * an object the bio takes the third, dm core's clone path.
 */
#ifndef DM_NOCLONE_IO_H
#define DM_NOCLONE_IO_H

#include <linux/bio.h>
#include <linux/mempool.h>
#include <linux/slab.h>

struct noclone_dev;
struct noclone_target;

/**
 * struct noclone_io - what a bio in flight must get back
 * @nd: the mapped device
 * @target: the line it was mapped by
 * @bdev: the bio's own bi_bdev
 * @end_io: the bio's own bi_end_io
 * @private: the bio's own bi_private
 * @iter: the bio's own bi_iter
 * @drv: the bio's own REQ_DRV: lower drivers and dm core both use this bit
 * @reserved: belongs to the device's reserve
 * @accounted: was counted at its start
 * @start: in jiffies
 */
struct noclone_io {
	struct noclone_dev *nd;
	struct noclone_target *target;
	struct block_device *bdev;
	bio_end_io_t *end_io;
	void *private;
	struct bvec_iter iter;
	blk_opf_t drv;
	bool reserved;
	bool accounted;
	unsigned long start;
};

extern struct kmem_cache *noclone_io_cache;
extern unsigned int noclone_fail_tiers;

/* Bits of the module parameter fail_tiers */
#define NOCLONE_FAIL_SLAB	1
#define NOCLONE_FAIL_RESERVE	2

int noclone_io_init(void);
void noclone_io_exit(void);
int noclone_reserve_init(mempool_t *reserve);

/**
 * noclone_io_alloc - an object for one bio
 * @reserve: the device's
 *
 * Context: any; does not sleep and does not start reclaim by itself.
 * Return: the object, of which only @reserved is set, or NULL.
 */
static inline struct noclone_io *noclone_io_alloc(mempool_t *reserve)
{
	unsigned int fail = READ_ONCE(noclone_fail_tiers);
	struct noclone_io *io = NULL;

	if (likely(!(fail & NOCLONE_FAIL_SLAB)))
		io = kmem_cache_alloc(noclone_io_cache,
				      GFP_NOWAIT | __GFP_NOWARN);
	if (likely(io)) {
		io->reserved = false;
		return io;
	}

	if (!(fail & NOCLONE_FAIL_RESERVE))
		io = mempool_alloc(reserve, GFP_NOWAIT);
	if (io)
		io->reserved = true;
	return io;
}

/**
 * noclone_io_free - give an object back to where it came from
 * @io: from noclone_io_alloc()
 * @reserve: the same one
 *
 * Context: any.
 */
static inline void noclone_io_free(struct noclone_io *io, mempool_t *reserve)
{
	if (unlikely(io->reserved))
		mempool_free(io, reserve);
	else
		kmem_cache_free(noclone_io_cache, io);
}

#endif /* DM_NOCLONE_IO_H */
