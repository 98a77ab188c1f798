// SPDX-License-Identifier: GPL-2.0-only
/* The workqueue for work that sleeps and that no I/O waits for, such as dm_table_event(). */
#include "work.h"

#include <linux/init.h>
#include <linux/workqueue.h>

static struct workqueue_struct *noclone_work_wq;

/*
 * Queue work that no I/O waits for: if memory is short, the work waits for a worker. The owner of
 * the work flushes it. Context: any.
 */
void noclone_work_queue(struct work_struct *work)
{
	queue_work(noclone_work_wq, work);
}

int __init noclone_work_init(void)
{
	noclone_work_wq = alloc_workqueue("dm_noclone", WQ_UNBOUND, 0);
	return noclone_work_wq ? 0 : -ENOMEM;
}

void noclone_work_exit(void)
{
	destroy_workqueue(noclone_work_wq);
}
