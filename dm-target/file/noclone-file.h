/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * noclone-file: a regular file as a block device.
 *
 *	target.c	the target: table, limits
 *	status-line.c	what it prints
 *	extent.c	the engine that bypasses the file system
 *	engines.c	the engines that use it: direct, buffered, sync, null
 *	submit.c	how bios become commands
 *	worker.c	the threads that execute commands
 *	command.c	one command: calls of the file system, completion
 *	backing-file.c	the file: checks, alignment, who uses it
 *	pin.c		keeping the file where it is on its disk
 *
 * A submitter of bios never calls the file system: it may be inside a
 * transaction of an upper file system (current->journal_info), hold back bios
 * that only go out when submit_bio() returns, or be short of stack. "loop:
 * improve loop aio perf by IOCB_NOWAIT" did call it, and was reverted within a
 * week (v6.19). Here workers do.
 *
 * Locks, outermost first:
 *	md->suspend_lock (dm core), around .preresume, which alone pins and unpins
 *	backing->mark_lock	the swap-file mark in the inode
 *	inode->i_rwsem		of the backing file; only constructors wait for it
 *
 *	noclone_backing_lock	list of backing files and their users. No waiting
 *				for anything while holding it.
 */
#ifndef DM_NOCLONE_FILE_H
#define DM_NOCLONE_FILE_H

#include <linux/completion.h>
#include <linux/device-mapper.h>
#include <linux/kthread.h>
#include <linux/path.h>
#include <linux/workqueue.h>

#include "../include/dm-noclone.h"

struct noclone_backing;
struct noclone_cmd;
struct noclone_engine;
struct noclone_worker_queue;

enum noclone_file_counter {
#define X(name, word, text) NOCLONE_FILE_##name,
	NOCLONE_FILE_COUNTERS(X)
#undef X
	NOCLONE_FILE_NR_COUNTERS
};

/* Per CPU. They only grow and may wrap. */
struct noclone_file_counters {
	unsigned long ended;	/* commands completed; n[INFLIGHT] counts those begun */
	unsigned long n[NOCLONE_FILE_NR_COUNTERS];
};

/* ti->private of noclone-file */
struct noclone_file_c {
	struct dm_target *ti;
	const struct noclone_engine *engine;	/* in use */
	const struct noclone_engine *requested;	/* by the table; "extent" may be replaced */
	struct file *file;		/* of which @backing has another reference */
	sector_t start;			/* first sector used in the file */
	char *path;			/* as in the table, decoded */
	struct path where;		/* keeps the mount busy */

	struct noclone_backing *backing;
	struct list_head user;		/* in backing->users */
	u32 align;			/* bytes; of offset and length of direct I/O */
	u32 memalign;			/* bytes; of its memory */
	const char *align_from;		/* source of @align, for status */
	dev_t st_dev;			/* as stat(2) gives it */
	unsigned long long st_ino;
	u32 extents;			/* 0: not read */
	const char *refused;		/* why @engine is not @requested, or NULL */
	u32 pin_nr;			/* pin under which the extents were verified; 0: none */
	struct work_struct verify;	/* compares extents, on behalf of .preresume */
	u32 verify_nr;			/* pin for which it does */
	bool verifying;			/* queued and not finished */
	struct completion verified;
	const char *verdict;		/* NULL, or what is wrong; valid if not @verifying */
	struct work_struct unmark;	/* noclone_pin_unmark(), which sleeps */
	struct noclone_target *target;	/* for the fast path; has a leg if @requested pins */
	struct dm_dev below;		/* disk of the file system; not opened by dm */
	bool no_fastpath;

	struct noclone_file_counters __percpu *counters;
	struct workqueue_struct *wq;	/* not shared: commands may wait for lower noclone-files */
	struct noclone_worker_queue __percpu *queues;
	/* nowait attempts still to skip after -EAGAIN, per direction */
	int nowait_backoff[2];
	struct kthread_worker *writer;	/* blocking writes, one by one */
	/*
	 * Queue a command again, nowait or blocking. A pointer because commands
	 * are below workers; not needed for commands that do not block.
	 */
	void (*requeue)(struct noclone_cmd *cmd, bool nowait);
};

/* For a constructor to return. */
static inline int noclone_refuse(struct noclone_file_c *fc, int error, char *why)
{
	fc->ti->error = why;
	return error;
}

#endif /* DM_NOCLONE_FILE_H */
