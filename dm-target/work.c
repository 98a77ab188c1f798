// SPDX-License-Identifier: GPL-2.0-only
/* The workqueue for work that may sleep, and for which no I/O waits, such as dm_table_event(). */
#include "work.h"

#include <linux/init.h>
#include <linux/workqueue.h>

static struct workqueue_struct *noclone_work_wq;

/*
 * Queue work for which no I/O waits, because the workqueue has no rescuer: if memory is short, the
 * work may wait long for a worker. The owner of the work flushes it before the work is freed.
 * Context: any.
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
