/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the files of the module share; of noclone-file, see file/file.h.
 *
 * Three objects, each created by a target's constructor and gone with the
 * last destructor, so that nothing has to be allocated while a device is
 * suspended:
 *
 *   noclone_target	one line of a table
 *   noclone_table	the lines of one dm table that are ours
 *   noclone_dev	one mapped device; survives reloads of its table
 *
 * Locks, outermost first:
 *   md->suspend_lock (dm core) around .presuspend, .presuspend_undo, .resume
 *   nd->lock		attaching and detaching the fast path
 *
 *   noclone_devs_lock	list of devices, their tables and reference counts;
 *			taken by constructors and destructors, which may or may
 *			not have the suspend_lock. Nobody waits for I/O, for a
 *			grace period or for another lock while he has it.
 */
#ifndef DM_NOCLONE_H
#define DM_NOCLONE_H

#include <linux/device-mapper.h>
#include <linux/list.h>
#include <linux/mempool.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/rcuwait.h>
#include <linux/workqueue.h>

#include "include/noclone-map.h"
#include "include/dm-noclone.h"
#include "include/noclone-refusals.h"

#define DM_MSG_PREFIX "noclone"

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

/**
 * struct noclone_counters - of one CPU; they only grow, and may wrap
 * @begun: bios that the fast path took in charge
 * @done: those of them that it has let go, perhaps on another CPU
 * @n: what status shows
 */
struct noclone_counters {
	unsigned long begun;
	unsigned long done;
	unsigned long n[NOCLONE_NR_COUNTERS];
};

/**
 * struct noclone_leg - a device below a target
 * @bdev: the device: of @dev, without the detour
 * @dev: as dm core opened it
 * @start: first sector used on it
 * @errors: failed I/Os, counted for striped targets only
 */
struct noclone_leg {
	struct block_device *bdev;
	struct dm_dev *dev;
	sector_t start;
	atomic_t errors;
};

struct noclone_file;

/**
 * struct noclone_target - one line of a table, ti->private of our targets
 * @layout: where a sector goes; immutable
 * @ti: back pointer
 * @table: the lines of the same table, NULL until the constructor is through
 * @nd: the mapped device, likewise
 * @no_fastpath: the table says so
 * @file: whose workers take the bios, if there are no legs; else NULL
 * @event: tells dm's listeners about a failed leg
 * @nr_legs: legs that hold a device; grows while the constructor runs
 * @leg: the devices
 */
struct noclone_target {
	struct noclone_layout layout;
	struct dm_target *ti;
	struct noclone_table *table;
	struct noclone_dev *nd;
	bool no_fastpath;
	struct noclone_file *file;
	struct work_struct event;
	unsigned int nr_legs;
	struct noclone_leg leg[];
};

/**
 * struct noclone_segment - a range that one layout maps
 * @layout: where a sector goes
 * @leg: the legs of the line; NULL if bios go to the workers of a file
 * @target: the line
 */
struct noclone_segment {
	struct noclone_layout layout;
	const struct noclone_leg *leg;
	struct noclone_target *target;
};

/**
 * struct noclone_table - our lines of one dm table, in ascending order
 * @nd: the mapped device
 * @dm: the dm table this stands for
 * @node: entry in nd->tables
 * @sectors: sum of the lengths; equal to the table's length if all are ours
 * @lines: how many
 * @nr: segments: one of a line, or as many as its file has extents
 * @room: segments that fit the arrays
 * @spans: sectors of each segment, for the search
 * @segments: where they are
 * @no_fastpath: a line asks for the clone path
 * @zoned: a leg is zoned
 * @unpinned: lines whose file may move on its disk
 */
struct noclone_table {
	struct noclone_dev *nd;
	struct dm_table *dm;
	struct list_head node;
	sector_t sectors;
	u32 lines;
	u32 nr;
	u32 room;
	struct noclone_span *spans;
	struct noclone_segment *segments;
	bool no_fastpath;
	bool zoned;
	atomic_t unpinned;
};

/**
 * struct noclone_dev - a mapped device that has or had a table with our lines
 * @live: table that the fast path maps by, NULL while it takes no bio
 * @stats_bytes: non-zero while any "dmsetup stats" region exists
 * @counters: per CPU
 * @bdev: of @disk, which has no partitions: bi_bdev of each bio
 * @reserve: objects for when the slab is empty
 * @lock: guards the members below
 * @drainer: who waits for the bios in flight, if anybody
 * @disk: the mapped device's disk
 * @state: what status shows
 * @wish: NOCLONE_ON, or why the fast path is not wanted
 * @told: a message has set @wish: table options do not count any more
 * @pinned: another module has put its operations over ours: keep for ever
 * @node: entry in the list of devices
 * @tables: of this device; guarded by noclone_devs_lock
 */
struct noclone_dev {
	/* read for every bio */
	struct noclone_table __rcu *live;
	const unsigned long *stats_bytes;
	struct noclone_counters __percpu *counters;
	struct block_device *bdev;

	mempool_t reserve;
	struct rcuwait drainer;

	struct mutex lock; /* guards all below but node and tables */
	struct gendisk *disk;
	enum noclone_state state;
	enum noclone_state wish;
	bool told;
	bool pinned;

	struct list_head node;
	struct list_head tables;
};

static inline void noclone_count(struct noclone_dev *nd,
				 enum noclone_counter which)
{
	this_cpu_inc(nd->counters->n[which]);
}

/* main.c */
extern bool noclone_fastpath_default;
extern struct workqueue_struct *noclone_wq;

/* device.c */
int noclone_table_add(struct noclone_target *t,
		      const struct noclone_extent *extents, u32 nr);
void noclone_table_del(struct noclone_target *t);

/* fastpath.c */
int noclone_fastpath_prepare(struct noclone_dev *nd);
void noclone_fastpath_forget(struct noclone_dev *nd);
void noclone_fastpath_release(struct noclone_dev *nd);
void noclone_fastpath_attach(struct noclone_table *table);
void noclone_fastpath_detach(struct noclone_dev *nd);
int noclone_fastpath_switch(struct noclone_dev *nd, bool on);
void noclone_fastpath_init(void);
void noclone_fastpath_quiesce(void);

/* target.c: what the targets have in common */
struct noclone_target *noclone_target_alloc(struct dm_target *ti,
					    unsigned int max_legs);
int noclone_target_add_leg(struct noclone_target *t, char **argv);
int noclone_target_options(struct noclone_target *t, struct dm_arg_set *as);
int noclone_target_finish(struct noclone_target *t);
void noclone_target_free(struct noclone_target *t);
void noclone_dtr(struct dm_target *ti);
void noclone_presuspend(struct dm_target *ti);
void noclone_resume(struct dm_target *ti);
int noclone_target_message(struct noclone_target *t, unsigned int argc,
			   char **argv);
int noclone_message(struct dm_target *ti, unsigned int argc, char **argv,
		    char *result, unsigned int maxlen);
int noclone_iterate_devices(struct dm_target *ti,
			    iterate_devices_callout_fn fn, void *data);
size_t noclone_emit_state(struct noclone_target *t, char *result,
			  unsigned int maxlen, size_t sz);
size_t noclone_emit_options(struct noclone_target *t, char *result,
			    unsigned int maxlen, size_t sz);

/* file/submit.c */
bool noclone_file_take(struct noclone_file *f, struct noclone_dev *nd,
		       struct bio *bio);
int noclone_file_init(void);
void noclone_file_exit(void);

/* linear.c, striped.c, file/target.c */
extern struct target_type noclone_linear_target;
extern struct target_type noclone_striped_target;
extern struct target_type noclone_file_target;
void noclone_striped_leg_error(struct noclone_target *t, struct bio *bio,
			       blk_status_t status);

/* dax.c */
#if IS_ENABLED(CONFIG_FS_DAX)
long noclone_dax_direct_access(struct dm_target *ti, pgoff_t pgoff,
			       long nr_pages, enum dax_access_mode mode,
			       void **kaddr, noclone_dax_pfn_t *pfn);
int noclone_dax_zero_page_range(struct dm_target *ti, pgoff_t pgoff,
				size_t nr_pages);
size_t noclone_dax_recovery_write(struct dm_target *ti, pgoff_t pgoff,
				  void *addr, size_t bytes, struct iov_iter *i);
#else
#define noclone_dax_direct_access NULL
#define noclone_dax_zero_page_range NULL
#define noclone_dax_recovery_write NULL
#endif

#endif /* DM_NOCLONE_H */
