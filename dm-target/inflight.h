/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Who is on the fast path of a device: one count per CPU of bios that begin,
 * one of bios that are done, and no atomic operation on either.
 *
 * Why the wait in noclone_drain() ends neither too early nor never
 *
 *  - A bio that begins finds the device, reads nd->live and counts itself in one
 *    section without preemption. synchronize_rcu() waits for those sections:
 *    after it, whoever saw a table is in the sum of @begun, and nobody adds to it
 *    any more. Whoever saw none is done with the device when his section ends.
 *  - From then on only @done grows, so the first sum that is equal is the last
 *    bio. It may be counted on another CPU than it began on; the sum is right.
 *  - A bio that is done counts itself and then reads nd->live, in one section
 *    again. If it still saw the table, the section was over before the sums
 *    were taken. If not, it wakes the waiter; the barriers of rcuwait order the
 *    count before the look for a waiter.
 *
 * Nothing in the sections may sleep on any kernel: rcuwait takes no lock. dm
 * core counts its own bios in flight per CPU as well (md->pending_io). A
 * percpu_ref did the same here before, with two function calls on each side.
 */
#ifndef DM_NOCLONE_INFLIGHT_H
#define DM_NOCLONE_INFLIGHT_H

#include "core.h"

#include <linux/rcupdate.h>
#include <linux/rcuwait.h>

/**
 * noclone_get - begin with a bio, if the fast path takes any
 * @nd: mapped device
 *
 * Context: an RCU section of the sched kind.
 * Return: the live table, valid until noclone_put(), or NULL.
 */
static inline const struct noclone_table *noclone_get(struct noclone_dev *nd)
{
	const struct noclone_table *table = rcu_dereference_sched(nd->live);

	if (likely(table))
		this_cpu_inc(nd->counters->begun);
	return table;
}

/**
 * noclone_put - be done with a bio
 * @nd: mapped device; may go away as soon as this returns
 *
 * Context: any.
 */
static inline void noclone_put(struct noclone_dev *nd)
{
	rcu_read_lock_sched();
	this_cpu_inc(nd->counters->done);
	if (unlikely(!rcu_access_pointer(nd->live)))
		rcuwait_wake_up(&nd->drainer);
	rcu_read_unlock_sched();
}

static inline bool noclone_is_drained(struct noclone_dev *nd)
{
	unsigned long begun = 0, done = 0;
	int cpu;

	for_each_possible_cpu(cpu) {
		begun += READ_ONCE(per_cpu_ptr(nd->counters, cpu)->begun);
		done += READ_ONCE(per_cpu_ptr(nd->counters, cpu)->done);
	}
	return begun == done;
}

/**
 * noclone_drain - let no bio begin any more, wait for those that have
 * @nd: mapped device with a live table
 *
 * Stock waits interruptibly for its clones; .presuspend cannot fail, so here a
 * signal cannot end it. It is an idle wait: a leg that is stuck is neither load
 * nor a hung task to panic about.
 *
 * Context: nd->lock is held. Sleeps, not interruptible.
 */
static inline void noclone_drain(struct noclone_dev *nd)
{
	RCU_INIT_POINTER(nd->live, NULL);
	synchronize_rcu();
	rcuwait_wait_event(&nd->drainer, noclone_is_drained(nd),
			   TASK_IDLE);
}

#endif /* DM_NOCLONE_INFLIGHT_H */
