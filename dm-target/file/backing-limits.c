// SPDX-License-Identifier: GPL-2.0-only
/*
 * noclone-file: the size of the backing file, the alignment of I/O on it, and the disk
 * whose limits apply to it.
 */
#include "backing-limits.h"
#include "noclone-file.h"
#include "../target.h"

#include <linux/blkdev.h>
#include <linux/magic.h>
#include <linux/stat.h>

static int noclone_backing_check_size(struct noclone_file_c *fc)
{
	u64 sectors = i_size_read(file_inode(fc->file)) >> SECTOR_SHIFT;

	if (fc->start > sectors || fc->ti->len > sectors - fc->start)
		return noclone_refuse(fc, -EINVAL,
				      NOCLONE_ERR_SHORT);
	return 0;
}

/*
 * Is a write with IOCB_DSYNC on disk when it ends? Not on FUSE, 9p and CIFS, nor on ocfs2, which
 * looks at the struct file; nor, on ext4 without a journal and ext2, where an earlier write has
 * allocated the blocks, because nothing writes the inode then. The loop driver offers no FUA; dm
 * core always does to a target that wants flushes. So only a file system whose source has been
 * read is trusted with it.
 */
static bool noclone_backing_keeps_dsync(const struct super_block *sb)
{
	return sb->s_magic == XFS_SUPER_MAGIC;
}

/*
 * The driver of ext2 has the same magic number, and its fdatasync() leaves out an inode that has
 * got a block since it was written. Where the driver of ext4 serves ext2, it counts as that.
 */
static bool noclone_backing_is_ext4(const struct super_block *sb)
{
	return sb->s_magic == EXT4_SUPER_MAGIC && strcmp(sb->s_type->name, "ext2");
}

/*
 * Does each fdatasync() flush the disk that has the data? On ext4 with the journal in itself, for
 * blocks that the file has: it needs no commit then, so it flushes the disk itself, and a commit
 * for other blocks goes to the same disk. fsync() may rely on a fast commit that has been on its
 * way already. If the journal is on another disk, a commit sends the disk of the data no flush
 * (before "jbd2: add a missing data flush during file and fs synchronization", v6.15). Without a
 * journal, fdatasync() leaves the inode with a new block in the cache (v6.5 to v6.18, but for
 * "ext4: Force writeout of inode table buffer" in stable series), or sends no flush (before v6.5).
 */
static bool noclone_backing_fdatasync_flushes(struct super_block *sb)
{
	return noclone_backing_is_ext4(sb) && noclone_compat_ext4_has_own_journal(sb);
}

/*
 * May a sync of the file leave its data in the cache of the disk? gfs2 and f2fs send no flush where
 * they find the inode clean, ext4 none where it waits for a commit that sends none. Only a file
 * system whose source has been read is trusted. bcachefs names one of its disks, which may be gone.
 */
static bool noclone_backing_needs_flush(struct super_block *sb)
{
	if (!sb->s_bdev || sb->s_magic == XFS_SUPER_MAGIC ||
	    sb->s_magic == NOCLONE_BCACHEFS_SUPER_MAGIC)
		return false;
	return !noclone_backing_fdatasync_flushes(sb);
}

/*
 * Does IOCB_DSYNC add nothing to fsync()? Without a disk of its own (btrfs, 9p, NFS), a file system
 * gains nothing from it, but for FUSE, which tells its server, and the server may know no fsync.
 * gfs2 and f2fs send the disk no flush where they find the inode clean, as it may be when only
 * blocks of the file have been written; there, IOCB_DSYNC makes a disk with FUA keep the data. So
 * only a file system whose source has been read does without it.
 */
static bool noclone_backing_needs_no_dsync(const struct super_block *sb)
{
	return !sb->s_bdev && sb->s_magic != FUSE_SUPER_MAGIC;
}

/* Two syncs where one is enough would flush the disk twice. */
static enum noclone_fua noclone_backing_choose_fua(struct file *file)
{
	struct super_block *sb = file_inode(file)->i_sb;

	if (!file->f_op->fsync)
		return NOCLONE_FUA_NONE;
	if (noclone_backing_keeps_dsync(sb))
		return NOCLONE_FUA_DSYNC;
	if (noclone_backing_fdatasync_flushes(sb))
		return NOCLONE_FUA_FDATASYNC;
	if (noclone_backing_needs_no_dsync(sb))
		return NOCLONE_FUA_FSYNC;
	return NOCLONE_FUA_DSYNC_FSYNC;
}

static int noclone_backing_read_attributes(struct noclone_file_c *fc)
{
	struct block_device *bdev = file_inode(fc->file)->i_sb->s_bdev;
	struct kstat st = { };
	int r;

	r = vfs_getattr(&fc->file->f_path, &st, STATX_BASIC_STATS |
			STATX_DIOALIGN, AT_STATX_SYNC_AS_STAT);
	if (r)
		return noclone_refuse(fc, r, "File gives no attributes");

	fc->st_dev = st.dev;
	fc->st_ino = st.ino;
	fc->fua = noclone_backing_choose_fua(fc->file);
	fc->needs_flush = noclone_backing_needs_flush(file_inode(fc->file)->i_sb);
	fc->align_from = "none";
	if (!(fc->file->f_mode & FMODE_CAN_ODIRECT) ||
	    noclone_compat_direct_io_is_unsafe(file_inode(fc->file))) {
		fc->align = 0;
	} else if (st.result_mask & STATX_DIOALIGN) {
		fc->align = st.dio_offset_align;
		fc->memalign = max(st.dio_mem_align, 1U);
		fc->align_from = "statx";
	} else {
		/* As the loop driver. Without a disk, the file system handles unaligned I/O */
		fc->align = bdev ? bdev_logical_block_size(bdev) : SECTOR_SIZE;
		fc->memalign = fc->align;
		fc->align_from = bdev ? "disk" : "none";
	}
	return 0;
}

/*
 * Does the file still have direct I/O? ext4 has none if data is journalled, which
 * chattr +j changes at any time. vfs_getattr() would check permissions of this thread, which
 * did not open the file. Context: may sleep.
 */
bool noclone_backing_has_direct_io(const struct noclone_file_c *fc)
{
	struct kstat st = { };

	return !vfs_getattr_nosec(&fc->file->f_path, &st, STATX_DIOALIGN,
				  AT_STATX_SYNC_AS_STAT) &&
	       (!(st.result_mask & STATX_DIOALIGN) || st.dio_offset_align);
}

static int noclone_backing_check_align(struct noclone_file_c *fc)
{
	u32 sectors = fc->align >> SECTOR_SHIFT;

	if (!fc->requested->direct) {
		fc->align_from = "none";
		fc->align = SECTOR_SIZE;
		fc->memalign = 1;
		return 0;
	}
	if (!sectors || !is_power_of_2(sectors) || fc->align > PAGE_SIZE)
		return noclone_refuse(fc, -EINVAL,
				      NOCLONE_ERR_NO_DIRECT);
	if ((fc->start | fc->ti->begin | fc->ti->len) & (sectors - 1))
		return noclone_refuse(fc, -EINVAL,
				      NOCLONE_ERR_ALIGN);
	return 0;
}

/*
 * Refuse larger blocks while the device is open: the file system or program that has it open
 * keeps its block size, and its smaller I/O would fail. Stock targets allow that, but there it
 * takes another disk; here another engine is enough. Without a live table, no I/O has begun.
 */
static int noclone_backing_check_blocks(struct noclone_file_c *fc)
{
	struct gendisk *disk = dm_disk(dm_table_get_md(fc->ti->table));

	if (get_capacity(disk) && disk_openers(disk) &&
	    fc->align > queue_logical_block_size(disk->queue))
		return noclone_refuse(fc, -EBUSY,
				      "Device is open, with smaller blocks than direct I/O of the file has: close it first, or use engine buffered");
	return 0;
}

/* The disk of the file system: its limits apply to direct I/O on the file. */
static void noclone_backing_find_disk(struct noclone_file_c *fc)
{
	struct block_device *bdev = file_inode(fc->file)->i_sb->s_bdev;

	fc->below.bdev = bdev;
	fc->below.mode = dm_table_get_mode(fc->ti->table);
	if (bdev)
		format_dev_t(fc->below.name, bdev->bd_dev);
}

/* For a target that has its file. Return: 0, or a negative errno with ti->error set. */
int noclone_backing_find_limits(struct noclone_file_c *fc)
{
	int r = noclone_backing_check_size(fc);

	if (!r)
		r = noclone_backing_read_attributes(fc);
	if (!r)
		r = noclone_backing_check_align(fc);
	if (!r)
		r = noclone_backing_check_blocks(fc);
	if (!r)
		noclone_backing_find_disk(fc);
	return r;
}
