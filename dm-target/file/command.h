/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef DM_NOCLONE_COMMAND_H
#define DM_NOCLONE_COMMAND_H

#include <linux/fs.h>
#include <linux/kthread.h>
#include <linux/llist.h>
#include <linux/pagemap.h>
#include <linux/percpu.h>
#include <linux/workqueue.h>

#include "noclone-file.h"

struct noclone_dev;

/* A bio on its way through the file system */
struct noclone_cmd {
	struct kiocb iocb;
	struct noclone_file_c *fc;
	struct bio *bio;		/* the submitter's, or a clone of dm core */
	struct noclone_dev *nd;		/* NULL: @bio is a clone */
	unsigned long start;		/* jiffies; submitter's bio only */
	bool accounted;			/* bdev_end_io_acct() has to follow; likewise */
	atomic_t refs;			/* one for the caller, one for the completion */
	u32 done;			/* bytes of the bio */
	errseq_t since;			/* FUA: later errors of the page cache are its own */
	long result;			/* of the last call */
	bool nowait;			/* that call must not block */
	bool begun_write;		/* file system freeze protection is held */
	struct llist_node llist;	/* in a plug or a per-CPU queue */
	union {
		struct work_struct work;	/* reads and flushes that may block */
		struct kthread_work write;	/* writes that may block */
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

#endif /* DM_NOCLONE_COMMAND_H */
