/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * noclone-file: a regular file as a block device.
 *
 *	file.c		the target as dm core sees it: its table and its limits
 *	status-line.c	the status line and the table line of the target
 *	extent.c	the engine "extent", which bypasses the file system
 *	extent-read.c	finds the sectors of a file on its disk
 *	engine.c	the engines that call the file system: direct, buffered, sync, null
 *	submit.c	makes commands of bios
 *	worker.c	the threads that execute commands
 *	file-cmd.c	one command: calls of the file system, completion
 *	backing-file.c	the backing file: checks, and the targets that use it
 *	backing-limits.c  the size of the backing file, and the alignment of I/O on it
 *	pin.c		keeps the blocks of a file where they are on its disk
 *
 * Only workers call the file system, never the submitter of a bio. The submitter may be inside a
 * transaction of an upper file system (current->journal_info), may be short of stack, and may hold
 * back bios that are only sent when submit_bio() returns. Documentation/design/submitter.rst has
 * the argument.
 *
 * Locks, outermost first:
 *	md->suspend_lock	dm core holds it around .preresume, the only place that pins
 *	backing->mark_lock	guards the swap-file mark in the inode
 *	inode->i_rwsem		the inode lock of the backing file. Only constructors and the
 *				work item that verifies extents wait for it; others try it.
 *
 *	noclone_backing_lock	guards the list of backing files and of their targets. Do
 *				not wait while holding it.
 */
#ifndef DM_NOCLONE_FILE_STATE_H
#define DM_NOCLONE_FILE_STATE_H

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

/* Counters of one CPU. Counters only grow, and can wrap around. */
struct noclone_file_counters {
	unsigned long ended;	/* ended commands; n[INFLIGHT] counts those that have begun */
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
	bool direct;		/* the engine bypasses the page cache: I/O has to be aligned */
	bool pins;		/* the engine bypasses the file system: the file must not move */
	bool nowait_writes;	/* @nowait is called for writes as well as for reads */
	/*
	 * The .map of the dm target. This function never sleeps, does not call the file system, and
	 * does not fail if memory is short.
	 */
	int (*map)(struct noclone_file_c *fc, struct bio *bio);
	/*
	 * Begin a read or write, without blocking if possible, because other commands wait for the
	 * same worker. The result is as for ->read_iter(); after -EAGAIN the command is tried again
	 * by @blocking. NULL if the engine has no call that does not block.
	 */
	ssize_t (*nowait)(struct noclone_cmd *cmd, struct iov_iter *iter);
	/*
	 * Execute a read or write from a worker that may block. @nowait and @blocking may return
	 * -EIOCBQUEUED and end the command later, from any context, by noclone_cmd_complete().
	 */
	ssize_t (*blocking)(struct noclone_cmd *cmd, struct iov_iter *iter);
};

/* How a FUA write is put on the disk of the file system */
enum noclone_fua {
	NOCLONE_FUA_NONE,		/* nothing is done: the file system has no fsync() */
	NOCLONE_FUA_DSYNC,		/* the write has IOCB_DSYNC */
	NOCLONE_FUA_FSYNC,		/* fsync() follows the write */
	NOCLONE_FUA_FDATASYNC,		/* fdatasync() follows the write; a flush uses it as well */
	NOCLONE_FUA_DSYNC_FSYNC,	/* the write has IOCB_DSYNC, and fsync() follows */
};

/*
 * A backing file in use. All targets of one mapped device that use the file share one struct.
 * Another device that uses the file has another struct. A second device is permitted if the targets
 * of both only read, through the file system.
 */
struct noclone_backing {
	struct list_head node;		/* in noclone_backing_list */
	struct inode *inode;		/* identifies the file */
	struct file *file;		/* our only struct file that may be writable: see pin.c */
	struct gendisk *disk;		/* the mapped device of the targets */
	struct list_head users;		/* the targets; those of one table in ascending order */
	struct mutex mark_lock;		/* serialises pinning and unmarking */
	bool marked;			/* this module has set S_SWAPFILE */
	bool pinned;			/* @marked is set, and no other program may write */
	bool ran;			/* bios have bypassed the page cache since the last pin */
	bool dying;			/* the last target is releasing the file */
	errseq_t reported;		/* the errors of the page cache that a flush has reported */
	errseq_t fua_errors;		/* the failed syncs that FUA writes have reported */
	errseq_t fua_reported;		/* the part of @fua_errors that a flush has reported */
	u32 pin_nr;			/* how often the file has been pinned */
	unsigned long noted;		/* noclone_pin_written() at the last drop of pages */
	unsigned long published;	/* value of @noted when the file's times were last set */
};

/* The part of a target that only noclone-file has, besides struct noclone_target */
struct noclone_file_c {
	struct dm_target *ti;
	const struct noclone_engine *engine;	/* the engine that does the I/O, see engine.c */
	const struct noclone_engine *requested;	/* the engine that the table asks for */
	/* The struct file for I/O. It may be read-only although backing->file is writable */
	struct file *file;
	struct file *extent_file;	/* another struct file, to read the extents; or NULL */
	sector_t start;			/* the sector of the file where the target begins */
	char *path;			/* the path in the table, decoded */
	struct path where;		/* holds the mount, which stays busy */

	struct noclone_backing *backing;
	struct list_head user;		/* link in backing->users */
	u32 align;			/* alignment of offset and length of direct I/O, in bytes */
	u32 memalign;			/* alignment of the memory of direct I/O, in bytes */
	const char *align_from;		/* the source of @align, for the status line */
	enum noclone_fua fua;
	bool needs_flush;		/* the disk gets a flush after each sync of the file */
	dev_t st_dev;			/* the file's device number, as stat(2) gives it */
	unsigned long long st_ino;
	u32 extents;			/* number of extents; 0: they were not read */
	const char *refused;		/* the reason why @engine is not @requested, or NULL */
	u32 pin_nr;			/* the pin under which the extents were verified; 0: none */
	struct work_struct verify;	/* compares extents, on behalf of .preresume */
	u32 verify_nr;			/* number of the pin for which @verify compares */
	bool verifying;			/* @verify is queued and has not ended */
	struct completion verified;
	/* Result of @verify, valid if not @verifying: NULL, or the problem that was found */
	const char *verdict;
	struct work_struct follow_up;	/* sleeping work after pinning, unpinning and flushes */
	struct kthread_work drop;	/* drops cached pages of a pinned file, for @writer */
	atomic_t drops;			/* number of runs of @drop that have begun */
	u32 dropped;			/* value of @drops in the run of @drop that ended last */
	wait_queue_head_t drop_wait;	/* flushes that wait for @dropped */
	/* ti->private. The target has a leg if @requested pins the file */
	struct noclone_target *target;
	struct dm_dev below;		/* the disk of the file system; dm has not opened it */
	bool no_fastpath;
	bool resumed;			/* resumed at least once: dm core has read the limits */

	struct noclone_file_counters __percpu *counters;
	/*
	 * Each target has its own workqueue: a command may wait for commands of a noclone-file
	 * device below
	 */
	struct workqueue_struct *wq;
	struct noclone_worker_queue __percpu *queues;
	/* After -EAGAIN: how many of the next commands skip @nowait; for reads and for writes */
	int nowait_backoff[2];
	struct kthread_worker *writer;	/* executes writes that may block, one by one, and @drop */
	/*
	 * Queue a command again, for a worker that must not block or for one that may block. This
	 * member is a pointer because file-cmd.c must not call worker.c. Only commands that block
	 * use it.
	 */
	void (*requeue)(struct noclone_cmd *cmd, bool nowait);
};

/* Set ti->error to @why. Return: @error, for a constructor to return. */
static inline int noclone_refuse(struct noclone_file_c *fc, int error, char *why)
{
	fc->ti->error = why;
	return error;
}

#endif /* DM_NOCLONE_FILE_STATE_H */
