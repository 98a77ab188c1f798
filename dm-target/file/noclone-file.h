/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * noclone-file: a regular file as a block device.
 *
 *	target.c	the target: table, limits
 *	status-line.c	its status and table lines
 *	extent.c	the engine that bypasses the file system
 *	extent-read.c	where a file is on its disk
 *	engines.c	the engines that use it: direct, buffered, sync, null
 *	submit.c	how bios become commands
 *	worker.c	the threads that execute commands
 *	command.c	one command: calls of the file system, completion
 *	backing-file.c	the file: checks, users
 *	backing-limits.c  its size, and the alignment of its I/O
 *	pin.c		keeping the file where it is on its disk
 *
 * Only workers call the file system, never the submitter of a bio: it may be inside a
 * transaction of an upper file system (current->journal_info), hold back bios
 * that only go out when submit_bio() returns, or be short of stack.
 * Documentation/design/submitter.rst has the argument.
 *
 * Locks, outermost first:
 *	md->suspend_lock (dm core), around .preresume, which alone pins
 *	backing->mark_lock	the swap-file mark in the inode
 *	inode->i_rwsem		of the backing file; only tried, except by constructors
 *				and by the work item that verifies extents
 *
 *	noclone_backing_lock	list of backing files and their users. Do not wait
 *				while holding it.
 */
#ifndef DM_NOCLONE_FILE_H
#define DM_NOCLONE_FILE_H

#include <linux/completion.h>
#include <linux/device-mapper.h>
#include <linux/kthread.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/path.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include "../include/dm-noclone.h"

struct bio;
struct iov_iter;
struct noclone_cmd;
struct noclone_file_c;
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

enum noclone_engine_id {
#define X(name, word, text) NOCLONE_ENGINE_##name,
	NOCLONE_ENGINES(X)
#undef X
	NOCLONE_NR_ENGINES
};

/* A way to do the I/O of a file */
struct noclone_engine {
	enum noclone_engine_id id;
	bool direct;		/* bypasses the page cache: I/O has to be aligned */
	bool pins;		/* bypasses the file system: the file must not move on its disk */
	bool nowait_writes;	/* @nowait also makes sense for writes */
	/*
	 * A dm target's .map. Never sleeps, never fails for want of memory, and
	 * does not call the file system.
	 */
	int (*map)(struct noclone_file_c *fc, struct bio *bio);
	/*
	 * Begin a read or write, without blocking if possible, because other
	 * commands wait for the same worker. Returns as kiocb functions do;
	 * -EAGAIN leads to @blocking. May be NULL.
	 */
	ssize_t (*nowait)(struct noclone_cmd *cmd, struct iov_iter *iter);
	/*
	 * The same from a worker that may block. Both may return -EIOCBQUEUED
	 * and end the command later, from any context, by
	 * noclone_cmd_complete().
	 */
	ssize_t (*blocking)(struct noclone_cmd *cmd, struct iov_iter *iter);
};

/* How the file system puts a FUA write on disk */
enum noclone_fua {
	NOCLONE_FUA_NONE,		/* not at all: it has no fsync() */
	NOCLONE_FUA_DSYNC,		/* the write has IOCB_DSYNC */
	NOCLONE_FUA_FSYNC,		/* fsync() follows the write */
	NOCLONE_FUA_FDATASYNC,		/* fdatasync() follows the write, and is a flush as well */
	NOCLONE_FUA_DSYNC_FSYNC,	/* the write has IOCB_DSYNC, and fsync() follows */
};

/*
 * A file in use, shared by all targets of one mapped device that use it. Another device
 * has its own, if all of their targets only read, through the file system.
 */
struct noclone_backing {
	struct list_head node;		/* in the list of all */
	struct inode *inode;		/* identity */
	struct file *file;		/* the only one of ours that may be writable: see pin.c */
	struct gendisk *disk;		/* mapped device */
	struct list_head users;		/* targets; those of one table in ascending order */
	struct mutex mark_lock;		/* serialises pinning and unmarking */
	bool marked;			/* S_SWAPFILE is set, by us */
	bool pinned;			/* marked, and open for writing nowhere else */
	bool ran;			/* bios have bypassed the page cache since the last pin */
	bool dying;			/* the last user is releasing it */
	errseq_t reported;		/* errors of the page cache that a flush has reported */
	errseq_t fua_errors;		/* failed syncs that FUA writes have reported */
	errseq_t fua_reported;		/* the part of @fua_errors that a flush has reported */
	u32 pin_nr;			/* times pinned */
	unsigned long seen;		/* sectors written before pages were last dropped */
	unsigned long told;		/* @seen when the file's times were set last */
};

/* ti->private of noclone-file */
struct noclone_file_c {
	struct dm_target *ti;
	const struct noclone_engine *engine;	/* in use */
	const struct noclone_engine *requested;	/* by the table; "extent" may be replaced */
	struct file *file;		/* @backing may have got a writable one since */
	struct file *again;		/* of the same file, for the extents; or NULL */
	sector_t start;			/* first sector used in the file */
	char *path;			/* as in the table, decoded */
	struct path where;		/* keeps the mount busy */

	struct noclone_backing *backing;
	struct list_head user;		/* in backing->users */
	u32 align;			/* bytes; of offset and length of direct I/O */
	u32 memalign;			/* bytes; of its memory */
	const char *align_from;		/* source of @align, for status */
	enum noclone_fua fua;
	bool needs_flush;		/* the disk, after each sync of the file */
	dev_t st_dev;			/* as stat(2) gives it */
	unsigned long long st_ino;
	u32 extents;			/* 0: not read */
	const char *refused;		/* why @engine is not @requested, or NULL */
	u32 pin_nr;			/* pin under which the extents were verified; 0: none */
	struct work_struct verify;	/* compares extents, on behalf of .preresume */
	u32 verify_nr;			/* pin for which it does */
	bool verifying;			/* queued and not finished */
	struct completion verified;
	const char *verdict;		/* NULL, or the problem; valid if not @verifying */
	struct work_struct settle;	/* sleeping work after pinning, unpinning and flushes */
	struct kthread_work drop;	/* drops cached pages of a pinned file, for @writer */
	atomic_t drops;			/* number of runs that have begun */
	u32 dropped;			/* number of the last run that has ended */
	wait_queue_head_t drop_wait;	/* for that */
	struct noclone_target *target;	/* for the fast path; has a leg if @requested pins */
	struct dm_dev below;		/* disk of the file system; not opened by dm */
	bool no_fastpath;
	bool resumed;			/* once: dm core has read its limits */

	struct noclone_file_counters __percpu *counters;
	struct workqueue_struct *wq;	/* not shared: commands may wait for lower noclone-files */
	struct noclone_worker_queue __percpu *queues;
	/* nowait attempts still to skip after -EAGAIN, per direction */
	int nowait_backoff[2];
	struct kthread_worker *writer;	/* blocking writes, one by one; and @drop */
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
