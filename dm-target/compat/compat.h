/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Differences between the supported kernels, and the only place for them. Every
 * file of the module includes this header first.
 *
 * NOCLONE_HAVE_* are always 0 or 1. Kbuild.include searches the kernel's headers for them, because
 * distribution kernels have backports that a version number does not show. The version number
 * decides about facts that the headers do not show. On a kernel that was not reviewed, this
 * decision can be wrong. So the version number decides only where a wrong decision costs speed, or
 * changes the limits and features that a stock target announces. Where a wrong decision could cost
 * data, a kernel that was not reviewed gets the code that is right for all kernels.
 */
#ifndef DM_NOCLONE_COMPAT_H
#define DM_NOCLONE_COMPAT_H

#include <linux/version.h>

/*
 * Linux 6.1, the oldest supported kernel, has the type and the member that are tested here. The
 * version is not compared, because an older kernel may have both as backports.
 */
#if NOCLONE_HAVE_OPF_TYPE != 1
#error "dm-noclone needs the type blk_opf_t, which came with Linux 6.0"
#endif
#if NOCLONE_HAVE_POLL_BIO != 1
#error "dm-noclone needs block_device_operations.poll_bio, which came with Linux 5.18"
#endif

/* One probe must succeed, and one must fail. */
#if NOCLONE_HAVE_SANE_PROBES != 1
#error "dm-noclone: the feature probes do not work with these kernel headers"
#endif

#include <linux/blkdev.h>
#include <linux/blk-mq.h>
#include <linux/device-mapper.h>
#include <linux/fileattr.h>
#include <linux/fs.h>
#include <linux/kthread.h>
#include <linux/magic.h>
#include <linux/mm.h>
#include <linux/overflow.h>
#include <linux/part_stat.h>
#include <linux/sched/mm.h>
#include <linux/uaccess.h>

/*
 * "dm-table: atomic writes support" (v6.14); the stock targets linear and striped set this feature.
 */
#ifndef DM_TARGET_ATOMIC_WRITES
#define DM_TARGET_ATOMIC_WRITES 0
#endif

/* "block: Add core atomic write support" (v6.11) */
#ifndef REQ_ATOMIC
#define REQ_ATOMIC 0
#endif

/*
 * dm-stripe passes inline encryption on 6.16 and not on 6.12; no header shows the difference. A
 * wrong decision moves the software encryption from the mapped device to the legs, or back: the
 * data is the same.
 */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 16, 0)
#define NOCLONE_STRIPED_PASSES_CRYPTO DM_TARGET_PASSES_CRYPTO
#else
#define NOCLONE_STRIPED_PASSES_CRYPTO 0
#endif

/*
 * commit 5fb9d4341b78 ("dm-stripe: limit chunk_sectors to the stripe size", v6.17, and in the 6.12
 * and 6.16 series): dm-stripe sets chunk_sectors. A wrong decision makes this one queue limit
 * differ from that of stock.
 */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 16, 12) || \
	(LINUX_VERSION_CODE >= KERNEL_VERSION(6, 12, 48) && \
	 LINUX_VERSION_CODE < KERNEL_VERSION(6, 13, 0))
#define NOCLONE_STRIPED_CHUNK_LIMIT 1
#else
#define NOCLONE_STRIPED_CHUNK_LIMIT 0
#endif

/*
 * commit 65e8fbde6452 ("dm: call the resume method on internal suspend", v6.9, and in stable
 * series): without this commit an internal resume calls no .resume. So the internal resume attaches
 * no fast path, and a target that has .presuspend or .postsuspend stays suspended. A wrong decision
 * leaves a device of ours or a stock device on dm core's path until the next resume.
 */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 8, 2) || \
	(LINUX_VERSION_CODE >= KERNEL_VERSION(6, 7, 11) && \
	 LINUX_VERSION_CODE < KERNEL_VERSION(6, 8, 0)) || \
	(LINUX_VERSION_CODE >= KERNEL_VERSION(6, 6, 23) && \
	 LINUX_VERSION_CODE < KERNEL_VERSION(6, 7, 0)) || \
	(LINUX_VERSION_CODE >= KERNEL_VERSION(6, 1, 83) && \
	 LINUX_VERSION_CODE < KERNEL_VERSION(6, 2, 0))
#define NOCLONE_INTERNAL_RESUME_CALLS_TARGETS 1
#else
#define NOCLONE_INTERNAL_RESUME_CALLS_TARGETS 0
#endif

/*
 * commit c1881c74f4df ("dm-stripe: adjust max_hw_discard_sectors to avoid unnecessary discard bio
 * splitting", v7.0). A wrong decision makes this one queue limit differ from that of stock.
 */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(7, 0, 0)
#define NOCLONE_STRIPED_SCALES_DISCARD 1
#else
#define NOCLONE_STRIPED_SCALES_DISCARD 0
#endif

/*
 * "dm zero: add discard support": 6.12 has it, 6.1 does not; see Documentation/compat.rst. After a
 * wrong decision, a discard of a zero device succeeds where a discard of stock's fails, or the
 * reverse. Such a discard changes no data.
 */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 4, 0)
#define NOCLONE_ZERO_DISCARDS true
#else
#define NOCLONE_ZERO_DISCARDS false
#endif

/*
 * bio_set_dev() of a bio whose flags are cleared already. bio_set_dev() puts the blkg of the bio's
 * cgroup, and then uses the cgroup to find the blkg of the new device. The submitter's bio may have
 * the last reference to a dead cgroup, so the call needs an RCU section. bio_associate_blkg() has
 * its own RCU section on 6.1 and 6.12, and none on 7.2. No header shows this, and a stable release
 * may drop the section, so this function never relies on it. Disabling preemption also makes an RCU
 * section and costs less, but bio_associate_blkg() may sleep with PREEMPT_RT or on an unreviewed
 * kernel.
 */
static inline void noclone_compat_set_dev(struct bio *bio, struct block_device *bdev)
{
	if (!NOCLONE_KERNEL_IS_KNOWN) {
		rcu_read_lock();
		bio_set_dev(bio, bdev);
		rcu_read_unlock();
		return;
	}
	bio->bi_bdev = bdev;
	if (IS_ENABLED(CONFIG_PREEMPT_RT)) {
		rcu_read_lock();
		bio_associate_blkg(bio);
		rcu_read_unlock();
	} else {
		preempt_disable();
		bio_associate_blkg(bio);
		preempt_enable();
	}
}

/*
 * "block: add plug while submitting IO" (between v6.9 and v6.12; 7.1 has it and 7.2 does not): if
 * there is no plug, the block layer starts a plug for each bio. This plug ends before the bios that
 * the mapped device has submitted reach the legs. A wrong decision costs a leg one more request for
 * a large I/O. Return: true if @plug may be such a plug.
 */
static inline bool noclone_compat_plug_is_for_one(const struct blk_plug *plug)
{
	return LINUX_VERSION_CODE >= KERNEL_VERSION(6, 9, 0) &&
	       LINUX_VERSION_CODE < KERNEL_VERSION(7, 2, 0) &&
	       !plug->rq_count && plug->nr_ios <= 1;
}

/* Linux 7.2 lacks nth_page(): there all pages of a vector are neighbours in the memory map. */
#ifdef nth_page
#define noclone_compat_nth_page(page, n)	nth_page(page, n)
#else
#define noclone_compat_nth_page(page, n)	((page) + (n))
#endif

/*
 * Call bio_clone_blkg_association() in an RCU section, see noclone_compat_set_dev(). The caller has
 * set bi_bdev of @clone.
 */
static inline void noclone_compat_clone_blkg(struct bio *clone, struct bio *bio)
{
	rcu_read_lock();
	bio_clone_blkg_association(clone, bio);
	rcu_read_unlock();
}

/*
 * Does dm core count the I/O of the device for iostat? "block: move the io_stat flag setting to
 * queue_limits" (v6.11): since then dm core does not count it if queue/iostats is 0.
 */
static inline bool noclone_compat_accounts_io(struct block_device *bdev)
{
#ifdef BLK_FEAT_IO_STAT
	return blk_queue_io_stat(bdev_get_queue(bdev));
#else
	return true;
#endif
}

/*
 * "block: move the poll flag to queue_limits" (v6.11). Can completions of this queue be
 * polled for?
 */
static inline bool noclone_compat_polls(struct request_queue *q)
{
#ifdef BLK_FEAT_POLL
	return q->limits.features & BLK_FEAT_POLL;
#else
	return test_bit(QUEUE_FLAG_POLL, &q->queue_flags);
#endif
}

/*
 * May the functions below replace bdev_start_io_acct() and bdev_end_io_acct()? They may if @bdev is
 * a whole disk, and if its time stamp already is @now: then there is no time to add to io_ticks,
 * and the kernel's functions would spend half of their time on finding this out.
 */
static inline bool noclone_compat_same_tick(struct block_device *bdev,
					    unsigned long now)
{
	return READ_ONCE(bdev->bd_stamp) == now && !bdev_is_partition(bdev);
}

/*
 * Count I/Os and their sectors. The caller does this when the I/O ends; before Linux 6.3, it does
 * this when the I/O starts ("block: count 'ios' and 'sectors' when io is done for bio-based
 * device", v6.3).
 */
static inline void noclone_compat_count_ios(struct block_device *bdev, bool write,
					    unsigned int ios, unsigned int sectors)
{
	__part_stat_add(bdev, ios[write], ios);
	__part_stat_add(bdev, sectors[write], sectors);
}

/* Do the written sectors include a write that has not ended? See noclone_compat_count_ios(). */
static inline bool noclone_compat_counts_early(struct block_device *bdev)
{
	long writes = 0;
	int cpu;

	if (!NOCLONE_HAVE_ACCT_SECTORS_AT_START)
		return false;
	for_each_possible_cpu(cpu)
		writes += part_stat_local_read_cpu(bdev, in_flight[STAT_WRITE], cpu);
	return writes > 0;
}

/* This is local_add() without the search for the counter of the current processor. Context: any. */
static inline void noclone_compat_in_flight_add(struct block_device *bdev, bool write, long n)
{
	local_t __percpu *in_flight = &bdev->bd_stats->in_flight[write];

	static_assert(sizeof(*in_flight) == sizeof(n));
	this_cpu_add(*(long __percpu *)in_flight, n);
}

/*
 * Count the start of an I/O. @op is REQ_OP_READ or REQ_OP_WRITE. The I/O counts as @ios I/Os that
 * have @sectors sectors together.
 */
static __always_inline void
noclone_compat_start_io_acct(struct block_device *bdev, enum req_op op, unsigned int ios,
			     unsigned int sectors, unsigned long start)
{
	bool write = op_is_write(op);

	if (unlikely(!noclone_compat_same_tick(bdev, start))) {
#if NOCLONE_HAVE_ACCT_SECTORS_AT_START
		bdev_start_io_acct(bdev, sectors, op, start);
#else
		bdev_start_io_acct(bdev, op, start);
#endif
		/* The call counted one I/O with all sectors: count the others without sectors */
		if (!--ios)
			return;
		sectors = 0;
	}
	part_stat_lock();
	if (NOCLONE_HAVE_ACCT_SECTORS_AT_START)
		noclone_compat_count_ios(bdev, write, ios, sectors);
	noclone_compat_in_flight_add(bdev, write, ios);
	part_stat_unlock();
}

static __always_inline void
noclone_compat_end_io_acct(struct block_device *bdev, enum req_op op, unsigned int ios,
			   unsigned int sectors, unsigned long start, unsigned long now)
{
	bool write = op_is_write(op);

	if (unlikely(!noclone_compat_same_tick(bdev, now))) {
#if NOCLONE_HAVE_ACCT_SECTORS_AT_START
		bdev_end_io_acct(bdev, op, start);
#else
		bdev_end_io_acct(bdev, op, sectors, start);
#endif
		/* The call counted one I/O with all sectors: count the others without sectors */
		if (!--ios)
			return;
		sectors = 0;
	}
	part_stat_lock();
	if (!NOCLONE_HAVE_ACCT_SECTORS_AT_START)
		noclone_compat_count_ios(bdev, write, ios, sectors);
	if (unlikely(now != start))
		__part_stat_add(bdev, nsecs[write],
				(u64)jiffies_to_nsecs(now - start) * ios);
	noclone_compat_in_flight_add(bdev, write, -(long)ios);
	part_stat_unlock();
}

/*
 * Flags that a bio keeps while the leg has the bio. When dm core clones a bio, the clone has none
 * of the flags of this bio, so all other flags are cleared for the leg and restored afterwards. A
 * flag that a later kernel adds is thus treated as dm core treats it. BIO_CLONED is set in each
 * clone. BIO_REFFED belongs to the holders of the bio, at any time.
 */
#define NOCLONE_UNSAVED_FLAGS	(BIT(BIO_CLONED) | BIT(BIO_REFFED))

/* The flag about the pages of a bio: 6.12 has BIO_PAGE_PINNED, 6.1 has BIO_NO_PAGE_REF */
#if NOCLONE_HAVE_PAGE_PINNED
#define NOCLONE_PAGE_FLAG	BIO_PAGE_PINNED
#else
#define NOCLONE_PAGE_FLAG	BIO_NO_PAGE_REF
#endif

/*
 * If a bio has one of these flags, only bio_endio() may call bi_end_io, because it may do more for
 * this bio. BIO_COMPLETE_IN_TASK (v7.3) lets a worker call bi_end_io. If the bio has a flag of QoS,
 * bio_endio() tells a policy of the queue that the bio has ended. bio_endio() does nothing about
 * the flags that are taken out here. A flag that the module does not know may be a macro of a
 * vendor, which no list of facts shows. On a kernel that was not reviewed bio_endio() may do more
 * for any bio, so noclone_fastpath_choose_end_io() returns bio_endio() for each bio on such a
 * kernel.
 */
#if NOCLONE_KERNEL_IS_KNOWN
#define NOCLONE_ENDIO_FLAGS	((unsigned short)~(BIT(NOCLONE_PAGE_FLAG) | BIT(BIO_CLONED) | \
				 BIT(BIO_QUIET) | BIT(BIO_REFFED) | BIT(BIO_BPS_THROTTLED) | \
				 BIT(BIO_TRACE_COMPLETION) | BIT(BIO_CGROUP_ACCT) | \
				 BIT(BIO_REMAPPED)))
#else
#define NOCLONE_ENDIO_FLAGS	0
#endif

/*
 * A last call that has to be a jump: gcc 15 and clang report an error if it cannot be one. On other
 * processors it may be a call; noclone_fops_find_tail_call() finds out whether it is one.
 */
#if __has_attribute(musttail) && (defined(CONFIG_X86_64) || defined(CONFIG_ARM64))
#define NOCLONE_MUSTTAIL	__attribute__((__musttail__))
#else
#define NOCLONE_MUSTTAIL
#endif

/* "dm: optimize flushes" (v6.11): empty flushes need not pass our .map */
static inline void noclone_compat_flush_bypasses_map(struct dm_target *ti)
{
#if NOCLONE_HAVE_FLUSH_BYPASSES_MAP
	ti->flush_bypasses_map = true;
#endif
}

/* "dm: Allow .prepare_ioctl to handle ioctls directly" (v6.16) */
#if NOCLONE_HAVE_IOCTL_FORWARD
#define NOCLONE_IOCTL_EXTRA_ARGS , unsigned int cmd, unsigned long arg, \
		bool *forward
#else
#define NOCLONE_IOCTL_EXTRA_ARGS
#endif

/* "mm: remove callers of pfn_t functionality" (v6.17) */
#if NOCLONE_HAVE_DAX_PFN_T
typedef pfn_t noclone_dax_pfn_t;
#else
typedef unsigned long noclone_dax_pfn_t;
#endif

/* "fs: prepare for extending file_get/setattr()" (v6.17) */
#if NOCLONE_HAVE_FILE_KATTR
typedef struct file_kattr noclone_fileattr;
#else
typedef struct fileattr noclone_fileattr;
#endif

/* Does the file support IOCB_WAITQ? Until v6.9, a bit of f_mode says so. */
static inline bool noclone_compat_async_buffered_reads(const struct file *file)
{
#ifdef FMODE_BUF_RASYNC
	return file->f_mode & FMODE_BUF_RASYNC;
#else
	return file->f_op->fop_flags & FOP_BUFFER_RASYNC;
#endif
}

/*
 * "btrfs: always fallback to buffered write if the inode requires checksum" (v6.15, and in the 6.12
 * series): without this commit, btrfs may store a wrong checksum if the memory changes while direct
 * I/O writes it, and then btrfs can no longer read the data. File systems on the mapped device do
 * change such memory. The version of a kernel that was not reviewed proves nothing, so direct I/O
 * of btrfs counts as unsafe there.
 */
static inline bool noclone_compat_direct_io_is_unsafe(const struct inode *inode)
{
#if NOCLONE_KERNEL_IS_KNOWN && \
	(LINUX_VERSION_CODE >= KERNEL_VERSION(6, 15, 0) || \
	 (LINUX_VERSION_CODE >= KERNEL_VERSION(6, 12, 40) && \
	  LINUX_VERSION_CODE < KERNEL_VERSION(6, 13, 0)))
	return false;
#else
	return inode->i_sb->s_magic == BTRFS_SUPER_MAGIC;
#endif
}

/* BCACHEFS_SUPER_MAGIC of Linux 6.7 to 6.17 */
#define NOCLONE_BCACHEFS_SUPER_MAGIC	0xca451a4e

/*
 * Is the journal of ext4 in the file system itself? The superblock of ext4 is private, but such a
 * journal holds its inode, number 8. On a kernel that was not reviewed the function returns false:
 * then a flush or a FUA write flushes the disk twice.
 */
static inline bool noclone_compat_ext4_has_own_journal(struct super_block *sb)
{
	struct inode *journal = ilookup(sb, 8);
	bool held = journal && atomic_read(&journal->i_count) > 1;

	iput(journal);
	return NOCLONE_KERNEL_IS_KNOWN && held;
}

/* "treewide: Introduce kthread_run_worker[_on_cpu]()" (v6.14) */
#ifndef kthread_run_worker
#define kthread_run_worker kthread_create_worker
#endif

/* "block: replace fmode_t with a block-specific type" (v6.5) */
static inline bool noclone_compat_table_is_writable(struct dm_table *table)
{
#ifdef BLK_OPEN_WRITE
	return dm_table_get_mode(table) & BLK_OPEN_WRITE;
#else
	return dm_table_get_mode(table) & FMODE_WRITE;
#endif
}

/*
 * Set the limits that stripe_io_hints() of the running kernel sets. The stock function of 6.1 calls
 * blk_limits_io_min(), so io_min is at least a block of the device. The stock function of 6.12
 * checks for an overflow; without that check an overflow gives a number without meaning.
 */
static inline void noclone_compat_striped_limits(struct queue_limits *limits,
						 u32 chunk_sectors, u32 stripes)
{
	unsigned int io_min, io_opt;

	if (NOCLONE_STRIPED_CHUNK_LIMIT)
		limits->chunk_sectors = chunk_sectors;
	if (!check_shl_overflow(chunk_sectors, SECTOR_SHIFT, &io_min) &&
	    !check_mul_overflow(io_min, stripes, &io_opt)) {
#if NOCLONE_HAVE_LIMITS_IO_MIN
		blk_limits_io_min(limits, io_min);
		blk_limits_io_opt(limits, io_opt);
#else
		limits->io_min = io_min;
		limits->io_opt = io_opt;
#endif
	}
#if NOCLONE_STRIPED_SCALES_DISCARD
	if (limits->max_hw_discard_sectors >= chunk_sectors) {
		unsigned int scaled;

		if (check_mul_overflow(limits->max_hw_discard_sectors, stripes,
				       &scaled))
			scaled = UINT_MAX >> SECTOR_SHIFT;
		else
			scaled = rounddown(scaled, chunk_sectors * stripes);
		limits->max_hw_discard_sectors = scaled;
	}
#endif
}

/*
 * Reset the limits for an engine that uses the page cache: the limits of the lower disk do not
 * apply to it. The features of the mapped device stay, except for two features that come from the
 * disk.
 */
static inline void noclone_compat_reset_limits(struct queue_limits *limits)
{
#ifdef BLK_FEAT_IO_STAT
	blk_features_t features = limits->features & ~BLK_FEAT_ZONED;

#ifdef BLK_FEAT_ATOMIC_WRITES
	features &= ~BLK_FEAT_ATOMIC_WRITES;
#endif
	blk_set_stacking_limits(limits);
	limits->features = features;
#else
	blk_set_stacking_limits(limits);
	/* Limit the read-ahead as the loop driver does. Later kernels do this themselves. */
	limits->max_sectors = 2560;
#endif
}

/* Discards and zeroes become fallocate(2), in blocks of the file system. */
static inline void noclone_compat_fallocate_limits(struct queue_limits *limits,
						   u32 block_size, bool fallocate)
{
	u32 most = fallocate ? UINT_MAX >> SECTOR_SHIFT : 0;

	limits->discard_granularity = fallocate ? block_size : 0;
	limits->max_hw_discard_sectors = most;
	limits->max_discard_sectors = most;
	limits->max_write_zeroes_sectors = most;
#if NOCLONE_HAVE_HW_WRITE_ZEROES_UNMAP
	/* fallocate(2) does not guarantee that zeroing unmaps the blocks */
	limits->max_hw_wzeroes_unmap_sectors = 0;
	limits->max_wzeroes_unmap_sectors = 0;
#endif
}

/*
 * Allocate a disk that is never added and has no limits. dm core gets this disk in the place of a
 * real disk. Return: NULL if there is no memory.
 */
static inline struct gendisk *noclone_compat_alloc_disk(void)
{
#if NOCLONE_HAVE_ALLOC_DISK_LIMITS
	struct gendisk *disk = blk_alloc_disk(NULL, NUMA_NO_NODE);
#else
	struct gendisk *disk = blk_alloc_disk(NUMA_NO_NODE);
#endif
	struct queue_limits *limits;

	if (IS_ERR_OR_NULL(disk))
		return NULL;
	limits = &disk->queue->limits;
	blk_set_stacking_limits(limits);
	noclone_compat_fallocate_limits(limits, SECTOR_SIZE, true);
#ifdef BLK_FEAT_NOWAIT
	limits->features = BLK_FEAT_NOWAIT;
#else
	blk_queue_flag_set(QUEUE_FLAG_NOWAIT, disk->queue);
	blk_queue_flag_set(QUEUE_FLAG_NONROT, disk->queue);
#endif
	set_capacity(disk, LLONG_MAX >> SECTOR_SHIFT);
	return disk;
}

/*
 * Can @slot be written to? The function stores the value that @slot already has. It uses
 * __put_kernel_nofault(), because copy_to_kernel_nofault() is not exported. On User-mode Linux,
 * modules cannot use this macro, and no memory of the kernel is read-only.
 */
static inline bool noclone_compat_can_write(void *slot)
{
#ifndef CONFIG_UML
	unsigned long same = READ_ONCE(*(unsigned long *)slot);

	pagefault_disable();
	__put_kernel_nofault((unsigned long *)slot, &same, unsigned long, fault);
	pagefault_enable();
	return true;
fault:
	pagefault_enable();
	return false;
#else
	return true;
#endif
}

/* "filelock: move file locking definitions to separate header file" (v6.3) */
#if NOCLONE_HAVE_FILELOCK_H
#include <linux/filelock.h>
#endif

/* dm core exports these functions on all kernels, and declares them only in drivers/md/dm.h */
void dm_internal_suspend_noflush(struct mapped_device *md);
void dm_internal_resume(struct mapped_device *md);

#endif /* DM_NOCLONE_COMPAT_H */
