// SPDX-License-Identifier: GPL-2.0-only
/*
 * The fast path: the caller's own bio is pointed at the leg, with no clone.
 *
 * dm core clones each bio before a target sees it, and a module cannot change
 * that. So the mapped device's block_device_operations are replaced by a copy
 * whose submit_bio is noclone_submit_bio(). It takes the plain cases itself and
 * hands everything else, untouched, to dm core's submit_bio.
 *
 * Why this is safe
 *
 *  - The copy is one static structure for the whole module: readers load
 *    disk->fops without a lock, so it must never be freed while they look. It
 *    is the same for each device because all bio-based mapped devices share
 *    one original, which is recognised by lying inside dm_mod itself.
 *  - Per-device state hangs on queue->queuedata, which bio-based dm leaves
 *    unused. It is looked up and counted on, or not, in one RCU section, and
 *    freed a grace period after it was taken away with the last table. Whoever
 *    finds none goes on to dm core's submit_bio: he came late, or on a weakly
 *    ordered processor early.
 *  - dm core does not count our bios as pending, so it would let a table be
 *    swapped under them. .presuspend comes first in every suspend and removal:
 *    there, new bios are turned away and those in flight waited for. That wait
 *    cannot be interrupted, because .presuspend cannot fail.
 *  - A bio never sleeps here and never fails for want of memory: slab, then the
 *    device's own reserve, then dm core's clone path with its mempools.
 *  - Whatever is changed in a bio is put back before its owner sees it again.
 *    The saved bi_end_io is called unless it is the marker of a chain, which
 *    must not be called, or wants task context: those go through bio_endio()
 *    a second time.
 *
 * What would break it: dm core using queuedata or caching its operations, a
 * caller that looks at bi_bdev, bi_iter, bi_end_io or bi_private of a bio it
 * has submitted and not got back. Another interposer on top is noticed, and
 * then state and module stay for ever, passing bios through.
 *
 * The idea is Mikulas Patocka's and Mike Snitzer's "dm: implement no-clone
 * optimization" (dm-devel, February 2019), which did it inside dm core.
 */
#include "core.h"
#include "inflight.h"
#include "io.h"

#include <linux/bio.h>
#include <linux/blk-crypto.h>
#include <linux/module.h>
#include <linux/rcupdate.h>
#include <trace/events/block.h>

/* A bio with any of these bits is not a plain read or write. */
#define NOCLONE_SLOW_OPF	((REQ_OP_MASK & ~(__force blk_opf_t)REQ_OP_WRITE) | \
				 REQ_PREFLUSH | REQ_POLLED | REQ_INTEGRITY)

/*
 * All else in bi_opf is given back as it was: lower drivers and dm core both use
 * REQ_DRV, a leg without a write cache drops REQ_FUA. Who takes these two away
 * says that the bio may not go to a cache of one CPU any more.
 */
#define NOCLONE_KEPT_OPF	(REQ_POLLED | REQ_ALLOC_CACHE)

/* What bio_chain() leaves in bi_end_io: a marker, not to be called */
static bio_end_io_t *noclone_chain_mark __ro_after_init;

/* dm core's operations and our copy; written once, under noclone_learn_lock */
static DEFINE_MUTEX(noclone_learn_lock);
static const struct block_device_operations *noclone_dm_fops;
static struct block_device_operations noclone_fops;

/* The bio as its owner gave it to us, except for its status. */
static void noclone_restore_bio(struct bio *bio, const struct noclone_io *io)
{
	bio->bi_iter = io->iter;
	bio->bi_opf = (bio->bi_opf & NOCLONE_KEPT_OPF) | io->opf;
	/* Left by the leg: it must not be taken for the mapped device's doing */
	bio->bi_flags = (bio->bi_flags & ~NOCLONE_LEG_FLAGS) | io->flags;
	/* 0 if the leg has split it, and some submit a bio again as it is */
	atomic_set(&bio->__bi_remaining, 1);
	bio->bi_private = io->private;
	bio->bi_end_io = io->end_io;
	bio->bi_bdev = io->target->nd->bdev;
}

/* Only the low half of jiffies was kept: no I/O takes 49 days. */
static unsigned long noclone_io_start(const struct noclone_io *io)
{
	return jiffies - (u32)((u32)jiffies - io->start);
}

/*
 * What a second bio_endio() would do with a bio of ours: the leg's has done
 * with chains, integrity and cgroups, and left no flag that asks for more.
 */
static void noclone_endio(struct bio *bio)
{
	if (unlikely(bio->bi_end_io == noclone_chain_mark ||
		     noclone_wants_task(bio))) {
		bio_set_flag(bio, BIO_TRACE_COMPLETION);
		bio_endio(bio);
		return;
	}
	if (trace_block_bio_complete_enabled())
		trace_block_bio_complete(bdev_get_queue(bio->bi_bdev), bio);
	if (likely(bio->bi_end_io))
		bio->bi_end_io(bio);
}

static void noclone_end_io(struct bio *bio)
{
	struct noclone_io *io = bio->bi_private;
	struct noclone_dev *nd = io->target->nd;

	if (io->accounted)
		noclone_end_io_acct(nd->bdev, bio_op(bio),
				    io->iter.bi_size >> SECTOR_SHIFT,
				    noclone_io_start(io));
	/* While bi_bdev still names the leg */
	if (unlikely(bio->bi_status))
		noclone_striped_leg_error(io->target, bio, bio->bi_status);

	noclone_restore_bio(bio, io);
	noclone_io_free(io, &nd->reserve);
	noclone_endio(bio);
	/* From here on the device may go away */
	noclone_put(nd);
}

static void noclone_save_bio(struct bio *bio, struct noclone_io *io)
{
	io->end_io = bio->bi_end_io;
	io->private = bio->bi_private;
	io->iter = bio->bi_iter;
	io->flags = bio->bi_flags & NOCLONE_LEG_FLAGS;
	io->opf = bio->bi_opf & ~NOCLONE_KEPT_OPF;
	io->start = jiffies;
	io->accounted = noclone_accounts(bio->bi_bdev);
}

static void noclone_remap(struct bio *bio, struct noclone_io *io,
			  const struct noclone_segment *s)
{
	u32 leg;
	sector_t sector = noclone_map_sector(&s->layout,
					     bio->bi_iter.bi_sector, &leg);

	bio->bi_private = io;
	bio->bi_end_io = noclone_end_io;
	bio->bi_iter.bi_sector = s->leg[leg].start + sector;
	/* The leg does its own cgroup accounting, throttling and tracing */
	bio->bi_flags &= ~(NOCLONE_LEG_FLAGS | BIT(BIO_TRACE_COMPLETION));
	bio_set_dev(bio, s->leg[leg].bdev);
}

static void noclone_submit_in_place(struct bio *bio, struct noclone_io *io,
				    const struct noclone_segment *s)
{
	struct block_device *bdev = bio->bi_bdev;

	noclone_save_bio(bio, io);
	noclone_remap(bio, io, s);
	if (io->accounted)
		noclone_start_io_acct(bdev, bio_op(bio), bio_sectors(bio),
				      jiffies);
	trace_block_bio_remap(bio, bdev->bd_dev, io->iter.bi_sector);
	/* From here on neither bio nor io may be touched */
	submit_bio_noacct(bio);
}

/* What maps the whole bio onto one leg, or NULL: dm core must split. */
static const struct noclone_segment *
noclone_whole_segment(const struct noclone_dev *nd,
		      const struct noclone_table *table, const struct bio *bio)
{
	sector_t sector = bio->bi_iter.bi_sector;
	const struct noclone_segment *s;
	u32 i;

	i = noclone_find_span(table->spans, table->nr, sector);
	if (unlikely(i == table->nr || bio_end_sector(bio) > table->spans[i].end))
		return NULL;

	s = &table->segments[i];
	if (!s->layout.chunk_sectors)
		return s;
	/* As dm core: a chunked target is never given more than max_sectors */
	if (bio_sectors(bio) > noclone_chunk_left(&s->layout, sector) ||
	    bio_sectors(bio) > queue_max_sectors(nd->disk->queue))
		return NULL;
	return s;
}

/*
 * The caller has begun, see noclone_get(); a bio on its way is done later. One
 * that goes to a file is not remapped, and all of that is elsewhere.
 */
static enum noclone_counter noclone_try(struct noclone_dev *nd,
					const struct noclone_table *table,
					struct bio *bio)
{
	const struct noclone_segment *s;
	struct noclone_io *io;

	if (unlikely(READ_ONCE(*nd->stats_bytes)))
		return NOCLONE_STATS;

	s = noclone_whole_segment(nd, table, bio);
	if (unlikely(!s))
		return NOCLONE_SPLIT;

	if (!s->leg)
		return noclone_file_take(s->target->file, nd, bio) ?
			NOCLONE_FAST : NOCLONE_NOMEM;

	io = noclone_io_alloc(&nd->reserve);
	if (unlikely(!io))
		return NOCLONE_NOMEM;

	io->target = s->target;
	noclone_count(nd, io->reserved ? NOCLONE_RESERVE : NOCLONE_FAST);
	noclone_submit_in_place(bio, io, s);
	return NOCLONE_FAST;
}

static bool noclone_is_plain(struct bio *bio)
{
	return !(bio->bi_opf & NOCLONE_SLOW_OPF) && bio->bi_iter.bi_size &&
	       !bio_flagged(bio, BIO_CHAIN) && !bio_has_crypt_ctx(bio);
}

/* Why a bio is not plain; off the hot path. */
static noinline enum noclone_counter noclone_why_slow(struct bio *bio)
{
	if (bio->bi_opf & REQ_PREFLUSH)
		return NOCLONE_FLUSH;
	if ((bio_op(bio) != REQ_OP_READ && bio_op(bio) != REQ_OP_WRITE) ||
	    !bio->bi_iter.bi_size)
		return NOCLONE_OP;
	if (bio->bi_opf & REQ_POLLED)
		return NOCLONE_POLLED;
	if (bio->bi_opf & REQ_INTEGRITY)
		return NOCLONE_INTEGRITY;
	if (bio_flagged(bio, BIO_CHAIN))
		return NOCLONE_CHAIN;
	return NOCLONE_CRYPTO;
}

/*
 * Find the device and begin with the bio. Nothing else holds @nd: without a
 * table it may be gone when this returns, so what there is to count is counted
 * here.
 */
static const struct noclone_table *noclone_begin(struct bio *bio)
{
	const struct noclone_table *table = NULL;
	struct noclone_dev *nd;

	rcu_read_lock_sched();
	nd = READ_ONCE(bdev_get_queue(bio->bi_bdev)->queuedata);
	if (unlikely(!nd))
		goto unlock;
	if (unlikely(!noclone_is_plain(bio))) {
		noclone_count(nd, noclone_why_slow(bio));
		goto unlock;
	}
	table = noclone_get(nd);
	if (unlikely(!table))
		noclone_count(nd, NOCLONE_SUSPENDING);
unlock:
	rcu_read_unlock_sched();
	return table;
}

static void noclone_submit_bio(struct bio *bio)
{
	const struct noclone_table *table = noclone_begin(bio);
	enum noclone_counter result;
	struct noclone_dev *nd;

	if (likely(table)) {
		nd = table->nd;
		result = noclone_try(nd, table, bio);
		if (likely(result == NOCLONE_FAST))
			return;
		noclone_count(nd, result);
		noclone_put(nd);
	}
	/*
	 * A jump, not a call, see Kbuild: dm core may sleep, and to sleep ends what
	 * synchronize_rcu_tasks() waits for when the module goes.
	 */
	noclone_dm_fops->submit_bio(bio);
}

/*
 * dm core allocates memory for statistics before a region is live and accounts
 * for it in a module parameter, which is how we learn of regions: see
 * stats_current_allocated_bytes in drivers/md/dm-stats.c.
 */
static const unsigned long *noclone_find_stats(const struct module *dm_mod)
{
#ifdef CONFIG_MODULES
	unsigned int i;

	for (i = 0; dm_mod && i < dm_mod->num_kp; i++)
		if (!strcmp(dm_mod->kp[i].name, "stats_current_allocated_bytes"))
			return dm_mod->kp[i].arg;
#endif
	return NULL;
}

/* Is this dm core's own, not some interposer's copy or replacement? */
static bool noclone_is_dm_fops(const struct block_device_operations *fops)
{
	return !strcmp(fops->owner->name, "dm_mod") &&
	       within_module((unsigned long)fops, fops->owner);
}

/* Fill our copy from the first device that shows us dm core's operations. */
static enum noclone_state noclone_learn(struct noclone_dev *nd)
{
	const struct block_device_operations *fops = READ_ONCE(nd->disk->fops);
	enum noclone_state state = NOCLONE_ON;

	if (!fops->owner)
		return NOCLONE_OFF_NOSTATS;

	mutex_lock(&noclone_learn_lock);
	if (!noclone_dm_fops && noclone_is_dm_fops(fops)) {
		noclone_fops = *fops;
		noclone_fops.submit_bio = noclone_submit_bio;
		noclone_dm_fops = fops;
	}
	if (fops != noclone_dm_fops && fops != &noclone_fops)
		state = NOCLONE_OFF_FOREIGN;
	mutex_unlock(&noclone_learn_lock);

	nd->stats_bytes = noclone_find_stats(fops->owner);
	if (state == NOCLONE_ON && !nd->stats_bytes)
		state = NOCLONE_OFF_NOSTATS;
	return state;
}

/* Can this table go the fast way at all, whatever is wished? */
static enum noclone_state noclone_qualify(const struct noclone_table *table)
{
	struct noclone_dev *nd = table->nd;
	void *data = READ_ONCE(nd->disk->queue->queuedata);

	if (table->sectors != dm_table_get_size(table->dm))
		return NOCLONE_OFF_MIXED;
	if (table->zoned)
		return NOCLONE_OFF_ZONED;
	if (atomic_read(&table->unpinned))
		return NOCLONE_OFF_UNPINNED;
	if (data && data != nd)
		return NOCLONE_OFF_FOREIGN;
	return noclone_learn(nd);
}

/* The live table, for those who hold the lock. */
static struct noclone_table *noclone_live(const struct noclone_dev *nd)
{
	return rcu_dereference_protected(nd->live, lockdep_is_held(&nd->lock));
}

static enum noclone_state noclone_wished(const struct noclone_dev *nd)
{
	if (!nd->told && noclone_live(nd)->no_fastpath)
		return NOCLONE_OFF_OPTION;
	return nd->wish;
}

/*
 * Put our operations in or take them out; nobody has to be waited for. The
 * release orders what noclone_learn() has filled in before the pointer to it; who
 * sees them without queuedata goes on to dm core. Returns false if another
 * module's operations are in the way.
 */
static bool noclone_hook(struct noclone_dev *nd, bool on)
{
	const struct block_device_operations *old = READ_ONCE(nd->disk->fops);
	const struct block_device_operations *new = on ? &noclone_fops :
		noclone_dm_fops;

	if (old == &noclone_fops || old == noclone_dm_fops) {
		smp_store_release(&nd->disk->fops, new); /* see above */
		return true;
	}
	if (!on && !nd->pinned) {
		/* Its copy holds our submit_bio: that can never go */
		nd->pinned = true;
		__module_get(THIS_MODULE);
	}
	return false;
}

static void noclone_apply_wish(struct noclone_dev *nd)
{
	enum noclone_state wished = noclone_wished(nd);

	nd->state = noclone_hook(nd, wished == NOCLONE_ON) ? wished :
		NOCLONE_OFF_FOREIGN;
}

/**
 * noclone_fastpath_attach - start using the fast path, if the table allows it
 * @table: our lines of a table that is about to be live
 *
 * Called for each line; the first call does it.
 *
 * Context: .resume or .presuspend_undo: md->suspend_lock is held, nothing may
 * fail.
 */
void noclone_fastpath_attach(struct noclone_table *table)
{
	struct noclone_dev *nd = table->nd;

	mutex_lock(&nd->lock);
	if (!noclone_live(nd)) {
		nd->state = noclone_qualify(table);
		if (nd->state == NOCLONE_ON) {
			/* What it points at is there before it is seen */
			smp_store_release(&nd->disk->queue->queuedata, nd);
			rcu_assign_pointer(nd->live, table);
			noclone_apply_wish(nd);
		}
	}
	mutex_unlock(&nd->lock);
}

/**
 * noclone_fastpath_detach - stop using it and wait for the bios in flight
 * @nd: mapped device; nothing happens if the fast path is not in use
 *
 * When this returns no bio in flight and no caller of submit_bio knows the
 * live table from here: both are counted as begun while they do. A caller that
 * is not yet may still be inside our submit_bio, and goes on to dm core's. The
 * queue is not frozen here: that would turn away NOWAIT bios in the middle of a
 * split, which stock does not.
 *
 * Context: .presuspend: md->suspend_lock is held. Sleeps, not interruptible.
 */
void noclone_fastpath_detach(struct noclone_dev *nd)
{
	mutex_lock(&nd->lock);
	if (noclone_live(nd)) {
		noclone_hook(nd, false);
		noclone_drain(nd);
	}
	nd->state = NOCLONE_OFF_SUSPENDED;
	mutex_unlock(&nd->lock);
}

/**
 * noclone_fastpath_switch - message "fastpath on" or "fastpath off"
 * @nd: mapped device
 * @on: what is wished from now on; outweighs parameter and table option
 *
 * Bios in flight finish the way they began.
 *
 * Return: 0, or -EINTR if interrupted while the device is being suspended.
 */
int noclone_fastpath_switch(struct noclone_dev *nd, bool on)
{
	int r = mutex_lock_interruptible(&nd->lock);

	if (r)
		return r;

	nd->told = true;
	nd->wish = on ? NOCLONE_ON : NOCLONE_OFF_MESSAGE;
	if (noclone_live(nd))
		noclone_apply_wish(nd);
	mutex_unlock(&nd->lock);
	return 0;
}

/**
 * noclone_fastpath_prepare - allocate all that the fast path of a device needs
 * @nd: a device that is being made
 *
 * Return: 0 or -ENOMEM.
 */
int noclone_fastpath_prepare(struct noclone_dev *nd)
{
	rcuwait_init(&nd->drainer);
	return noclone_reserve_init(&nd->reserve);
}

/**
 * noclone_fastpath_forget - let nobody find a device any more
 * @nd: a device without a live table of ours
 *
 * The operations are dm core's again since the last suspend.
 *
 * Context: noclone_devs_lock is held; does not sleep.
 */
void noclone_fastpath_forget(struct noclone_dev *nd)
{
	struct request_queue *q = nd->disk->queue;

	if (q->queuedata == nd)
		WRITE_ONCE(q->queuedata, NULL);
}

/**
 * noclone_fastpath_release - undo noclone_fastpath_prepare()
 * @nd: a device that noclone_fastpath_forget() has made unknown
 *
 * Waits for those who have found it before, and for the end of the last
 * noclone_put(); for nobody who is inside a target's .map, which may sleep.
 *
 * Context: sleeps for a grace period; without locks.
 */
void noclone_fastpath_release(struct noclone_dev *nd)
{
	synchronize_rcu();
	mempool_exit(&nd->reserve);
}

/**
 * noclone_fastpath_init - once per load of the module
 */
void __init noclone_fastpath_init(void)
{
	struct bio child, parent;

	bio_init(&parent, NULL, NULL, 0, REQ_OP_READ);
	bio_init(&child, NULL, NULL, 0, REQ_OP_READ);
	bio_chain(&child, &parent);
	noclone_chain_mark = child.bi_end_io;
	bio_uninit(&child);
	bio_uninit(&parent);
}

/**
 * noclone_fastpath_quiesce - make sure that nobody runs in our text any more
 *
 * No device is left, but a reader of disk->fops or the tail of a completion
 * may have been preempted inside this module.
 */
void noclone_fastpath_quiesce(void)
{
	synchronize_rcu_tasks();
	synchronize_rcu();
}
