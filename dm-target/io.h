/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The per-I/O object of the fast path and its memory: a slab with a small per-CPU cache in front of
 * it, and the reserve of the device. A bio that gets no object goes to dm core's clone path.
 *
 * The per-CPU cache is shared by all devices. The cache saves the slab's bookkeeping at the begin
 * and at the end of an I/O, about 150 instructions. The size of the cache is bounded because
 * reclaim cannot shrink the cache.
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
 * The fields of a bio that completion restores. Together with the slab's free pointer, the struct
 * is one cache line. The free pointer is behind the object because the slab has a constructor. To
 * keep the struct small, bi_bdev is not saved: noclone_dev.bdev has the same value.
 */
struct noclone_io {
	struct noclone_target *target;	/* the target that mapped the bio */
	bio_end_io_t *end_io;
	union {
		void *private;
		struct noclone_io *next;	/* link while in the per-CPU cache */
	};
	struct bvec_iter iter;
	u32 start;			/* the low half of jiffies when the I/O began */
	blk_opf_t opf;
	u16 flags;			/* the bits of bi_flags that the leg may change */
	bool reserved;			/* the object belongs to the device's reserve */
	bool accounted;			/* bdev_end_io_acct() has to follow */
};

#define NOCLONE_IO_LIST_MAX	256

/* A list of free objects: last in, first out */
struct noclone_io_list {
	struct noclone_io *top;
	unsigned int nr;
};

/*
 * The cache of one CPU. Tasks allocate from it; interrupts and tasks free to it. Switching
 * interrupts off costs tens of cycles, so tasks have a list that no interrupt touches. When this
 * list is empty, a task fetches all objects that interrupts have freed, in one step. bio.c keeps
 * its cached bios in the same way.
 */
struct noclone_io_pcpu {
	struct noclone_io_list task;	/* used by tasks, with preemption off */
	struct noclone_io_list irq;	/* used by interrupts, with interrupts off */
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
 * Allocate without reclaim. __GFP_NOMEMALLOC is set, as in mempool_alloc(), because tasks with
 * PF_MEMALLOC could drain the reserves of the kernel; each caller has a fallback.
 */
#define NOCLONE_IO_GFP		(GFP_NOWAIT | __GFP_NOWARN | __GFP_NOMEMALLOC)

static inline void *noclone_io_slab_alloc(struct kmem_cache *cache)
{
	if (unlikely(READ_ONCE(noclone_io_fail_tiers) & NOCLONE_FAIL_SLAB))
		return NULL;
	return kmem_cache_alloc(cache, NOCLONE_IO_GFP);
}

/*
 * Allocate an object of several pages. kswapd is not woken for it: while memory is fragmented,
 * kswapd would reclaim for each I/O, although dm core can do the I/O without such an object.
 */
static inline void *noclone_io_kmalloc(size_t size)
{
	if (unlikely(READ_ONCE(noclone_io_fail_tiers) & NOCLONE_FAIL_SLAB))
		return NULL;
	return kmalloc(size, NOCLONE_IO_GFP & ~__GFP_KSWAPD_RECLAIM);
}

/*
 * Take an object from the cache of this CPU, or return NULL. @reserved is false in each object
 * of the cache. Context: any, with preemption off; an interrupt always gets NULL
 */
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

/*
 * Put an object on a list. Return: false if the list is full. Context: nothing else accesses
 * @list.
 */
static __always_inline bool noclone_io_list_push(struct noclone_io_list *list,
						 struct noclone_io *io)
{
	if (unlikely(list->nr >= NOCLONE_IO_LIST_MAX))
		return false;
	io->next = list->top;
	list->top = io;
	list->nr++;
	return true;
}

static __always_inline bool noclone_io_push(struct noclone_io *io)
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
 * Allocate an object. Return: the object, or NULL. Only its member @reserved is initialised.
 * Context: any; does not sleep.
 */
static inline struct noclone_io *noclone_io_alloc(mempool_t *reserve)
{
	struct noclone_io *io;

	preempt_disable();
	io = noclone_io_pop();
	preempt_enable();
	return likely(io) ? io : noclone_io_alloc_slow(reserve);
}

/* Free an object. Context: any. */
static __always_inline void noclone_io_free(struct noclone_io *io, mempool_t *reserve)
{
	if (unlikely(io->reserved))
		mempool_free(io, reserve);
	else if (unlikely(!noclone_io_push(io)))
		kmem_cache_free(noclone_io_slab, io);
}

#endif /* DM_NOCLONE_IO_H */
