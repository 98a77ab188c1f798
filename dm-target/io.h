/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The per-I/O object of the fast path and its memory: a slab with a small
 * per-CPU cache in front of it, then the device's reserve. Without an object the
 * bio goes to dm core's clone path.
 *
 * The per-CPU cache is shared by all devices. It saves the slab's bookkeeping on
 * both ends of an I/O, about 150 instructions. Its size is bounded because
 * reclaim cannot shrink it.
 */
#ifndef DM_NOCLONE_IO_H
#define DM_NOCLONE_IO_H

#include <linux/bio.h>
#include <linux/irqflags.h>
#include <linux/mempool.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/slab.h>

struct noclone_target;

/*
 * The fields of a bio that completion restores. It is one cache line together with the slab's
 * free pointer, which is behind the object because the cache has a constructor.
 * To fit, bi_bdev is not saved: it is noclone_dev.bdev.
 */
struct noclone_io {
	struct noclone_target *target;	/* that mapped the bio */
	bio_end_io_t *end_io;
	union {
		void *private;
		struct noclone_io *next;	/* while in the per-CPU cache */
	};
	struct bvec_iter iter;
	u32 start;			/* low half of jiffies */
	blk_opf_t opf;
	u16 flags;			/* the part of bi_flags that the leg may change */
	bool reserved;			/* belongs to the device's reserve */
	bool accounted;			/* bdev_end_io_acct() has to follow */
};

#define NOCLONE_IO_LIST_MAX	256

/* Last in, first out */
struct noclone_io_list {
	struct noclone_io *top;
	unsigned int nr;
};

/*
 * Tasks allocate, interrupts and tasks free. Switching interrupts off costs a
 * processor tens of cycles, so tasks have a list that no interrupt touches, and fetch all
 * objects that interrupts have freed at once. bio.c keeps its cached bios in the same way.
 */
struct noclone_io_pcpu {
	struct noclone_io_list task;	/* of tasks, with preemption off */
	struct noclone_io_list irq;	/* of interrupts, with interrupts off */
};

DECLARE_PER_CPU_ALIGNED(struct noclone_io_pcpu, noclone_io_pcpu);

extern struct kmem_cache *noclone_io_slab;
extern unsigned int noclone_io_fail_tiers;

/* Bits of the module parameter fail_tiers */
#define NOCLONE_FAIL_SLAB	1
#define NOCLONE_FAIL_RESERVE	2
#define NOCLONE_FAIL_SENTINEL	4

int noclone_io_init(void);
void noclone_io_exit(void);
int noclone_io_reserve_init(mempool_t *reserve, gfp_t gfp);
void noclone_io_fetch(struct noclone_io_pcpu *pcpu);
struct noclone_io *noclone_io_alloc_slow(mempool_t *reserve);

/*
 * Allocate without reclaim. __GFP_NOMEMALLOC, as in mempool_alloc(), because
 * PF_MEMALLOC tasks could drain the reserves; every caller has a fallback.
 */
#define NOCLONE_IO_GFP		(GFP_NOWAIT | __GFP_NOWARN | __GFP_NOMEMALLOC)

static inline void *noclone_io_slab_alloc(struct kmem_cache *cache)
{
	if (unlikely(READ_ONCE(noclone_io_fail_tiers) & NOCLONE_FAIL_SLAB))
		return NULL;
	return kmem_cache_alloc(cache, NOCLONE_IO_GFP);
}

/*
 * For objects of several pages. kswapd is not woken for them: while memory is fragmented, it would
 * reclaim for each I/O, although dm core can do it without such an object.
 */
static inline void *noclone_io_kmalloc(size_t size)
{
	if (unlikely(READ_ONCE(noclone_io_fail_tiers) & NOCLONE_FAIL_SLAB))
		return NULL;
	return kmalloc(size, NOCLONE_IO_GFP & ~__GFP_KSWAPD_RECLAIM);
}

/* Context: any, with preemption off */
static inline struct noclone_io *noclone_io_pop(void)
{
	struct noclone_io_pcpu *pcpu;
	struct noclone_io *io;

	if (unlikely(!in_task() || READ_ONCE(noclone_io_fail_tiers)))
		return NULL;
	pcpu = this_cpu_ptr(&noclone_io_pcpu);
	if (unlikely(!pcpu->task.top))
		noclone_io_fetch(pcpu);
	io = pcpu->task.top;
	if (likely(io)) {
		pcpu->task.top = io->next;
		pcpu->task.nr--;
	}
	return io;
}

/* Return: false if the list is full. Context: nothing else accesses @list. */
static inline bool noclone_io_list_push(struct noclone_io_list *list,
					struct noclone_io *io)
{
	if (unlikely(list->nr >= NOCLONE_IO_LIST_MAX))
		return false;
	io->next = list->top;
	list->top = io;
	list->nr++;
	return true;
}

static inline bool noclone_io_push(struct noclone_io *io)
{
	unsigned long flags;
	bool room;

	if (likely(in_task())) {
		room = noclone_io_list_push(&get_cpu_ptr(&noclone_io_pcpu)->task, io);
		put_cpu_ptr(&noclone_io_pcpu);
	} else {
		local_irq_save(flags);
		room = noclone_io_list_push(&this_cpu_ptr(&noclone_io_pcpu)->irq, io);
		local_irq_restore(flags);
	}
	return room;
}

/*
 * Return: an object with only @reserved set, or NULL. Context: any; does
 * not sleep.
 */
static inline struct noclone_io *noclone_io_alloc(mempool_t *reserve)
{
	struct noclone_io *io;

	preempt_disable();
	io = noclone_io_pop();
	preempt_enable();
	return likely(io) ? io : noclone_io_alloc_slow(reserve);
}

/* Context: any. */
static inline void noclone_io_free(struct noclone_io *io, mempool_t *reserve)
{
	if (unlikely(io->reserved))
		mempool_free(io, reserve);
	else if (unlikely(!noclone_io_push(io)))
		kmem_cache_free(noclone_io_slab, io);
}

#endif /* DM_NOCLONE_IO_H */
