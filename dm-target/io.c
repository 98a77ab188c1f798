// SPDX-License-Identifier: GPL-2.0-only
/*
 * Memory for the per-I/O objects.
 */
#include "io.h"

#include <linux/moduleparam.h>

struct kmem_cache *noclone_io_cache;
DEFINE_PER_CPU(struct noclone_stash, noclone_stash);

static unsigned int noclone_reserved_ios = 16;
module_param_named(reserved_ios, noclone_reserved_ios, uint, 0644);
MODULE_PARM_DESC(reserved_ios, "I/O objects kept in reserve by each device made from now on (default 16)");

unsigned int noclone_fail_tiers;
module_param_named(fail_tiers, noclone_fail_tiers, uint, 0600);
MODULE_PARM_DESC(fail_tiers, "For tests: 1 the slab acts as if empty, 2 the reserve does, 3 both");

/*
 * The reserve is filled when a device is made, and by bios that come back to
 * it. Later, an empty slab is not asked again.
 */
static void *noclone_reserve_alloc(gfp_t gfp, void *cache)
{
	return gfpflags_allow_blocking(gfp) ? kmem_cache_alloc(cache, gfp) :
		NULL;
}

/* A constructor exempts the cache from being zeroed on each allocation. */
static void noclone_io_ctor(void *object)
{
}

static struct noclone_io *noclone_reserve_take(mempool_t *reserve)
{
	if (unlikely(READ_ONCE(noclone_fail_tiers) & NOCLONE_FAIL_RESERVE))
		return NULL;
	return mempool_alloc(reserve, GFP_NOWAIT);
}

/**
 * noclone_io_alloc_slow - an object for one bio when the stash has none
 * @reserve: the device's
 *
 * Context: any; does not sleep and does not start reclaim by itself.
 * Return: the object, of which only @reserved is set, or NULL.
 */
struct noclone_io *noclone_io_alloc_slow(mempool_t *reserve)
{
	struct noclone_io *io = noclone_slab_alloc(noclone_io_cache);
	bool reserved = !io;

	if (reserved)
		io = noclone_reserve_take(reserve);
	if (likely(io))
		io->reserved = reserved;
	return io;
}

/**
 * noclone_reserve_init - fill a device's reserve
 * @reserve: ended by mempool_exit()
 *
 * Return: 0 or -ENOMEM.
 */
int noclone_reserve_init(mempool_t *reserve)
{
	return mempool_init(reserve, max(1U, READ_ONCE(noclone_reserved_ios)),
			    noclone_reserve_alloc, mempool_free_slab,
			    noclone_io_cache);
}

/**
 * noclone_io_init - once per load of the module
 *
 * Return: 0 or -ENOMEM.
 */
int noclone_io_init(void)
{
	BUILD_BUG_ON(sizeof(struct noclone_io) + sizeof(void *) > 64);
	noclone_io_cache = kmem_cache_create("dm_noclone_io",
					     sizeof(struct noclone_io), 0,
					     SLAB_HWCACHE_ALIGN,
					     noclone_io_ctor);
	return noclone_io_cache ? 0 : -ENOMEM;
}

static void noclone_stash_drain(struct noclone_stash *stash)
{
	struct noclone_io *io;

	while (stash->top) {
		io = stash->top;
		stash->top = io->next;
		kmem_cache_free(noclone_io_cache, io);
	}
}

/**
 * noclone_io_exit - undo noclone_io_init(); no bio is in flight any more
 */
void noclone_io_exit(void)
{
	int cpu;

	for_each_possible_cpu(cpu)
		noclone_stash_drain(per_cpu_ptr(&noclone_stash, cpu));
	kmem_cache_destroy(noclone_io_cache);
}
