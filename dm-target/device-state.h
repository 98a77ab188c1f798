/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A mapped device with targets of this module, and the facts about its tables for the fast path:
 *
 *   noclone_target	one target of a table
 *   noclone_table	the targets of one dm table that belong to this module
 *   noclone_dev	one mapped device; stays the same when a table is reloaded
 *
 * For our own targets the first constructor creates these structs and the last destructor frees
 * them, so nothing has to be allocated while a device is suspended. For stock targets see
 * stock/stock.h.
 *
 * Locks, outermost first:
 *   md->suspend_lock (dm core), held around .presuspend, .presuspend_undo, .resume
 *   nd->lock		attaching and detaching the fast path. Do not wait for
 *			I/O or for a grace period while holding it: messages, the
 *			module's exit and the work items of stock/ and file/ take it
 *			without the suspend_lock. Inside it: noclone_fops_lock
 *			(fops.c).
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
struct noclone_target;

enum noclone_counter {
#define X(name, word, text) NOCLONE_##name,
	NOCLONE_COUNTERS(X)
#undef X
	NOCLONE_NR_COUNTERS
};

enum noclone_state {
	NOCLONE_ON,
#define X(name, word, class, enable, doctor) NOCLONE_OFF_##name,
	NOCLONE_OFF_REASONS(X)
#undef X
};

/* Does the device need another table to leave this state? */
static inline bool noclone_state_is_of_table(enum noclone_state state)
{
	static const u8 classes[] = {
#define X(name, word, class, enable, doctor) [NOCLONE_OFF_##name] = NOCLONE_REASON_##class,
		NOCLONE_OFF_REASONS(X)
#undef X
	};

	return state != NOCLONE_ON && classes[state] == NOCLONE_REASON_TABLE;
}

/* Counters of one CPU. Counters only grow, and can wrap around. */
struct noclone_counters {
	unsigned long begun;	/* bios taken by the fast path */
	unsigned long done;	/* bios completed by the fast path, perhaps on another CPU */
	unsigned long n[NOCLONE_NR_COUNTERS];	/* shown on the status line */
};

/* A lower device of a target */
struct noclone_leg {
	struct block_device *bdev;	/* a copy of @dev->bdev */
	struct dm_dev *dev;
	sector_t start;
	atomic_t errors;		/* failed I/Os; only striped targets count them */
};

/*
 * The functions of a target that the fast path calls. The fast path calls them by pointer, because
 * it stands below the targets in Kbuild. Each pointer may be NULL.
 */
struct noclone_target_ops {
	/*
	 * Take a plain read or write of a segment without a leg. The fast path has counted the bio
	 * as begun. The target ends the bio and counts it as done, in this call or later. Return:
	 * NOCLONE_FAST; or NOCLONE_NOMEM, with nothing done. Context: the mapped device's
	 * submit_bio; does not sleep.
	 */
	enum noclone_counter (*submit)(struct noclone_target *t, struct bio *bio);
	/*
	 * Handle the failure of a bio of the fast path; bi_bdev still names the leg. Context: any.
	 * NULL if the target ignores errors.
	 */
	void (*leg_error)(struct noclone_target *t, struct bio *bio, blk_status_t status);
};

/*
 * One target of a table: ti->private of our targets. A stock device has one for each target that
 * was learned.
 */
struct noclone_target {
	struct noclone_layout layout;
	struct dm_target *ti;
	struct noclone_table *table;	/* NULL before noclone_dev_add_target() */
	struct noclone_dev *nd;		/* NULL before noclone_dev_add_target() */
	bool no_fastpath;
	const struct noclone_target_ops *ops;	/* NULL: none */
	struct noclone_file_c *fc;	/* for noclone-file, else NULL */
	struct work_struct event;	/* raises a dm event; noclone-striped queues it */
	unsigned int nr_legs;		/* the legs opened so far, while the constructor runs */
	struct noclone_leg leg[];
};

/* A range of the mapped device that one layout maps */
struct noclone_segment {
	struct noclone_layout layout;
	const struct noclone_leg *leg;	/* NULL: noclone-zero, or a file engine with workers */
	struct noclone_target *target;
};

struct noclone_table {
	struct noclone_dev *nd;
	struct dm_table *dm;
	struct list_head node;		/* link in nd->tables */
	sector_t sectors;		/* length of our targets; other targets may exist */
	u32 targets;			/* reference count */
	u32 nr;				/* number of segments: one per target, or one per extent */
	u32 room;			/* number of allocated segments */
	struct noclone_span *spans;	/* the range of each segment, ascending */
	struct noclone_segment *segments;
	bool no_fastpath;
	bool zoned;
	bool whole;			/* our targets are the whole device; set by attach */
	bool one_segment;		/* one segment is the whole device; set by attach */
	bool denies_writes;		/* a backing file is read-only or has verity */
	atomic_t unpinned;		/* number of targets whose file may move on its disk */
	struct noclone_file_c *first_file;	/* the first noclone-file target, or NULL */
	unsigned long verify_until;	/* .preresume waits for files until this time, in jiffies */
};

/* The bio for which dm core waits in a suspend, see sentinel.c */
struct noclone_sentinel {
	sector_t sector;		/* the sector of @bio, in a target of ours; set by attach */
	struct bio *clone;		/* the clone of @bio that .map keeps, or NULL */
	unsigned long busy;		/* bit 0: dm core has @bio */
	struct bio bio;
	struct bio_vec vec;		/* has no data; distinguishes the clone from other bios */
};

struct noclone_dev {
	/* These members are read for each bio, and are not written while I/O runs */
	struct noclone_table __rcu *live;	/* NULL: the fast path takes no bios */
	const unsigned long *stats_bytes;	/* not 0 while a "dmsetup stats" region exists */
	struct noclone_counters __percpu *counters;	/* NULL: the device has no memory yet */
	struct block_device *bdev;	/* bi_bdev of each bio, because @disk has no partitions */
	blk_opf_t slow_opf;		/* a bio with one of these bits goes to dm core */

	mempool_t reserve ____cacheline_aligned_in_smp;	/* used when the slab is empty */
	struct noclone_sentinel sentinel;

	spinlock_t retry_lock;		/* guards @retries */
	struct bio_list retries;	/* bios that @retry submits, see polled.c */
	struct work_struct retry;

	struct mutex lock;		/* guards @live, @requested, @overridden, @covered */
	struct gendisk *disk;		/* may be gone, see noclone_dev_get_md() */
	u64 diskseq;
	dev_t dev;
	bool stock;			/* the targets are dm's own; never changes */
	enum noclone_state state;	/* stock/ stores it without @lock if no table is live */
	enum noclone_state requested;	/* the state that the parameter or a message asks for */
	bool overridden;		/* a message has set @requested: ignore table options */
	bool draining;			/* bios of the fast path may be in flight without @live */
	bool covered;			/* another module's operations may call our submit_bio */

	struct list_head node;		/* noclone_devs_lock guards @node and @tables */
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
 * Is this the target that acts for the whole table? A table may have thousands of targets, but work
 * and messages that concern the device must happen only once.
 */
static inline bool noclone_target_is_first(const struct noclone_target *t)
{
	return t->table->segments[0].target == t;
}

/* Report the failure of a bio of the fast path, while bi_bdev still names the leg. */
static inline void noclone_target_failed(struct noclone_target *t, struct bio *bio)
{
	if (t->ops && t->ops->leg_error)
		t->ops->leg_error(t, bio, bio->bi_status);
}

/* Does the device have its memory? Only a stock device may lack it. */
static inline bool noclone_dev_is_ready(const struct noclone_dev *nd)
{
	/* Pairs with noclone_dev_alloc() */
	return smp_load_acquire(&nd->counters);
}

static inline void noclone_count(struct noclone_dev *nd,
				 enum noclone_counter which)
{
	this_cpu_inc(nd->counters->n[which]);
}

#endif /* DM_NOCLONE_DEVICE_STATE_H */
