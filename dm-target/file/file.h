/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * noclone-file: a file as a block device.
 *
 *	target.c	the target: table line, status, limits
 *	backing.c	the file: what is refused, alignment, who uses it
 *	pin.c	how it is kept where it is on its disk
 *	submit.c	how a bio comes in and goes back
 *	cmd.c	a bio on its way through a file system
 *	worker.c	who works on it
 *	engines.c	how they are done: direct, buffered, sync, null
 *	extent.c	the engine that has no file system on its way
 *
 * A file system is never called by whoever submits a bio: there may be an
 * upper file system's transaction in current->journal_info, a list of bios
 * that only go out when the submitter returns, and not enough stack.  "loop:
 * improve loop aio perf by IOCB_NOWAIT" did, and was reverted within a week
 * (v6.19).  Here a bio is only handed over, to workers.
 *
 * Locks, outermost first:
 *	md->suspend_lock (dm core) around .preresume, which alone pins, and lets go
 *	backing->mark_lock	the mark in the inode
 *	inode->i_rwsem		of the file; only tried, except by constructors
 *
 *	noclone_backings_lock	which files are in use, by whom; nobody waits for
 *				anything while he has it
 */
#ifndef DM_NOCLONE_FILE_H
#define DM_NOCLONE_FILE_H

#include "../core.h"

#include <linux/fs.h>
#include <linux/kthread.h>
#include <linux/llist.h>
#include <linux/pagemap.h>
#include <linux/rbtree.h>

struct noclone_file;
struct noclone_cmd;

enum noclone_file_counter {
#define X(name, word, text) NOCLONE_FILE_##name,
	NOCLONE_FILE_COUNTERS(X)
#undef X
	NOCLONE_FILE_NR_COUNTERS
};

enum noclone_engine_id {
#define X(name, word, text) NOCLONE_ENGINE_##name,
	NOCLONE_ENGINES(X)
#undef X
	NOCLONE_NR_ENGINES
};

/**
 * struct noclone_engine - how the I/O of a file is done
 * @name: word in the table
 * @direct: past the page cache: I/O is aligned as the file system wants
 * @pins: the file must not move on its disk while bios go there; nothing is
 *	written through the file system
 * @admit: may it serve this file?  Called once, by the constructor, after the
 *	checks that all engines have in common.  Allocates what it needs.
 *	Returns 0 or a negative errno with ti->error set.
 * @dismiss: undo @admit; also called when that failed
 * @map: take a bio; never sleeps, never fails for want of memory and calls no
 *	file system.  Returns what a dm target's .map does.
 * @attempts_writes: @attempt makes sense for writes as well
 * @attempt: begin a read or write from a worker that others wait for, so:
 *	without blocking, if that can be.  Returns as kiocb functions do;
 *	-EAGAIN leads to @block.  NULL: there is no such way.
 * @block: the same from a worker that may block
 *
 * @attempt and @block may return -EIOCBQUEUED and end the command later from
 * any context, by noclone_cmd_complete().
 */
struct noclone_engine {
	const char *name;
	bool direct;
	bool pins;
	bool attempts_writes;
	int (*admit)(struct noclone_file *f);
	void (*dismiss)(struct noclone_file *f);
	int (*map)(struct noclone_file *f, struct bio *bio);
	ssize_t (*attempt)(struct noclone_cmd *cmd, struct iov_iter *iter);
	ssize_t (*block)(struct noclone_cmd *cmd, struct iov_iter *iter);
};

/**
 * struct noclone_backing - a file that is in use
 * @node: entry in the list of all
 * @inode: what it is known by
 * @file: opened once and shared by all users, so that there is one of ours at
 *	most that can write: see pin.c
 * @disk: the mapped device; no other may use the file
 * @users: lines, in tables of that device; of one table in ascending order
 * @mark_lock: guards @marked
 * @marked: as a swap file is: nobody can write it through the file system
 * @pinned: marked, and nobody has it open for writing: it cannot move
 * @pin_nr: how many times it has been pinned
 * @ran: bios have gone to the disk behind the page cache's back
 * @dying: the last user is letting it go
 */
struct noclone_backing {
	struct list_head node;
	struct inode *inode;
	struct file *file;
	struct gendisk *disk;
	struct list_head users;
	struct mutex mark_lock; /* see above */
	bool marked;
	bool pinned;
	bool ran;
	bool dying;
	u32 pin_nr;
};

/**
 * struct noclone_lane - commands that one CPU has handed over
 * @todo: last come, first in the list
 * @work: does them
 * @file: of which target
 */
struct noclone_lane {
	struct llist_head todo;
	struct work_struct work;
	struct noclone_file *file;
};

/**
 * struct noclone_file_counters - of one CPU; they only grow, and may wrap
 * @ended: commands that have ended
 * @n: what status shows; that of INFLIGHT counts commands that have begun
 */
struct noclone_file_counters {
	unsigned long ended;
	unsigned long n[NOCLONE_FILE_NR_COUNTERS];
};

/**
 * struct noclone_file - one line of a table, ti->private of the target
 * @ti: back pointer
 * @engine: which one runs
 * @asked: which one the table asks for; the pinning one may have to give way
 * @file: the file, of which @backing has another reference
 * @start: first sector used in it
 * @path: as in the table
 * @where: what that led to; keeps the mount busy
 * @backing: what all lines that use the file share
 * @user: entry in backing->users
 * @align: bytes that position and length of direct I/O are multiples of
 * @memalign: likewise, for its memory
 * @align_from: who says so
 * @st_dev: device number of the file, as stat(2) gives it
 * @st_ino: its inode number, likewise
 * @extents: how many, 0 if nobody has looked
 * @refused: why @engine is not @asked, or NULL
 * @pin_nr: backing->pin_nr of the pin under which the extents were read or
 *	compared; 0: under none
 * @verify: compares the extents of all lines of the table and file, for
 *	.preresume, under the pin @verify_nr
 * @verifying: it has been asked to and has not come to an end
 * @verified: @verify has come to an end
 * @verdict: with this: NULL, or why not
 * @unmark: noclone_unmark() for whoever must not wait
 * @line: for the fast path; with a leg and extents if @asked pins
 * @below: leg of @line: a device that dm has not opened but the file system has
 * @no_fastpath: the table says so
 * @counters: per CPU
 * @wq: the workers, of this line only: those of a file above may wait for them
 * @lanes: per CPU, for commands that should not block
 * @doubt: attempts to leave out because others have just failed, read and write
 * @writer: does the writes that may block each other, one by one
 */
struct noclone_file {
	struct dm_target *ti;
	const struct noclone_engine *engine;
	const struct noclone_engine *asked;
	struct file *file;
	sector_t start;
	char *path;
	struct path where;

	struct noclone_backing *backing;
	struct list_head user;
	u32 align;
	u32 memalign;
	const char *align_from;
	dev_t st_dev;
	unsigned long long st_ino;
	u32 extents;
	const char *refused;
	u32 pin_nr;
	struct work_struct verify;
	u32 verify_nr;
	bool verifying;
	struct completion verified;
	const char *verdict;
	struct work_struct unmark;
	struct noclone_target *line;
	struct dm_dev below;
	bool no_fastpath;

	struct noclone_file_counters __percpu *counters;
	struct workqueue_struct *wq;
	struct noclone_lane __percpu *lanes;
	int doubt[2];
	struct kthread_worker *writer;
};

/**
 * struct noclone_cmd - a bio on its way through the file system
 * @iocb: for the file system
 * @file: line
 * @bio: the owner's, or a clone of dm core
 * @nd: mapped device, if it is the owner's; else NULL
 * @start: jiffies when it began, the owner's only
 * @accounted: it is counted in the device's statistics, likewise
 * @refs: one of whoever began it, one of its end
 * @done: bytes of the bio that are
 * @result: how the last call ended
 * @attempting: by an attempt that must not block
 * @begun_write: the file system cannot be frozen meanwhile
 * @llist: in a plug or a lane
 * @work: of a command that may block
 * @write: of one that changes the file and may block
 * @wait: for a page
 */
struct noclone_cmd {
	struct kiocb iocb;
	struct noclone_file *file;
	struct bio *bio;
	struct noclone_dev *nd;
	unsigned long start;
	bool accounted;
	atomic_t refs;
	u32 done;
	long result;
	bool attempting;
	bool begun_write;
	struct llist_node llist;
	union {
		struct work_struct work;
		struct kthread_work write;
	};
	struct wait_page_queue wait;
};

static inline void noclone_file_count(struct noclone_file *f,
				      enum noclone_file_counter which)
{
	this_cpu_inc(f->counters->n[which]);
}

/* For a constructor to return. */
static inline int noclone_refuse(struct noclone_file *f, int error, char *why)
{
	f->ti->error = why;
	return error;
}

/* target.c */
int noclone_file_add_line(struct noclone_file *f,
			  const struct noclone_extent *extents);

/* backing.c */
int noclone_backing_open(struct noclone_file *f);
void noclone_backing_close(struct noclone_file *f);
struct noclone_file *noclone_backing_line(const struct noclone_file *f,
					  struct noclone_file *after);

/* pin.c */
bool noclone_has_writers(const struct noclone_backing *b);
const char *noclone_pin(struct noclone_backing *b);
void noclone_unpin(struct noclone_backing *b);
void noclone_unmark(struct noclone_backing *b);

/* cmd.c */
void noclone_cmd_do(struct noclone_cmd *cmd, bool attempt);
void noclone_cmd_prepare(struct noclone_cmd *cmd, int flags, bool async);
ssize_t noclone_cmd_call(struct noclone_cmd *cmd, struct iov_iter *iter);
void noclone_cmd_complete(struct noclone_cmd *cmd, long result);

/* submit.c */
int noclone_cmd_map(struct noclone_file *f, struct bio *bio);
void noclone_cmd_finish(struct noclone_cmd *cmd, blk_status_t status);

/* worker.c */
int noclone_workers_init(struct noclone_file *f);
void noclone_workers_exit(struct noclone_file *f);
void noclone_lane_add(struct noclone_file *f, struct noclone_cmd *newest,
		      struct noclone_cmd *oldest);
void noclone_cmd_block(struct noclone_cmd *cmd);
void noclone_cmd_retry(struct noclone_cmd *cmd);
unsigned long noclone_file_counter(const struct noclone_file *f,
				   enum noclone_file_counter which);

/* engines.c, extent.c */
extern const struct noclone_engine noclone_engine_direct;
extern const struct noclone_engine noclone_engine_extent;
extern const struct noclone_engine noclone_engine_buffered;
extern const struct noclone_engine noclone_engine_sync;
extern const struct noclone_engine noclone_engine_null;
void noclone_extent_init(struct noclone_file *f);
void noclone_extent_preresume(struct noclone_file *f);

#endif /* DM_NOCLONE_FILE_H */
