// SPDX-License-Identifier: GPL-2.0-only
/*
 * For tests: a kernel thread that is always busy, until rmmod. On a preemptible kernel, other tasks
 * run beside the thread, but no grace period of Tasks RCU ends.
 *
 * The thread can be preempted in preempt_enable(). User-mode Linux does not preempt a task of the
 * kernel after a timer interrupt.
 */
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/preempt.h>
#include <linux/sched.h>

static struct task_struct *busy_task;

static int busy_run(void *unused)
{
	while (!kthread_should_stop()) {
		preempt_disable();
		cpu_relax();
		preempt_enable();
	}
	return 0;
}

static int __init busy_init(void)
{
	busy_task = kthread_run(busy_run, NULL, "noclone-busy");
	return PTR_ERR_OR_ZERO(busy_task);
}

static void __exit busy_exit(void)
{
	kthread_stop(busy_task);
}

module_init(busy_init);
module_exit(busy_exit);

MODULE_DESCRIPTION("Keeps a processor busy; for the tests of dm-noclone");
MODULE_LICENSE("GPL");
