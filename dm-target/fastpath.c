// SPDX-License-Identifier: GPL-2.0-only
/*
 * The fast path: the submitter's own bio is redirected to the leg, without a clone.
 *
 * Invariant: a bio that is remapped in place counts as begun until its fields are restored, and dm
 * core swaps or frees a table only when no bio counts as begun. Locks: submission and completion in
 * place take no lock and do not sleep, with two exceptions: a polled bio that is tried again takes
 * retry_lock, and the last bio for which a suspend waits ends the clone of the sentinel. Callers:
 * the block layer, by disk->fops, in any context. fastpath-attach.c decides which devices have a
 * live table.
 *
 * Documentation/design/fastpath.rst has the argument, A1 to A36.
 *
 * The idea comes from "dm: implement no-clone optimization" by Mikulas Patocka and Mike Snitzer
 * (dm-devel, February 2019). Their patch changed dm core itself.
 */
#include "fastpath.h"
#include "fops.h"
#include "gather.h"
#include "inflight.h"
#include "io.h"
#include "plain.h"
#include "polled.h"

#include <linux/bio.h>
#include <linux/rcupdate.h>
#include <trace/events/block.h>

/*
 * The bits of bi_opf that completion leaves as the leg has set them. The other bits are restored:
 * lower drivers and dm core both use REQ_DRV, and a leg without a write cache clears REQ_FUA. But
 * if a layer has cleared REQ_POLLED or REQ_ALLOC_CACHE, the bio must not go to a per-CPU bio cache
 * any more.
 */
#define NOCLONE_UNSAVED_OPF	(REQ_POLLED | REQ_ALLOC_CACHE)

/* The address of bio_chain_endio(), which is not exported. It is only compared, and never called */
static bio_end_io_t *noclone_fastpath_chain_endio __ro_after_init;

/*
 * Give a bio back its fields from before noclone_fastpath_remap(). NOCLONE_UNSAVED_FLAGS are
 * BIO_CLONED and BIO_REFFED, which stay as they are.
 */
static __always_inline void noclone_fastpath_restore(struct bio *bio, const struct noclone_io *io,
						     struct block_device *bdev)
{
	bio->bi_iter = io->iter;
	bio->bi_opf = (bio->bi_opf & NOCLONE_UNSAVED_OPF) |
		      (io->opf & ~NOCLONE_UNSAVED_OPF);
	bio->bi_flags = (bio->bi_flags & NOCLONE_UNSAVED_FLAGS) | io->flags;
	/*
	 * If the leg has split the bio, the count is 0. Some submitters reuse a bio without
	 * resetting the count
	 */
	atomic_set(&bio->__bi_remaining, 1);
	bio->bi_private = io->private;
	bio->bi_end_io = io->end_io;
	/* A merge in a lower queue may have set bi_next; dm core expects NULL */
	bio->bi_next = NULL;
	/*
	 * The order of these two stores does not matter: a poller with the leg's cookie may find
	 * either device
	 */
	WRITE_ONCE(bio->bi_cookie, BLK_QC_T_NONE);
	WRITE_ONCE(bio->bi_bdev, bdev);
}

/*
 * Count the end of a bio for iostat, with the same result as bdev_end_io_acct(). The low half of
 * jiffies is enough: no I/O takes 49 days.
 */
static __always_inline void noclone_fastpath_end_acct(const struct noclone_io *io,
						      struct block_device *bdev)
{
	unsigned long now = jiffies;

	/* Use the saved operation: the leg may have changed bio_op(bio) */
	noclone_compat_end_io_acct(bdev, io->opf & REQ_OP_MASK, 1,
				   io->iter.bi_size >> SECTOR_SHIFT,
				   now - (u32)((u32)now - io->start), now);
}

/*
 * The trace points are in separate functions, because the kernel's code for a trace point has local
 * variables with an address. With KASAN, the last call of a function with such variables is no
 * jump.
 */
static noinline void noclone_fastpath_trace_complete(struct bio *bio)
{
	trace_block_bio_complete(bdev_get_queue(bio->bi_bdev), bio);
}

static noinline void noclone_fastpath_trace_remap(struct bio *bio, struct block_device *bdev,
						  sector_t sector)
{
	trace_block_bio_remap(bio, bdev->bd_dev, sector);
}

/*
 * Return: the function that tells the submitter that the bio has ended. In most cases this function
 * is the submitter's bi_end_io, and not bio_endio(). The bio_endio() of the leg has already handled
 * chains, integrity and cgroups, whose flags are restored now. A second bio_endio() would only
 * trace. On a kernel that was not reviewed, bio_endio() may do more for any bio.
 */
static __always_inline bio_end_io_t *noclone_fastpath_choose_end_io(struct bio *bio)
{
	if (unlikely(bio->bi_end_io == noclone_fastpath_chain_endio || !bio->bi_end_io ||
		     !NOCLONE_KERNEL_IS_KNOWN)) {
		bio_set_flag(bio, BIO_TRACE_COMPLETION);
		return bio_endio;
	}
	if (trace_block_bio_complete_enabled())
		noclone_fastpath_trace_complete(bio);
	return bio->bi_end_io;
}

/*
 * Report the error of a leg to the target, by target->ops->leg_error. Only striped targets have
 * this function. Return: true if the bio has to be submitted once more, without polling. Context:
 * before bi_bdev is restored.
 */
static noinline bool noclone_fastpath_failed(struct bio *bio,
					     const struct noclone_io *io)
{
	noclone_target_failed(io->target, bio);
	return bio->bi_status == BLK_STS_AGAIN && (io->opf & REQ_POLLED);
}

/* Restore a bio, and free @io. Return: true if the bio has to be submitted once more. */
static __always_inline bool noclone_fastpath_end(struct bio *bio, struct noclone_io *io,
						 struct noclone_dev *nd)
{
	struct block_device *bdev = nd->bdev;
	bool retry = false;

	if (likely(io->accounted))
		noclone_fastpath_end_acct(io, bdev);
	if (unlikely(bio->bi_status))
		retry = noclone_fastpath_failed(bio, io);

	noclone_fastpath_restore(bio, io, bdev);
	noclone_io_free(io, &nd->reserve);
	return retry;
}

/*
 * bi_end_io of each bio that was remapped in place and has none of NOCLONE_ENDIO_FLAGS. Context:
 * any in which a leg completes bios
 */
static void noclone_fastpath_end_io(struct bio *bio)
{
	struct noclone_io *io = bio->bi_private;
	struct noclone_dev *nd = io->target->nd;
	bio_end_io_t *end_io;

	if (unlikely(noclone_fastpath_end(bio, io, nd))) {
		/* A worker submits the bio again, and counts the first attempt as done */
		noclone_polled_retry(nd, bio);
		return;
	}
	end_io = noclone_fastpath_choose_end_io(bio);
	/*
	 * Count the bio as done before the submitter is told, as dm core does. After this call, the
	 * device may be removed and the module unloaded: only the submitter's reference to the
	 * block_device is left. So the last call is a jump (fastpath.rst, A35).
	 */
	noclone_inflight_put(nd);
	NOCLONE_MUSTTAIL return end_io(bio);
}

/*
 * bi_end_io of each bio that was remapped in place and has one of NOCLONE_ENDIO_FLAGS. The
 * submission chooses between this function and noclone_fastpath_end_io(), because completion
 * restores the flags that the bio had at its submission. So no completion has to test the flags.
 */
static void noclone_fastpath_end_flagged(struct bio *bio)
{
	struct noclone_io *io = bio->bi_private;
	struct noclone_dev *nd = io->target->nd;

	if (unlikely(noclone_fastpath_end(bio, io, nd))) {
		noclone_polled_retry(nd, bio);
		return;
	}
	bio_set_flag(bio, BIO_TRACE_COMPLETION);
	noclone_inflight_put(nd);
	NOCLONE_MUSTTAIL return bio_endio(bio);
}

/*
 * Save the fields that noclone_fastpath_restore() needs. io->accounted says whether iostat counts
 * the I/O of the mapped device.
 */
static __always_inline void noclone_fastpath_save(struct bio *bio, struct noclone_io *io,
						  unsigned long now)
{
	io->end_io = bio->bi_end_io;
	io->private = bio->bi_private;
	io->iter = bio->bi_iter;
	io->flags = bio->bi_flags & ~NOCLONE_UNSAVED_FLAGS & ~BIT(BIO_TRACE_COMPLETION);
	io->opf = bio->bi_opf;
	io->start = now;
	io->accounted = noclone_compat_accounts_io(bio->bi_bdev);
}

/*
 * Redirect a bio to its leg. noclone_compat_set_dev() is bio_set_dev() for a bio without flags: it
 * stores bi_bdev, and charges the bio to the cgroup of the submitter.
 */
static __always_inline void noclone_fastpath_remap(struct bio *bio, struct noclone_io *io,
						   const struct noclone_segment *s,
						   bio_end_io_t *end_io)
{
	u32 leg;
	sector_t sector = noclone_map_sector(&s->layout,
					     bio->bi_iter.bi_sector, &leg);

	bio->bi_private = io;
	bio->bi_end_io = end_io;
	bio->bi_iter.bi_sector = s->leg[leg].start + sector;
	/*
	 * A bio that dm core polled, and now submits again, still has dm core's cookie. The leg
	 * must not be polled with this cookie.
	 */
	WRITE_ONCE(bio->bi_cookie, BLK_QC_T_NONE);
	/*
	 * The cookie is cleared before the leg can set REQ_DRV. Pairs with
	 * noclone_polled_poll_bio()
	 */
	smp_wmb();
	/* The leg does its own cgroup accounting, throttling and tracing */
	bio->bi_flags &= NOCLONE_UNSAVED_FLAGS;
	noclone_compat_set_dev(bio, s->leg[leg].bdev);
}

static __always_inline void
noclone_fastpath_submit_remapped(struct bio *bio, struct noclone_io *io,
				 const struct noclone_segment *s, bio_end_io_t *end_io)
{
	struct block_device *bdev = bio->bi_bdev;
	unsigned long now = jiffies;

	io->target = s->target;
	noclone_fastpath_save(bio, io, now);
	noclone_fastpath_remap(bio, io, s, end_io);
	/* Count the bio for iostat, with the same result as bdev_start_io_acct() */
	if (likely(io->accounted))
		noclone_compat_start_io_acct(bdev, bio_op(bio), 1, bio_sectors(bio), now);
	if (trace_block_bio_remap_enabled())
		noclone_fastpath_trace_remap(bio, bdev, io->iter.bi_sector);
	/* The leg may have completed the bio: neither bio nor io may be touched (A18) */
	submit_bio_noacct(bio);
}

/* Return: the segment that maps the whole bio in place, or NULL. */
static __always_inline const struct noclone_segment *
noclone_fastpath_find_segment(const struct noclone_table *table, const struct bio *bio)
{
	const struct noclone_segment *s = noclone_segment_of(table, bio);

	if (unlikely(!s) || !s->layout.chunk_sectors)
		return s;
	/* If a target has chunks, dm core would also split a bio at max_sectors */
	if (bio_sectors(bio) > noclone_chunk_left(&s->layout, bio->bi_iter.bi_sector) ||
	    bio_sectors(bio) > queue_max_sectors(bdev_get_queue(bio->bi_bdev)))
		return NULL;
	return s;
}

/*
 * Give a bio to a target without legs. Not inlined, so that tests/harness/code finds only one call
 * of a pointer in noclone_fastpath_submit_other(), the last jump. Return: as noclone_fastpath_try()
 */
static noinline enum noclone_counter
noclone_fastpath_submit_legless(struct noclone_target *t, struct bio *bio)
{
	/*
	 * An atomic write can only come because of the limits of an earlier table; dm core fails
	 * the bio
	 */
	if (unlikely(bio->bi_opf & REQ_ATOMIC))
		return NOCLONE_OP;
	return t->ops->submit(t, bio);
}

/*
 * Handle a plain bio. Return: NOCLONE_FAST if the bio is taken and counted; otherwise the reason
 * why dm core gets the bio, which the caller counts.
 */
static enum noclone_counter
noclone_fastpath_try(struct noclone_dev *nd, const struct noclone_table *table,
		     struct bio *bio)
{
	const struct noclone_segment *s;
	struct noclone_io *io;

	if (unlikely(READ_ONCE(*nd->stats_bytes)))
		return NOCLONE_STATS;
	s = noclone_fastpath_find_segment(table, bio);
	if (unlikely(!s))
		return noclone_gather_submit(nd, table, bio, NOCLONE_SPLIT);

	if (!s->leg)
		return noclone_fastpath_submit_legless(s->target, bio);

	io = noclone_io_alloc(&nd->reserve);
	if (unlikely(!io))
		return NOCLONE_NOMEM;

	noclone_count(nd, io->reserved ? NOCLONE_RESERVE : NOCLONE_FAST);
	noclone_fastpath_submit_remapped(bio, io, s, bio->bi_flags & NOCLONE_ENDIO_FLAGS ?
					 noclone_fastpath_end_flagged : noclone_fastpath_end_io);
	return NOCLONE_FAST;
}

/* Handle a bio that is not plain. Return: as noclone_fastpath_try() */
static noinline enum noclone_counter
noclone_fastpath_try_other(struct noclone_dev *nd, const struct noclone_table *table,
			   struct bio *bio)
{
	if (!noclone_plain_is_chain(nd, bio))
		return noclone_plain_why_not(nd, bio);
	if (READ_ONCE(*nd->stats_bytes))
		return NOCLONE_STATS;
	return noclone_gather_submit(nd, table, bio, NOCLONE_CHAIN);
}

/*
 * Find the device and count the bio as begun. Return: the live table, or NULL. If no table is live,
 * the reason is counted here, because the noclone_dev may be freed after the return. A polled bio
 * may have to be counted as begun even if it is not plain, see noclone_polled_pass(). Always
 * inlined: if a local variable of the caller had an address, the caller's last call would be no
 * jump.
 */
static __always_inline const struct noclone_table *
noclone_fastpath_begin(struct bio *bio, bool *plain)
{
	const struct noclone_table *table = NULL;
	struct noclone_dev *nd;

	rcu_read_lock_sched();
	/* noclone_fastpath_attach() has stored nd here; NULL if no table is attached */
	nd = READ_ONCE(bdev_get_queue(bio->bi_bdev)->queuedata);
	if (unlikely(!nd))
		goto unlock;
	*plain = noclone_plain_is(nd, bio, 0, 0);
	/* A polled bio that is not plain gets its reason later, in noclone_fastpath_try_other() */
	if (unlikely(!*plain) && !(bio->bi_opf & REQ_POLLED) &&
	    !noclone_plain_is_chain(nd, bio)) {
		noclone_count(nd, noclone_plain_why_not(nd, bio));
		goto unlock;
	}
	table = noclone_inflight_get(nd);
	if (unlikely(!table))
		noclone_count(nd, NOCLONE_SUSPENDING);
unlock:
	rcu_read_unlock_sched();
	return table;
}

/* Handle all bios that the common path rejects, and count the reason. */
static noinline void noclone_fastpath_submit_other(struct bio *bio)
{
	const struct noclone_table *table;
	enum noclone_counter result;
	struct noclone_dev *nd;
	bool plain = false;

	if (unlikely(bio->bi_opf & REQ_POLLED))
		noclone_polled_enter(bio);
	table = noclone_fastpath_begin(bio, &plain);
	if (likely(table)) {
		nd = table->nd;
		result = plain ? noclone_fastpath_try(nd, table, bio) :
			noclone_fastpath_try_other(nd, table, bio);
		if (likely(result == NOCLONE_FAST))
			return;
		noclone_count(nd, result);
		/* If the result is false, a worker has the bio, and dm core must not get it */
		if (unlikely(bio->bi_opf & REQ_POLLED) &&
		    !noclone_polled_pass(nd, bio, result))
			return;
		noclone_inflight_put(nd);
	}
	/*
	 * This is a tail call (see Kbuild and noclone_fops_find_tail_call()): dm core may sleep,
	 * and synchronize_rcu_tasks() assumes that a sleeping task has left our code.
	 */
	NOCLONE_MUSTTAIL return noclone_fops_dm->submit_bio(bio);
}

/*
 * The common path: a plain bio within a segment, for which the cache of this CPU has an object. Any
 * other bio is handled from the start by noclone_fastpath_submit_other(), and is not counted here.
 */
static void noclone_fastpath_submit_bio(struct bio *bio)
{
	const struct noclone_table *table;
	const struct noclone_segment *s;
	struct noclone_dev *nd;
	struct noclone_io *io;

	rcu_read_lock_sched();
	/* noclone_fastpath_attach() has stored nd here; NULL if no table is attached */
	nd = READ_ONCE(bdev_get_queue(bio->bi_bdev)->queuedata);
	if (unlikely(!nd || !noclone_plain_is(nd, bio, REQ_POLLED, NOCLONE_ENDIO_FLAGS)))
		goto other;
	table = rcu_dereference_sched(nd->live);
	if (unlikely(!table || READ_ONCE(*nd->stats_bytes)))
		goto other;
	s = noclone_fastpath_find_segment(table, bio);
	if (unlikely(!s || !s->leg))
		goto other;
	io = noclone_io_pop();
	if (unlikely(!io))
		goto other;
	noclone_inflight_begin(nd);
	noclone_count(nd, NOCLONE_FAST);
	rcu_read_unlock_sched();
	noclone_fastpath_submit_remapped(bio, io, s, noclone_fastpath_end_io);
	return;
other:
	rcu_read_unlock_sched();
	/*
	 * This is a tail call, like the call of dm core in noclone_fastpath_submit_other(): the
	 * called function may end the bio, or may sleep in dm core
	 */
	NOCLONE_MUSTTAIL return noclone_fastpath_submit_other(bio);
}

void __init noclone_fastpath_init(void)
{
	struct bio child, parent;

	bio_init(&parent, NULL, NULL, 0, REQ_OP_READ);
	bio_init(&child, NULL, NULL, 0, REQ_OP_READ);
	bio_chain(&child, &parent);
	noclone_fastpath_chain_endio = child.bi_end_io;
	bio_uninit(&child);
	bio_uninit(&parent);

	noclone_fops_init(noclone_fastpath_submit_bio, noclone_polled_poll_bio);
}

/*
 * When no device is left, wait until no task executes our code: a task may still be preempted in it
 * (A34, A35). Context: unloading of the module; may sleep long.
 */
void noclone_fastpath_quiesce(void)
{
	/*
	 * Wait for tasks that end a sentinel: they may sleep inside of rcu_read_lock(), and
	 * synchronize_rcu_tasks() does not wait for a task that sleeps
	 */
	synchronize_rcu();
	synchronize_rcu_tasks();
	synchronize_rcu();
}
