// SPDX-License-Identifier: GPL-2.0-only
/*
 * noclone-file: the engine "extent". The file is pinned, its extents are read once, and bios go
 * directly to the extents on the lower disk: by the fast path, as if each extent were a
 * noclone-linear target.
 *
 * Invariant: a table uses the extents only if they were read again and found equal under the pin
 * that holds now. Otherwise the engine direct stands in, and the status line has the reason. Locks:
 * the inode lock, taken by constructors and by the work item that verifies. Callers: constructor,
 * .preresume (which must neither fail nor wait for a task that may wait for the device),
 * destructor, .map.
 *
 * Documentation/design/extent.rst has the argument, E1 to E10.
 */
#include "extent.h"
#include "backing-file.h"
#include "backing-limits.h"
#include "engine.h"
#include "extent-read.h"
#include "file-cmd.h"
#include "file-state.h"
#include "pin.h"
#include "../boundary.h"

#include <linux/blkdev.h>
#include <linux/fsverity.h>
#include <linux/magic.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <linux/swap.h>

/* The time that .preresume waits for all comparisons of a table together, in jiffies */
#define NOCLONE_VERIFY_TIME		(5 * HZ)

/* The time that a flush waits for cached pages to be dropped, in jiffies */
#define NOCLONE_DROP_TIME		(HZ / 10)

static bool noclone_extent_fs_is_known(const struct super_block *sb)
{
	return sb->s_bdev && (sb->s_magic == EXT4_SUPER_MAGIC ||
			      sb->s_magic == XFS_SUPER_MAGIC);
}

/*
 * Might the file get fs-verity while it is pinned (E8)? ext4 has verity as a feature of the whole
 * file system, and FS_IOC_MEASURE_VERITY looks for the feature before it looks at the file;
 * without the feature it does not use its argument. A table that does not write does no harm to a
 * file with verity.
 */
static bool noclone_extent_may_get_verity(const struct noclone_file_c *fc)
{
	struct file *file = fc->file;
	long r = -ENOTTY;

	if (!noclone_compat_table_is_writable(fc->ti->table))
		return false;
	if (IS_ENABLED(CONFIG_FS_VERITY) && file->f_op->unlocked_ioctl)
		r = file->f_op->unlocked_ioctl(file, FS_IOC_MEASURE_VERITY, 0);
	return r != -ENOTTY && r != -EOPNOTSUPP;
}

/*
 * Refuse a file whose blocks the file system may move by itself. The garbage collector of a zoned
 * xfs (since v6.15) moves the blocks on the realtime part, which may be on an ordinary disk. On
 * 6.16 this collector heeds neither S_SWAPFILE nor i_writecount. No other file system that
 * noclone_extent_fs_is_known() accepts has such files.
 */
static int noclone_extent_check_realtime(struct noclone_file_c *fc)
{
	noclone_fileattr fa = { };
	int r;

	if (file_inode(fc->file)->i_sb->s_magic != XFS_SUPER_MAGIC)
		return 0;
	r = vfs_fileattr_get(fc->file->f_path.dentry, &fa);
	if (r)
		return noclone_refuse(fc, r, "Attributes of the file cannot be read");
	if (fa.fsx_xflags & FS_XFLAG_REALTIME)
		return noclone_refuse(fc, -EINVAL,
			"File is on the realtime device of xfs, where blocks can move although the file is pinned: use engine direct or buffered");
	return 0;
}

static int noclone_extent_check(struct noclone_file_c *fc)
{
	const struct inode *inode = file_inode(fc->file);
	const struct address_space_operations *aops = inode->i_mapping->a_ops;

	/* Without CONFIG_SWAP, IS_SWAPFILE() may always be 0, so that the mark has no effect */
	if (!IS_ENABLED(CONFIG_SWAP) || !noclone_extent_fs_is_known(inode->i_sb) ||
	    !aops->swap_activate || aops->swap_deactivate)
		return noclone_refuse(fc, -EINVAL,
			NOCLONE_ERR_NO_PIN);
	if (i_blocksize(inode) < PAGE_SIZE)
		return noclone_refuse(fc, -EINVAL,
			NOCLONE_ERR_SMALL_BLOCKS);
	if (IS_ENCRYPTED(inode) || IS_VERITY(inode))
		return noclone_refuse(fc, -EINVAL,
			"File is encrypted or has verity: use engine direct or buffered");
	if (noclone_extent_may_get_verity(fc))
		return noclone_refuse(fc, -EINVAL,
			"File system has the feature verity, and a program can enable verity even on a pinned file: use engine direct or buffered");
	if (noclone_pin_has_writers(fc->backing))
		return noclone_refuse(fc, -ETXTBSY,
			"File is open for writing by another program: close it, or use engine direct");
	return noclone_extent_check_realtime(fc);
}

/* Return: the number of the current pin, or 0 if the file is not pinned. */
static u32 noclone_extent_pin_nr(const struct noclone_backing *b)
{
	return READ_ONCE(b->pinned) ? READ_ONCE(b->pin_nr) : 0;
}

/* Refuse a file whose extents could not be read. Return: @error. */
static int noclone_extent_unread(struct noclone_file_c *fc, int error)
{
	switch (error) {
	case -EINVAL:
		return noclone_refuse(fc, error,
			"File has holes, or shared or unaligned extents: fill the file (noclone create --allocate), or use engine direct");
	case -EFBIG:
		return noclone_refuse(fc, error,
			"File is shorter than a page, or too long: use engine direct");
	case -ENOMEM:
		return noclone_refuse(fc, error, "Not enough memory for the extents");
	case -EINTR:
		return noclone_refuse(fc, error, "Interrupted");
	default:
		return noclone_refuse(fc, error,
			"File cannot be written to its disk, or its extents cannot be read: look for errors of the disk in the kernel log");
	}
}

/*
 * Read the extents of the file under its inode lock. With the shared lock, another table of the
 * device can use the file at the same time. But xfs returns -EINVAL both for a file that was just
 * written to and for a file with holes, so after that error the extents are read once more, under
 * the exclusive lock. Return: as noclone_extent_swap_read(), or -EINTR.
 */
static struct swap_info_struct *noclone_extent_swap_read_locked(struct noclone_file_c *fc)
{
	struct rw_semaphore *lock = &file_inode(fc->file)->i_rwsem;
	struct swap_info_struct *sis;

	if (down_read_killable(lock))
		return ERR_PTR(-EINTR);
	sis = noclone_extent_swap_read(fc);
	up_read(lock);
	if (sis != ERR_PTR(-EINVAL))
		return sis;
	if (down_write_killable(lock))
		return ERR_PTR(-EINTR);
	sis = noclone_extent_swap_read(fc);
	up_write(lock);
	return sis;
}

static int noclone_extent_read(struct noclone_file_c *fc,
			       struct noclone_extent **extents)
{
	struct swap_info_struct *sis;
	unsigned int noio;
	u32 nr = 0;

	/* Reclaim may write to the device, which writes to the file */
	noio = memalloc_noio_save();
	sis = noclone_extent_swap_read_locked(fc);
	if (!IS_ERR(sis))
		nr = noclone_extent_build(fc, sis, extents);
	memalloc_noio_restore(noio);

	if (IS_ERR(sis))
		return noclone_extent_unread(fc, PTR_ERR(sis));
	fc->below.bdev = sis->bdev;
	format_dev_t(fc->below.name, sis->bdev->bd_dev);
	fc->extents = nr;
	noclone_extent_swap_free(sis);
	if (!nr)
		return noclone_refuse(fc, -EINVAL,
			"File system reports extents for only a part of the file, or there is not enough memory for the extents");
	if (!noclone_extent_is_written(fc))
		return noclone_refuse(fc, -EINVAL,
			"File has unwritten extents, or a process maps or reads the file: fill the file (noclone create --allocate), end this process, or use engine direct");
	return 0;
}

/* Are the extents that were read now equal to those that the constructor put into the table? */
static bool noclone_extent_match(const struct noclone_file_c *fc,
				 const struct noclone_extent *e, u32 nr)
{
	const struct noclone_table *table = fc->target->table;
	u32 i = noclone_find_span(table->spans, table->nr, fc->ti->begin);

	if (nr != fc->extents)
		return false;
	for (; nr; nr--, e++, i++)
		if (table->spans[i].begin != e->begin ||
		    table->segments[i].layout.begin != e->begin - e->physical)
			return false;
	return true;
}

static bool noclone_extent_is_same(struct noclone_file_c *fc,
				   const struct swap_info_struct *sis)
{
	struct noclone_extent *extents;
	u32 nr = noclone_extent_build(fc, sis, &extents);
	bool same = nr && noclone_extent_match(fc, extents, nr);

	kvfree(extents);
	return same && sis->bdev == fc->below.bdev && noclone_extent_is_written(fc);
}

/*
 * Is the pin still the one that .preresume asked to verify? If the file was unpinned after the
 * request, a comparison proves nothing.
 */
static bool noclone_extent_still_pinned(const struct noclone_file_c *fc)
{
	return noclone_extent_pin_nr(fc->backing) == fc->verify_nr;
}

static bool noclone_extent_all_same(struct noclone_file_c *fc)
{
	struct inode *inode = file_inode(fc->file);
	struct swap_info_struct *sis = ERR_PTR(-ESTALE);
	struct noclone_file_c *user;
	bool same;

	inode_lock_shared(inode);
	if (noclone_extent_still_pinned(fc))
		sis = noclone_extent_swap_read(fc);
	inode_unlock_shared(inode);
	if (IS_ERR(sis))
		return false;

	same = noclone_backing_has_direct_io(fc) && !noclone_extent_may_get_verity(fc);
	for (user = fc; same && user; user = noclone_backing_next(user, user))
		same = noclone_extent_is_same(user, sis);
	noclone_extent_swap_free(sis);
	return same && noclone_extent_still_pinned(fc);
}

/*
 * Compare the extents. Return: NULL, or the reason why the engine extent must not run. If a write
 * was lost and the comparison has failed, the lost write is reported, because it may be the cause
 * of the failure.
 */
static const char *noclone_extent_judge(struct noclone_file_c *fc)
{
	bool same = noclone_extent_all_same(fc);

	if (noclone_backing_has_error(fc))
		return "extent:error";
	return same ? NULL : "extent:changed";
}

/*
 * Work item that compares the extents, on behalf of .preresume. It may take any time; the
 * destructor waits for it.
 */
static void noclone_extent_verify(struct work_struct *work)
{
	struct noclone_file_c *fc = container_of(work, struct noclone_file_c, verify);
	unsigned int noio = memalloc_noio_save();

	fc->verdict = noclone_extent_judge(fc);
	memalloc_noio_restore(noio);
	smp_store_release(&fc->verifying, false); /* the verdict is stored before this */
	complete(&fc->verified);
}

/*
 * Wait for the comparison of one file. When the time of the table is over, each remaining file gets
 * one jiffy, which is enough for most files.
 */
static void noclone_extent_wait(struct noclone_file_c *fc)
{
	long left = fc->target->table->verify_until - jiffies;

	wait_for_completion_timeout(&fc->verified, max(left, 1L));
}

/* Return: NULL, or the reason why the extents may have changed. */
static const char *noclone_extent_run_verify(struct noclone_file_c *fc)
{
	/* The comparison that an earlier resume has begun has not ended */
	if (READ_ONCE(fc->verifying))
		return "extent:busy";
	fc->verifying = true;
	fc->verify_nr = fc->backing->pin_nr;
	reinit_completion(&fc->verified);
	queue_work(fc->wq, &fc->verify);
	noclone_extent_wait(fc);
	/* The completion may come from an earlier comparison */
	return smp_load_acquire(&fc->verifying) ? "extent:busy" : fc->verdict;
}

/*
 * Pin the file and verify its extents, unless the extents were verified under the same pin. Return:
 * NULL, or the reason why the targets of the table must not bypass the file system.
 */
static const char *noclone_extent_pin(struct noclone_file_c *first)
{
	struct noclone_backing *b = first->backing;
	struct noclone_file_c *fc;
	bool known = b->pinned;
	const char *why = NULL;

	for (fc = first; fc; fc = noclone_backing_next(fc, fc))
		known &= fc->pin_nr == b->pin_nr;
	if (known)
		return NULL;
	if (!b->pinned)
		why = noclone_pin_acquire(b);
	return why ? why : noclone_extent_run_verify(first);
}

static void noclone_extent_choose(struct noclone_file_c *fc, const char *why)
{
	bool ran = fc->engine->pins;

	WRITE_ONCE(fc->refused, why);
	WRITE_ONCE(fc->engine, why ? &noclone_engine_direct : fc->requested);
	fc->pin_nr = why ? 0 : fc->backing->pin_nr;
	fc->backing->ran |= !why;
	if (ran != fc->engine->pins)
		atomic_add(ran ? 1 : -1, &fc->target->table->unpinned);
}

static void noclone_extent_unpin(struct noclone_file_c *fc)
{
	if (noclone_pin_release(fc->backing) || fc->backing->marked)
		noclone_work_queue(&fc->follow_up);
}

static void noclone_extent_decide(struct noclone_file_c *first)
{
	const char *why = noclone_extent_pin(first);
	struct noclone_file_c *fc;

	for (fc = first; fc; fc = noclone_backing_next(fc, fc))
		noclone_extent_choose(fc, why);
	if (!why) {
		/*
		 * If the file was already pinned, the cache may have pages that are older than
		 * writes of the device
		 */
		noclone_pin_note_writes(first->backing);
		kthread_queue_work(first->writer, &first->drop);
		return;
	}
	noclone_extent_unpin(first);
	DMWARN("%s: %s cannot be pinned (%s): engine direct is used instead",
	       dm_table_device_name(first->ti->table), first->path, why);
}

/*
 * Let writes fail if the file has got verity: no engine may write to such a file, because the file
 * could not be read any more. File systems do not check for verity on a write, because such a file
 * cannot be opened for writing.
 */
static void noclone_extent_deny_if_verity(struct noclone_file_c *fc)
{
	struct noclone_table *table = fc->target->table;

	if (likely(!IS_VERITY(file_inode(fc->file))) || READ_ONCE(table->denies_writes))
		return;
	DMERR("%s: a program has enabled verity on %s: writes fail from now on, copy the data to another device",
	      dm_table_device_name(fc->ti->table), fc->path);
	noclone_fastpath_deny_writes(table);
}

/*
 * Pin or unpin the file as the table requests. The first target of the table that uses a file
 * decides for all its targets on this file. Context: .preresume; no bio is in flight. Must not
 * fail.
 */
void noclone_extent_preresume(struct noclone_file_c *fc)
{
	struct noclone_table *table = fc->target->table;
	unsigned int noio = memalloc_noio_save();

	if (table->first_file == fc)
		table->verify_until = jiffies + NOCLONE_VERIFY_TIME;
	noclone_extent_deny_if_verity(fc);
	if (noclone_backing_next(fc, NULL) == fc) {
		if (fc->requested->pins)
			noclone_extent_decide(fc);
		else
			noclone_extent_unpin(fc);
	}
	memalloc_noio_restore(noio);
}

static void noclone_extent_follow_up(struct work_struct *work)
{
	struct noclone_file_c *fc = container_of(work, struct noclone_file_c, follow_up);
	unsigned int noio = memalloc_noio_save();

	noclone_extent_deny_if_verity(fc);
	/*
	 * A pinned file needs its mark. Do not even take the lock of the mark then: .preresume only
	 * tries this lock, and uses the engine direct if the lock is held
	 */
	if (!READ_ONCE(fc->backing->pinned))
		noclone_pin_unmark(fc->backing);
	noclone_pin_publish_writes(fc);
	memalloc_noio_restore(noio);
}

/*
 * Drop the cached pages of the file: other programs have read these pages, and the device may have
 * written to the same blocks since. Dropping waits for page locks, and a reader that holds one may
 * wait for memory, which may wait for the device. So a thread drops the pages, and a flush waits
 * for the thread no longer than NOCLONE_DROP_TIME. The thread holds no lock while it waits.
 */
static void noclone_extent_drop(struct kthread_work *work)
{
	struct noclone_file_c *fc = container_of(work, struct noclone_file_c, drop);
	unsigned int noio = memalloc_noio_save();
	/* A full barrier before the search for pages; pairs with noclone_extent_flush() */
	u32 nr = atomic_inc_return(&fc->drops);

	/*
	 * If the file is no longer pinned, another table is live, and the cache may have newer data
	 * than the disk
	 */
	if (READ_ONCE(fc->backing->pinned))
		invalidate_inode_pages2(fc->file->f_mapping);
	memalloc_noio_restore(noio);
	/*
	 * Store @nr after the pages are dropped: when the flush has ended, no reader may find old
	 * pages
	 */
	smp_store_release(&fc->dropped, nr);
	wake_up_all(&fc->drop_wait);
	/*
	 * Set the times of the file only now: a program that sees new times must not find old
	 * pages
	 */
	noclone_work_queue(&fc->follow_up);
}

/*
 * Initialise the work items of a target. All engines need these work items, because each engine may
 * have to unpin a file that an earlier table has pinned.
 */
void noclone_extent_init(struct noclone_file_c *fc)
{
	init_completion(&fc->verified);
	INIT_WORK(&fc->verify, noclone_extent_verify);
	INIT_WORK(&fc->follow_up, noclone_extent_follow_up);
	kthread_init_work(&fc->drop, noclone_extent_drop);
	init_waitqueue_head(&fc->drop_wait);
}

/*
 * Read the extents, for the constructor. The engine direct is used until .preresume has pinned the
 * file. Return: 0, with *@extents for kvfree(), or a negative errno with ti->error set.
 */
int noclone_extent_find(struct noclone_file_c *fc,
			struct noclone_extent **extents)
{
	int r = noclone_extent_check(fc);
	u32 pin_nr = noclone_extent_pin_nr(fc->backing);

	if (!r)
		r = noclone_backing_open_for_extents(fc);
	if (!r)
		r = noclone_extent_read(fc, extents);
	if (r)
		return r;

	if (pin_nr == noclone_extent_pin_nr(fc->backing))
		fc->pin_nr = pin_nr;
	fc->engine = &noclone_engine_direct;
	fc->refused = "extent:loaded";
	return 0;
}

static void noclone_extent_flush_work(struct work_struct *work)
{
	struct noclone_cmd *cmd = container_of(work, struct noclone_cmd, work);
	struct noclone_file_c *fc = cmd->fc;

	/* Wait until a run of noclone_extent_drop() that began after the flush has ended */
	wait_event_timeout(fc->drop_wait, (int)(READ_ONCE(fc->dropped) - cmd->done) > 0,
			   NOCLONE_DROP_TIME);
	submit_bio_noacct(cmd->bio);
}

/*
 * Send a flush to the disk after the pages of the file have left the cache, so that readers of the
 * file then see all writes before the flush. Only flushes drop pages, because flushes are few.
 */
static int noclone_extent_flush(struct noclone_file_c *fc, struct bio *bio)
{
	struct noclone_cmd *cmd = dm_per_bio_data(bio, sizeof(*cmd));

	bio_set_dev(bio, fc->below.bdev);
	noclone_pin_note_writes(fc->backing);
	if (!READ_ONCE(fc->file->f_mapping->nrpages)) {
		noclone_work_queue(&fc->follow_up);
		return DM_MAPIO_REMAPPED;
	}
	cmd->fc = fc;
	cmd->bio = bio;
	/*
	 * A run of noclone_extent_drop() that is not counted in cmd->done finds these pages; pairs
	 * with noclone_extent_drop()
	 */
	smp_mb();
	cmd->done = atomic_read(&fc->drops);
	kthread_queue_work(fc->writer, &fc->drop);
	INIT_WORK(&cmd->work, noclone_extent_flush_work);
	queue_work(fc->wq, &cmd->work);
	return DM_MAPIO_SUBMITTED;
}

/* This function is called for clones, that is, for bios that the fast path left to dm core. */
static int noclone_extent_map(struct noclone_file_c *fc, struct bio *bio)
{
	const struct noclone_table *table = fc->target->table;
	sector_t sector = bio->bi_iter.bi_sector;
	u32 i, leg;

	noclone_count(fc->target->nd, NOCLONE_CLONES);
	if (!bio_sectors(bio))
		return noclone_extent_flush(fc, bio);

	i = noclone_find_span(table->spans, table->nr, sector);
	/* Cut the bio before bio_set_dev(): a bio for a zoned disk must not be cut */
	if (bio_end_sector(bio) > table->spans[i].end)
		dm_accept_partial_bio(bio, table->spans[i].end - sector);
	bio_set_dev(bio, fc->below.bdev);
	bio->bi_iter.bi_sector = noclone_map_sector(&table->segments[i].layout,
						    sector, &leg);
	return DM_MAPIO_REMAPPED;
}

const struct noclone_engine noclone_extent_engine = {
	.id		= NOCLONE_ENGINE_EXTENT,
	.direct		= true,
	.pins		= true,
	.map		= noclone_extent_map,
};
