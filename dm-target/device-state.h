/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A mapped device with targets of this module, and the facts about its tables that
 * the fast path needs:
 *
 *   noclone_target	one target of a table
 *   noclone_table	the targets of one dm table that belong to this module
 *   noclone_dev	one mapped device; survives reloads of its table
 *
 * For our own targets the first constructor creates them and the last destructor
 * frees them, so nothing has to be allocated while a device is suspended. For
 * stock targets see stock/devices.h.
 *
 * Locks, outermost first:
 *   md->suspend_lock (dm core), held around .presuspend, .presuspend_undo, .resume
 *   nd->lock		attaching and detaching the fast path. Do not wait for
 *			I/O or for a grace period while holding it: messages, the
 *			module's exit and the work items of stock/ take it
 *			without the suspend_lock. Inside it: noclone_fops_lock
 *			(interpose.c).
 *
 *   noclone_devs_lock	list of devices, their tables and reference counts. Taken
 *			by constructors and destructors, with or without the
 *			suspend_lock. Do not wait for I/O, for a grace period or
 *			for another lock while holding it.
 */
#ifndef DM_NOCLONE_DEVICE_STATE_H
#define DM_NOCLONE_DEVICE_STATE_H

#include <linux/bio.h>
#include <linux/cache.h>
#include <linux/list.h>
#include <linux/mempool.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>

#include "include/dm-noclone.h"
#include "include/noclone-map.h"

struct dm_dev;
struct dm_table;
struct dm_target;
struct noclone_dev;
struct noclone_file_c;
struct noclone_table;

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

/* A lower device of a target */
struct noclone_leg {
	struct block_device *bdev;	/* cached @dev->bdev */
	struct dm_dev *dev;
	sector_t start;
	atomic_t errors;		/* failed I/Os, counted by striped targets only */
};

/*
 * One target of a table: ti->private of noclone-linear, -striped and -zero, pointed to by
 * struct noclone_file_c, or learned from a stock target.
 */
struct noclone_target {
	struct noclone_layout layout;
	struct dm_target *ti;
	struct noclone_table *table;	/* NULL until noclone_table_add() */
	struct noclone_dev *nd;		/* likewise */
	bool no_fastpath;
	struct noclone_file_c *fc;	/* of noclone-file; workers take the bios if nr_legs is 0 */
	/*
	 * Called when a bio of the fast path has failed; bi_bdev still names the leg.
	 * Context: any. NULL if the target ignores errors. It is a pointer because the fast
	 * path is below the targets, and because errors need not be fast.
	 */
	void (*leg_error)(struct noclone_target *t, struct bio *bio,
			  blk_status_t status);
	struct work_struct event;
	unsigned int nr_legs;		/* opened so far, while the constructor runs */
	struct noclone_leg leg[];
};

/* A range that one layout maps */
struct noclone_segment {
	struct noclone_layout layout;
	const struct noclone_leg *leg;	/* NULL: workers of noclone-file take the bios, or zero */
	struct noclone_target *target;
};

struct noclone_table {
	struct noclone_dev *nd;
	struct dm_table *dm;
	struct list_head node;		/* in nd->tables */
	sector_t sectors;		/* sum of the targets' lengths; others may have the rest */
	u32 targets;			/* reference count */
	u32 nr;				/* segments: one per target, or one per extent */
	u32 room;			/* allocated segments */
	struct noclone_span *spans;	/* where each segment is, ascending */
	struct noclone_segment *segments;
	bool no_fastpath;
	bool zoned;
	bool whole;			/* all targets are ours; set by attach, as the next */
	bool one_segment;		/* @nr is 1, and that is all of the device */
	bool denies_writes;		/* of files: read-only, or with verity */
	atomic_t unpinned;		/* targets whose backing file may move on its disk */
	struct noclone_file_c *first_file;	/* its first noclone-file target, or NULL */
	unsigned long verify_until;	/* jiffies; .preresume waits for files until then */
};

/* See sentinel.c */
struct noclone_sentinel {
	sector_t sector;		/* where @bio goes: in a target of ours, set by attach */
	struct bio *clone;		/* kept by .map, or NULL */
	unsigned long busy;		/* bit 0: dm core has @bio */
	struct bio bio;
	struct bio_vec vec;		/* no data: marks the clone */
};

struct noclone_dev {
	/* Read for every bio: nothing in this cache line is written while I/O runs */
	struct noclone_table __rcu *live;	/* NULL: the fast path takes no bios */
	const unsigned long *stats_bytes;	/* not 0 while a "dmsetup stats" region exists */
	struct noclone_counters __percpu *counters;	/* NULL: no memory yet */
	struct block_device *bdev;	/* bi_bdev of each bio: @disk has no partitions */
	blk_opf_t slow_opf;		/* bits of a bio that has to go to dm core */

	mempool_t reserve ____cacheline_aligned_in_smp;	/* for when the slab is empty */
	struct noclone_sentinel sentinel;

	spinlock_t retry_lock;		/* guards @retries */
	struct bio_list retries;	/* for @retry to submit, see polled.c */
	struct work_struct retry;

	struct mutex lock;		/* guards @live, @requested, @overridden, @pinned */
	struct gendisk *disk;		/* noclone_dev_get_md() says whether it is still there */
	u64 diskseq;
	dev_t dev;
	bool stock;			/* constant: its targets are dm's own */
	enum noclone_state state;	/* stock/ stores it without @lock if no table is live */
	enum noclone_state requested;	/* by module parameter or message */
	bool overridden;		/* @requested was set by message: overrides table options */
	bool draining;			/* there may be bios to wait for */
	bool pinned;			/* another module's operations may end in our submit_bio */

	struct list_head node;		/* guarded by noclone_devs_lock, as is @tables */
	struct list_head tables;
};

/* Return: the segment that holds all of @bio, or NULL. */
static inline const struct noclone_segment *
noclone_segment_of(const struct noclone_table *table, const struct bio *bio)
{
	sector_t sector = bio->bi_iter.bi_sector;
	u32 i;

	if (likely(table->one_segment)) {
		if (unlikely(sector >= table->sectors ||
			     bio_sectors(bio) > table->sectors - sector))
			return NULL;
		return table->segments;
	}
	i = noclone_find_span(table->spans, table->nr, sector);
	if (unlikely(i == table->nr || bio_end_sector(bio) > table->spans[i].end))
		return NULL;
	return &table->segments[i];
}

/*
 * One target acts for all of its table, which may have thousands: work and messages that
 * concern the device happen once.
 */
static inline bool noclone_target_is_first(const struct noclone_target *t)
{
	return t->table->segments[0].target == t;
}

/* Only a stock device may exist without its memory. */
static inline bool noclone_dev_is_ready(const struct noclone_dev *nd)
{
	/* noclone_dev_alloc() */
	return smp_load_acquire(&nd->counters);
}

static inline void noclone_count(struct noclone_dev *nd,
				 enum noclone_counter which)
{
	this_cpu_inc(nd->counters->n[which]);
}

#endif /* DM_NOCLONE_DEVICE_STATE_H */
