/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef DM_NOCLONE_FILE_CMD_H
#define DM_NOCLONE_FILE_CMD_H

#include <linux/fs.h>
#include <linux/kthread.h>
#include <linux/llist.h>
#include <linux/pagemap.h>
#include <linux/percpu.h>
#include <linux/workqueue.h>

#include "file-state.h"

struct noclone_dev;

/* A command: a bio on its way through the file system */
struct noclone_cmd {
	struct kiocb iocb;
	struct noclone_file_c *fc;
	struct bio *bio;		/* the submitter's bio, or a clone of dm core */
	struct noclone_dev *nd;		/* NULL: @bio is a clone */
	unsigned long start;		/* jiffies when it began; for a submitter's bio only */
	/* bdev_end_io_acct() has to follow; for a submitter's bio only */
	bool accounted;
	/* One reference belongs to the task that made the call, and the other to the completion */
	atomic_t refs;
	u32 done;			/* bytes of the bio that are done */
	errseq_t since;			/* a FUA write fails if the page cache has a later error */
	long result;			/* bytes or errno that the last call returned */
	bool nowait;			/* the last call must not block */
	bool begun_write;		/* the file system cannot be frozen before the call ends */
	struct llist_node llist;	/* link in a plug or in a per-CPU queue */
	union {
		struct work_struct work;	/* for a read or flush that may block */
		struct kthread_work write;	/* for a write that may block */
	};
	struct wait_page_queue wait;
};

extern struct kmem_cache *noclone_cmd_slab;

static inline void noclone_cmd_count(struct noclone_file_c *fc,
				     enum noclone_file_counter which)
{
	this_cpu_inc(fc->counters->n[which]);
}

int noclone_cmd_init(void);
void noclone_cmd_exit(void);

void noclone_cmd_do(struct noclone_cmd *cmd, bool nowait);
void noclone_cmd_prepare(struct noclone_cmd *cmd, int flags, bool async);
ssize_t noclone_cmd_call(struct noclone_cmd *cmd, struct iov_iter *iter);
void noclone_cmd_complete(struct noclone_cmd *cmd, long result);

#endif /* DM_NOCLONE_FILE_CMD_H */
