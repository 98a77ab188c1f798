/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A mapped device with targets of this module, and what the fast path has to
 * know about its tables:
 *
 *   noclone_target	one target of a table (target.h)
 *   noclone_table	the targets of one dm table that belong to this module
 *   noclone_dev	one mapped device; survives reloads of its table
 *
 * The first constructor creates them and the last destructor frees them, so
 * nothing has to be allocated while a device is suspended.
 *
 * Locks, outermost first:
 *   md->suspend_lock (dm core), held around .presuspend, .presuspend_undo, .resume
 *   nd->lock		attaching and detaching the fast path
 *
 *   noclone_devs_lock	list of devices, their tables and reference counts. Taken
 *			by constructors and destructors, with or without the
 *			suspend_lock. Do not wait for I/O, for a grace period or
 *			for another lock while holding it.
 */
#ifndef DM_NOCLONE_MAPPED_DEVICE_H
#define DM_NOCLONE_MAPPED_DEVICE_H

#include <linux/list.h>
#include <linux/mempool.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/rcuwait.h>

#include "include/dm-noclone.h"
#include "include/noclone-map.h"

struct dm_table;
struct noclone_leg;
struct noclone_target;

enum noclone_counter {
#define X(name, word, text) NOCLONE_##name,
	NOCLONE_COUNTERS(X)
#undef X
	NOCLONE_NR_COUNTERS
};

enum noclone_state {
	NOCLONE_ON,
#define X(name, word, text) NOCLONE_OFF_##name,
	NOCLONE_OFF_REASONS(X)
#undef X
};

/* Per CPU. They only grow and may wrap. */
struct noclone_counters {
	unsigned long begun;	/* bios taken by the fast path */
	unsigned long done;	/* bios completed by it, perhaps on another CPU */
	unsigned long n[NOCLONE_NR_COUNTERS];	/* shown by status */
};

/* A range that one layout maps */
struct noclone_segment {
	struct noclone_layout layout;
	const struct noclone_leg *leg;	/* NULL: the workers of noclone-file take the bios */
	struct noclone_target *target;
};

struct noclone_table {
	struct noclone_dev *nd;
	struct dm_table *dm;
	struct list_head node;		/* in nd->tables */
	sector_t sectors;		/* sum of the targets' lengths */
	u32 targets;			/* reference count */
	u32 nr;				/* segments: one per target, or one per extent */
	u32 room;			/* allocated segments */
	struct noclone_span *spans;	/* where each segment is, ascending */
	struct noclone_segment *segments;
	bool no_fastpath;
	bool zoned;
	atomic_t unpinned;		/* targets whose backing file may move on its disk */
};

struct noclone_dev {
	/* Read for every bio */
	struct noclone_table __rcu *live;	/* NULL: the fast path takes no bios */
	const unsigned long *stats_bytes;	/* not 0 while a "dmsetup stats" region exists */
	struct noclone_counters __percpu *counters;
	struct block_device *bdev;	/* bi_bdev of each bio: @disk has no partitions */

	mempool_t reserve;		/* objects for when the slab is empty */
	struct rcuwait drainer;

	struct mutex lock;		/* guards the members up to @pinned */
	struct gendisk *disk;
	enum noclone_state state;
	enum noclone_state requested;	/* by module parameter or message */
	bool overridden;		/* @requested was set by message: overrides table options */
	bool pinned;			/* another module replaced our fops: never free this */

	struct list_head node;		/* guarded by noclone_devs_lock, as is @tables */
	struct list_head tables;
};

static inline void noclone_dev_count(struct noclone_dev *nd,
				     enum noclone_counter which)
{
	this_cpu_inc(nd->counters->n[which]);
}

int noclone_table_add(struct noclone_target *t,
		      const struct noclone_extent *extents, u32 nr);
void noclone_table_del(struct noclone_target *t);

#endif /* DM_NOCLONE_MAPPED_DEVICE_H */
