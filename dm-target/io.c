// SPDX-License-Identifier: GPL-2.0-only
/*
 * Memory for the per-I/O objects of the fast path; see io.h.
 */
#include "io.h"
#include "include/dm-noclone.h"

#include <linux/device-mapper.h>
#include <linux/moduleparam.h>

struct kmem_cache *noclone_io_slab;
DEFINE_PER_CPU_ALIGNED(struct noclone_io_pcpu, noclone_io_pcpu);

/*
 * The most objects of a reserve. mempool_init() takes an int, and crashes if the number is negative
 */
#define NOCLONE_IO_MAX_RESERVED	4096

static unsigned int noclone_io_reserved = 16;

static int noclone_io_set_reserved(const char *value,
				   const struct kernel_param *kp)
{
	int r = param_set_uint_minmax(value, kp, 1, NOCLONE_IO_MAX_RESERVED);

	if (r)
		DMERR("parameter reserved_ios: \"%.*s\" is not a number from 1 to %u",
		      (int)strcspn(value, "\n"), value, NOCLONE_IO_MAX_RESERVED);
	return r;
}

static const struct kernel_param_ops noclone_io_reserved_ops = {
	.set = noclone_io_set_reserved,
	.get = param_get_uint,
};
module_param_cb(reserved_ios, &noclone_io_reserved_ops, &noclone_io_reserved, 0644);
__MODULE_PARM_TYPE(reserved_ios, "uint");
MODULE_PARM_DESC(reserved_ios, "I/O objects kept in reserve by each device made from now on, 1 to 4096 (default 16)");

unsigned int noclone_io_fail_tiers;
module_param_named(fail_tiers, noclone_io_fail_tiers, uint, 0600);
MODULE_PARM_DESC(fail_tiers, "For tests, a sum of: 1 = the slab allocator fails, 2 = the reserve is empty, 4 = a suspend gets no memory");

/*
 * The allocation function of the mempool after the reserve was filled: it never allocates. The
 * reserve is filled when a device is created; later, completed bios of the device return objects to
 * it. In the submit path, mempool_alloc() must not try the empty slab again.
 */
static void *noclone_io_reserve_alloc(gfp_t gfp, void *cache)
{
	return NULL;
}

/*
 * The allocation function of the mempool while the reserve is filled. The mempool does not get the
 * kernel's functions for a slab: with them, it would check its elements for poison, and objects of
 * a slab have no poison.
 */
static void *noclone_io_reserve_fill(gfp_t gfp, void *cache)
{
	return kmem_cache_alloc(cache, gfp);
}

static void noclone_io_reserve_free(void *io, void *cache)
{
	kmem_cache_free(cache, io);
}

/*
 * This constructor does nothing. It exists because a slab cache with a constructor is exempt from
 * init_on_alloc: the kernel does not zero each object.
 */
static void noclone_io_ctor(void *object)
{
}

static struct noclone_io *noclone_io_reserve_take(mempool_t *reserve)
{
	if (unlikely(READ_ONCE(noclone_io_fail_tiers) & NOCLONE_FAIL_RESERVE))
		return NULL;
	return mempool_alloc(reserve, GFP_NOWAIT);
}

/*
 * Move all objects from the list of interrupts to the list of tasks, which is empty. Context: a
 * task, preemption off.
 */
void noclone_io_fetch(struct noclone_io_pcpu *pcpu)
{
	unsigned long flags;

	if (!READ_ONCE(pcpu->irq.top))
		return;
	local_irq_save(flags);
	pcpu->task = pcpu->irq;
	pcpu->irq = (struct noclone_io_list){};
	local_irq_restore(flags);
}

/* Allocate when the per-CPU cache is empty, see noclone_io_alloc(). */
struct noclone_io *noclone_io_alloc_slow(mempool_t *reserve)
{
	struct noclone_io *io = noclone_io_slab_alloc(noclone_io_slab);
	bool reserved = !io;

	if (reserved)
		io = noclone_io_reserve_take(reserve);
	if (likely(io))
		io->reserved = reserved;
	return io;
}

int noclone_io_reserve_init(mempool_t *reserve, gfp_t gfp)
{
	int r = mempool_init_node(reserve,
				  READ_ONCE(noclone_io_reserved),
				  noclone_io_reserve_fill,
				  noclone_io_reserve_free, noclone_io_slab,
				  gfp, NUMA_NO_NODE);

	reserve->alloc = noclone_io_reserve_alloc;
	return r;
}

int noclone_io_init(void)
{
	BUILD_BUG_ON(sizeof(struct noclone_io) + sizeof(void *) > 64);
	BUILD_BUG_ON(sizeof_field(struct noclone_io, flags) < sizeof_field(struct bio, bi_flags));
	noclone_io_slab = kmem_cache_create("dm_noclone_io",
					    sizeof(struct noclone_io), 0,
					    SLAB_HWCACHE_ALIGN,
					    noclone_io_ctor);
	return noclone_io_slab ? 0 : -ENOMEM;
}

static void noclone_io_drain(struct noclone_io_list *list)
{
	struct noclone_io *io;

	while (list->top) {
		io = list->top;
		list->top = io->next;
		kmem_cache_free(noclone_io_slab, io);
	}
}

void noclone_io_exit(void)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		noclone_io_drain(&per_cpu_ptr(&noclone_io_pcpu, cpu)->task);
		noclone_io_drain(&per_cpu_ptr(&noclone_io_pcpu, cpu)->irq);
	}
	kmem_cache_destroy(noclone_io_slab);
}
