// SPDX-License-Identifier: GPL-2.0-only
/*
 * noclone-file: who works on commands.
 *
 * A command first goes to the lane of its CPU, together with what arrived in
 * the same plug, so that a burst costs one wake-up.  The lane's worker tries
 * each without blocking.  What would block goes elsewhere: reads and flushes
 * each to a worker of its own, writes one after another to a thread, because
 * they would only wait for the same lock of the inode.
 *
 * Each line has its own workqueue with a rescuer: a command may wait for I/O on
 * another noclone-file device below, whose workers must not be the same.  Writes
 * have a thread: a file system that runs out of space waits for workqueues that
 * have no rescuer (xfs_flush_inodes()), and who has one must not.
 */
#include "file.h"

#include <linux/blk-cgroup.h>
#include <linux/cgroup.h>
#include <linux/memcontrol.h>
#include <linux/sched/mm.h>

/* Commands that may block at the same time, per line */
#define NOCLONE_MAX_BLOCKED	32

/* Memory and I/O that a command costs are its owner's. */
struct noclone_charge {
	bool blkcg;
	struct cgroup_subsys_state *memory;
	struct mem_cgroup *before;
};

static void noclone_charge_begin(struct noclone_charge *c, struct bio *bio)
{
	struct cgroup_subsys_state *css __maybe_unused = bio_blkcg_css(bio);

	memset(c, 0, sizeof(*c));
#if IS_ENABLED(CONFIG_BLK_CGROUP)
	if (!css || !css->parent)
		return;
	kthread_associate_blkcg(css);
	c->blkcg = true;
#ifdef CONFIG_MEMCG
	c->memory = cgroup_get_e_css(css->cgroup, &memory_cgrp_subsys);
	c->before = set_active_memcg(mem_cgroup_from_css(c->memory));
#endif
#endif
}

static void noclone_charge_end(struct noclone_charge *c)
{
	if (!c->blkcg)
		return;
	kthread_associate_blkcg(NULL);
	if (c->memory) {
		set_active_memcg(c->before);
		css_put(c->memory);
	}
}

/*
 * As the loop driver's worker: dirty pages of the file are not this thread's
 * to wait for, and reclaim must not come back to the mapped device.
 */
static unsigned int noclone_worker_begin(void)
{
	unsigned int before = current->flags;

	current->flags |= PF_LOCAL_THROTTLE | PF_MEMALLOC_NOIO;
	return before;
}

static void noclone_worker_end(unsigned int before)
{
	current_restore_flags(before, PF_LOCAL_THROTTLE | PF_MEMALLOC_NOIO);
}

static void noclone_worker_do(struct noclone_cmd *cmd, bool attempt)
{
	struct noclone_charge charge;

	noclone_charge_begin(&charge, cmd->bio);
	noclone_cmd_do(cmd, attempt);
	/* The command may be gone */
	noclone_charge_end(&charge);
}

static void noclone_worker_do_one(struct noclone_cmd *cmd)
{
	unsigned int flags = noclone_worker_begin();

	noclone_worker_do(cmd, false);
	noclone_worker_end(flags);
}

static void noclone_cmd_work(struct work_struct *work)
{
	noclone_worker_do_one(container_of(work, struct noclone_cmd, work));
}

static void noclone_write_work(struct kthread_work *work)
{
	noclone_worker_do_one(container_of(work, struct noclone_cmd, write));
}

/**
 * noclone_cmd_block - go on with a command where it may block
 * @cmd: command that nobody works on
 *
 * Context: any.
 */
void noclone_cmd_block(struct noclone_cmd *cmd)
{
	struct bio *bio = cmd->bio;

	noclone_file_count(cmd->file, NOCLONE_FILE_BLOCKED);
	if (op_is_write(bio_op(bio)) && bio->bi_iter.bi_size) {
		kthread_init_work(&cmd->write, noclone_write_work);
		kthread_queue_work(cmd->file->writer, &cmd->write);
		return;
	}
	INIT_WORK(&cmd->work, noclone_cmd_work);
	queue_work(cmd->file->wq, &cmd->work);
}

static void noclone_lane_work(struct work_struct *work)
{
	struct noclone_lane *lane = container_of(work, struct noclone_lane,
						 work);
	unsigned int flags = noclone_worker_begin();
	struct noclone_cmd *cmd, *next;
	struct llist_node *list;

	noclone_file_count(lane->file, NOCLONE_FILE_BATCHES);
	list = llist_reverse_order(llist_del_all(&lane->todo));
	llist_for_each_entry_safe(cmd, next, list, llist) {
		noclone_worker_do(cmd, true);
		cond_resched();
	}
	noclone_worker_end(flags);
}

/**
 * noclone_lane_add - hand commands over to the worker of this CPU
 * @f: line
 * @newest: the last one of a list
 * @oldest: to which it leads
 *
 * Context: any.
 */
void noclone_lane_add(struct noclone_file *f, struct noclone_cmd *newest,
		      struct noclone_cmd *oldest)
{
	struct noclone_lane *lane = raw_cpu_ptr(f->lanes);

	if (llist_add_batch(&newest->llist, &oldest->llist, &lane->todo))
		queue_work(f->wq, &lane->work);
}

/**
 * noclone_cmd_retry - attempt a command again
 * @cmd: command that nobody works on
 *
 * Context: any.
 */
void noclone_cmd_retry(struct noclone_cmd *cmd)
{
	noclone_lane_add(cmd->file, cmd, cmd);
}

/**
 * noclone_file_counter - what status shows
 * @f: line
 * @which: counter
 */
unsigned long noclone_file_counter(const struct noclone_file *f,
				   enum noclone_file_counter which)
{
	unsigned long sum = 0;
	int cpu;

	for_each_possible_cpu(cpu) {
		sum += per_cpu_ptr(f->counters, cpu)->n[which];
		if (which == NOCLONE_FILE_INFLIGHT)
			sum -= per_cpu_ptr(f->counters, cpu)->ended;
	}
	return sum;
}

static void noclone_lane_init(struct noclone_lane *lane, struct noclone_file *f)
{
	init_llist_head(&lane->todo);
	INIT_WORK(&lane->work, noclone_lane_work);
	lane->file = f;
}

/**
 * noclone_workers_init - make workers for a line
 * @f: line; undone by noclone_workers_exit()
 *
 * Return: 0 or -ENOMEM with ti->error set.
 */
int noclone_workers_init(struct noclone_file *f)
{
	int cpu;

	f->lanes = alloc_percpu(struct noclone_lane);
	f->wq = alloc_workqueue("dm_noclone_%s",
				WQ_UNBOUND | WQ_MEM_RECLAIM,
				NOCLONE_MAX_BLOCKED,
				dm_table_device_name(f->ti->table));
	f->writer = kthread_run_worker(0, "dm_noclone/%s",
				       dm_table_device_name(f->ti->table));
	if (!f->lanes || !f->wq || IS_ERR(f->writer))
		return noclone_refuse(f, -ENOMEM,
				      "Not enough memory for the workers");
	for_each_possible_cpu(cpu)
		noclone_lane_init(per_cpu_ptr(f->lanes, cpu), f);
	return 0;
}

/**
 * noclone_workers_exit - undo noclone_workers_init(), also if that failed
 * @f: line without a command in flight
 *
 * Workers may still be on their way out.
 */
void noclone_workers_exit(struct noclone_file *f)
{
	if (!IS_ERR_OR_NULL(f->writer))
		kthread_destroy_worker(f->writer);
	if (f->wq)
		destroy_workqueue(f->wq);
	free_percpu(f->lanes);
}
