/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Count the bios on the fast path of a device: per CPU, one count of bios that begin and one of
 * bios that are done, without atomic operations.
 *
 * Invariant: a grace period after nd->live is cleared, @begun does not grow any more, and the sums
 * are equal when the last bio is done, on any CPU. Locks: none. A submitter switches preemption
 * off, reads nd->live, and counts. A completion switches preemption off, counts, and reads
 * nd->live. Nothing in these two sections sleeps.
 *
 * Documentation/design/fastpath.rst, A7 and A8.
 */
#ifndef DM_NOCLONE_INFLIGHT_H
#define DM_NOCLONE_INFLIGHT_H

#include "device-state.h"

#include <linux/rcupdate.h>

/*
 * Count a bio as begun. Context: the caller has found nd->live set in the same section of
 * rcu_read_lock_sched().
 */
static inline void noclone_inflight_begin(struct noclone_dev *nd)
{
	this_cpu_inc(nd->counters->begun);
}

/*
 * Count a bio as begun, if a table is live. Return: the live table, valid until
 * noclone_inflight_put(), or NULL. Context: inside of rcu_read_lock_sched().
 */
static inline const struct noclone_table *
noclone_inflight_get(struct noclone_dev *nd)
{
	const struct noclone_table *table = rcu_dereference_sched(nd->live);

	if (likely(table))
		noclone_inflight_begin(nd);
	return table;
}

/*
 * End the sentinel if a suspend waits for the sentinel and all bios are done. The sentinel is a bio
 * of ours in dm core, see sentinel.c.
 */
void noclone_inflight_end_sentinel(struct noclone_dev *nd);

/*
 * Count a bio as done. If a suspend waits only for this bio, let the suspend continue. @nd may be
 * freed as soon as this function returns. Context: any context in which a bio may be completed.
 */
static inline void noclone_inflight_put(struct noclone_dev *nd)
{
	/*
	 * The targets of the device may be freed once the bio is counted: all accesses to them and
	 * to the bio come before the count. Pairs with noclone_inflight_try_end_drain(). x86 needs
	 * no instruction for this order. smp_mb__before_atomic() does not serve here, because the
	 * increment is no atomic operation.
	 */
	if (IS_ENABLED(CONFIG_X86))
		barrier();
	else
		smp_mb(); /* pairs with noclone_inflight_try_end_drain() */
	rcu_read_lock_sched();
	this_cpu_inc(nd->counters->done);
	if (unlikely(!rcu_access_pointer(nd->live))) {
		/*
		 * Turn preemption on first: ending a sentinel takes locks, which sleep on
		 * PREEMPT_RT
		 */
		rcu_read_lock();
		rcu_read_unlock_sched();
		noclone_inflight_end_sentinel(nd);
		rcu_read_unlock();
		return;
	}
	rcu_read_unlock_sched();
}

/*
 * Return: the number of bios in flight. A bio begins before it is done, so with this order of the
 * two sums the result is never negative. A bio that begins between the two sums counts as in
 * flight, even if it is done before the end.
 */
static inline unsigned long noclone_inflight_count(const struct noclone_dev *nd)
{
	unsigned long begun = 0, done = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		done += READ_ONCE(per_cpu_ptr(nd->counters, cpu)->done);
	/* Pairs with noclone_inflight_put() */
	smp_rmb();
	for_each_possible_cpu(cpu)
		begun += READ_ONCE(per_cpu_ptr(nd->counters, cpu)->begun);
	return begun - done;
}

static inline bool noclone_inflight_is_zero(const struct noclone_dev *nd)
{
	return !noclone_inflight_count(nd);
}

/* Let no bio begin any more. Context: nd->lock is held. */
static inline void noclone_inflight_stop(struct noclone_dev *nd)
{
	RCU_INIT_POINTER(nd->live, NULL);
	WRITE_ONCE(nd->draining, true);
}

/*
 * Clear @draining if all bios are done. Return: true if they are: the caller may free the memory
 * that the bios used. Context: a grace period after noclone_inflight_stop(); or any context, if the
 * result is not used.
 */
static inline bool noclone_inflight_try_end_drain(struct noclone_dev *nd)
{
	if (READ_ONCE(nd->draining)) {
		if (!noclone_inflight_is_zero(nd))
			return false;
		/* Pairs with noclone_inflight_put() */
		smp_acquire__after_ctrl_dep();
		WRITE_ONCE(nd->draining, false);
	}
	return true;
}

#endif /* DM_NOCLONE_INFLIGHT_H */
