// SPDX-License-Identifier: GPL-2.0-only
/*
 * noclone-file: the workers that execute commands.
 *
 * A command first goes to the queue of its CPU, together with the others of the same plug, so that
 * a burst costs one wake-up. The queue's worker tries each command without blocking. A read that
 * would block, and each flush, then gets a work item of its own. Writes that would block go to one
 * thread, which executes them one after another, because parallel writes would only wait for the
 * same inode lock.
 *
 * Each target has its own workqueue, with a rescuer: a command may wait for I/O of another
 * noclone-file device below, which must not need the same workers. Blocking writes have a thread
 * instead, because a file system that runs out of space flushes workqueues that have no rescuer
 * (xfs_flush_inodes()). A work item on a workqueue with a rescuer must not flush a workqueue
 * without a rescuer (check_flush_dependency()).
 */
#include "worker.h"
#include "file-cmd.h"

#include <linux/blk-cgroup.h>
#include <linux/cgroup.h>
#include <linux/memcontrol.h>
#include <linux/sched/mm.h>

/* The most work items of a target that may block at the same time */
#define NOCLONE_MAX_BLOCKING	32

struct noclone_worker_queue {
	struct llist_head todo;		/* last in, first out */
	struct work_struct work;
	struct noclone_file_c *fc;
};

/* Memory and I/O of a command are charged to the cgroup of its submitter. */
struct noclone_charge {
	bool blkcg;
	struct cgroup_subsys_state *memory;
	struct mem_cgroup *before;
};

static void noclone_worker_charge(struct noclone_charge *c, struct bio *bio)
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

static void noclone_worker_uncharge(struct noclone_charge *c)
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
 * This thread must not be throttled for dirty pages of the backing file, and its reclaim must
 * not issue I/O to the mapped device. The loop driver does the same.
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

static void noclone_worker_do(struct noclone_cmd *cmd, bool nowait)
{
	struct noclone_charge charge;

	noclone_worker_charge(&charge, cmd->bio);
	noclone_cmd_do(cmd, nowait);
	/* The command may have been freed */
	noclone_worker_uncharge(&charge);
}

static void noclone_worker_do_blocking(struct noclone_cmd *cmd)
{
	unsigned int flags = noclone_worker_begin();

	noclone_worker_do(cmd, false);
	noclone_worker_end(flags);
}

static void noclone_worker_cmd_work(struct work_struct *work)
{
	noclone_worker_do_blocking(container_of(work, struct noclone_cmd, work));
}

static void noclone_worker_write_work(struct kthread_work *work)
{
	noclone_worker_do_blocking(container_of(work, struct noclone_cmd, write));
}

/* Queue a command where it may block. Context: any. */
void noclone_worker_block(struct noclone_cmd *cmd)
{
	struct bio *bio = cmd->bio;

	noclone_cmd_count(cmd->fc, NOCLONE_FILE_BLOCKED);
	if (op_is_write(bio_op(bio)) && bio->bi_iter.bi_size) {
		kthread_init_work(&cmd->write, noclone_worker_write_work);
		kthread_queue_work(cmd->fc->writer, &cmd->write);
		return;
	}
	INIT_WORK(&cmd->work, noclone_worker_cmd_work);
	queue_work(cmd->fc->wq, &cmd->work);
}

static void noclone_worker_queue_work(struct work_struct *work)
{
	struct noclone_worker_queue *queue =
		container_of(work, struct noclone_worker_queue, work);
	unsigned int flags = noclone_worker_begin();
	struct noclone_cmd *cmd, *next;
	struct llist_node *list;

	noclone_cmd_count(queue->fc, NOCLONE_FILE_BATCHES);
	list = llist_reverse_order(llist_del_all(&queue->todo));
	llist_for_each_entry_safe(cmd, next, list, llist) {
		noclone_worker_do(cmd, true);
		cond_resched();
	}
	noclone_worker_end(flags);
}

/*
 * Queue commands, linked from @newest to @oldest, on this CPU, where they are tried without
 * blocking. Context: any.
 *
 * Only the task that finds the queue empty wakes the worker. Preemption is off from the queueing to
 * the wake-up: otherwise the commands of a task of higher priority would wait for the wake-up by
 * this task. In between, another worker may end the last command; dm core waits for sections
 * without preemption before it destroys @fc.
 */
void noclone_worker_add(struct noclone_file_c *fc, struct noclone_cmd *newest,
			struct noclone_cmd *oldest)
{
	struct noclone_worker_queue *queue = get_cpu_ptr(fc->queues);

	if (llist_add_batch(&newest->llist, &oldest->llist, &queue->todo))
		queue_work(fc->wq, &queue->work);
	put_cpu_ptr(fc->queues);
}

static void noclone_worker_requeue(struct noclone_cmd *cmd, bool nowait)
{
	if (nowait)
		noclone_worker_add(cmd->fc, cmd, cmd);
	else
		noclone_worker_block(cmd);
}

static void noclone_worker_init_queue(struct noclone_worker_queue *queue,
				      struct noclone_file_c *fc)
{
	init_llist_head(&queue->todo);
	INIT_WORK(&queue->work, noclone_worker_queue_work);
	queue->fc = fc;
}

/* Return: 0, or -ENOMEM with ti->error set. */
int noclone_worker_init(struct noclone_file_c *fc)
{
	int cpu;

	fc->requeue = noclone_worker_requeue;
	fc->queues = alloc_percpu(struct noclone_worker_queue);
	fc->wq = alloc_workqueue("dm_noclone_%s",
				 WQ_UNBOUND | WQ_MEM_RECLAIM,
				 NOCLONE_MAX_BLOCKING,
				 dm_table_device_name(fc->ti->table));
	fc->writer = kthread_run_worker(0, "dm_noclone/%s",
					dm_table_device_name(fc->ti->table));
	if (!fc->queues || !fc->wq || IS_ERR(fc->writer))
		return noclone_refuse(fc, -ENOMEM,
				      "Not enough memory for the workers");
	for_each_possible_cpu(cpu)
		noclone_worker_init_queue(per_cpu_ptr(fc->queues, cpu), fc);
	return 0;
}

/*
 * Undo noclone_worker_init(), even after it has failed. No command is in flight, but workers may
 * not have returned yet.
 */
void noclone_worker_exit(struct noclone_file_c *fc)
{
	if (!IS_ERR_OR_NULL(fc->writer))
		kthread_destroy_worker(fc->writer);
	if (fc->wq)
		destroy_workqueue(fc->wq);
	flush_work(&fc->follow_up);
	free_percpu(fc->queues);
}
