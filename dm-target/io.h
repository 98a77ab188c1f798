/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The object that remembers what a bio in flight must get back, and the first
 * two of its three memory tiers: the slab, with a stash per CPU in front of it,
 * then the device's reserve. Without an object the bio takes the third, dm
 * core's clone path.
 *
 * The stash is shared by all devices. It saves the slab's own bookkeeping on
 * both ends of an I/O, about 150 instructions, and is bounded: it takes no more
 * than NOCLONE_STASH_MAX cache lines of a CPU away from reclaim.
 */
#ifndef DM_NOCLONE_IO_H
#define DM_NOCLONE_IO_H

#include <linux/bio.h>
#include <linux/irqflags.h>
#include <linux/mempool.h>
#include <linux/percpu.h>
#include <linux/slab.h>

struct noclone_target;

/**
 * struct noclone_io - what a bio in flight must get back
 * @target: the line it was mapped by
 * @end_io: the bio's own bi_end_io
 * @private: the bio's own bi_private
 * @next: while it waits in a stash
 * @iter: the bio's own bi_iter
 * @start: the low half of jiffies at the start
 * @opf: the bio's own bi_opf, see NOCLONE_KEPT_OPF
 * @flags: those of the bio's own bi_flags that the leg may change
 * @reserved: belongs to the device's reserve
 * @accounted: was counted at its start
 *
 * One cache line together with the slab's free pointer, which comes behind the
 * object because there is a constructor.  That is why bi_bdev is not here: the
 * mapped device knows it, see struct noclone_dev.
 */
struct noclone_io {
	struct noclone_target *target;
	bio_end_io_t *end_io;
	union {
		void *private;
		struct noclone_io *next;
	};
	struct bvec_iter iter;
	u32 start;
	blk_opf_t opf;
	u16 flags;
	bool reserved;
	bool accounted;
};

/**
 * struct noclone_stash - objects of one CPU that need no trip to the slab
 * @top: last in, first out
 * @nr: how many
 */
struct noclone_stash {
	struct noclone_io *top;
	unsigned int nr;
};

#define NOCLONE_STASH_MAX	64

DECLARE_PER_CPU(struct noclone_stash, noclone_stash);

extern struct kmem_cache *noclone_io_cache;
extern unsigned int noclone_fail_tiers;

/* Bits of the module parameter fail_tiers */
#define NOCLONE_FAIL_SLAB	1
#define NOCLONE_FAIL_RESERVE	2

/*
 * For the submit path: it does not wait, and leaves the last pages alone, as a
 * mempool does.  Whoever swaps out may take of them, and writes many bios; each
 * has a way without.
 */
static inline void *noclone_slab_alloc(struct kmem_cache *cache)
{
	if (unlikely(READ_ONCE(noclone_fail_tiers) & NOCLONE_FAIL_SLAB))
		return NULL;
	return kmem_cache_alloc(cache, GFP_NOWAIT | __GFP_NOWARN |
				__GFP_NOMEMALLOC);
}

int noclone_io_init(void);
void noclone_io_exit(void);
int noclone_reserve_init(mempool_t *reserve);

/* Completions push from interrupts: keep them out for these few instructions. */
static inline struct noclone_io *noclone_stash_pop(void)
{
	struct noclone_stash *stash;
	struct noclone_io *io;
	unsigned long flags;

	local_irq_save(flags);
	stash = this_cpu_ptr(&noclone_stash);
	io = stash->top;
	if (likely(io)) {
		stash->top = io->next;
		stash->nr--;
	}
	local_irq_restore(flags);
	return io;
}

static inline bool noclone_stash_push(struct noclone_io *io)
{
	struct noclone_stash *stash;
	unsigned long flags;
	bool room;

	local_irq_save(flags);
	stash = this_cpu_ptr(&noclone_stash);
	room = stash->nr < NOCLONE_STASH_MAX;
	if (likely(room)) {
		io->next = stash->top;
		stash->top = io;
		stash->nr++;
	}
	local_irq_restore(flags);
	return room;
}

struct noclone_io *noclone_io_alloc_slow(mempool_t *reserve);

/**
 * noclone_io_alloc - an object for one bio
 * @reserve: the device's
 *
 * Context: any; does not sleep and does not start reclaim by itself.
 * Return: the object, of which only @reserved is set, or NULL.
 */
static inline struct noclone_io *noclone_io_alloc(mempool_t *reserve)
{
	struct noclone_io *io = NULL;

	if (likely(!READ_ONCE(noclone_fail_tiers)))
		io = noclone_stash_pop();
	return likely(io) ? io : noclone_io_alloc_slow(reserve);
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
	else if (unlikely(!noclone_stash_push(io)))
		kmem_cache_free(noclone_io_cache, io);
}

#endif /* DM_NOCLONE_IO_H */
