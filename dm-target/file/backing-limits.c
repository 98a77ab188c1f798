// SPDX-License-Identifier: GPL-2.0-only
/*
 * noclone-file: the size of the backing file, the alignment of I/O on the file, and the disk whose
 * limits apply to this I/O.
 */
#include "backing-limits.h"
#include "file-state.h"
#include "../include/noclone-refusals.h"

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
 * Is a write with IOCB_DSYNC on disk when it ends? The function returns true only for a file system
 * whose source has been reviewed. FUSE, 9p and CIFS do not ensure that the write is on disk, and
 * ocfs2 looks at the flags of the struct file instead. ext2, and ext4 without a journal, do not
 * ensure this if an earlier write has allocated the blocks, because the inode is not written then.
 * The loop driver offers no FUA, but dm core always offers FUA if a target wants flushes.
 */
static bool noclone_backing_keeps_dsync(const struct super_block *sb)
{
	return sb->s_magic == XFS_SUPER_MAGIC;
}

/*
 * Is the file system an ext4? The driver of ext2 has the same magic number, but fdatasync() of ext2
 * does not write an inode that has got a block since the inode was last written. A file system that
 * was mounted as ext2 counts as ext2, even if the driver of ext4 serves it.
 */
static bool noclone_backing_is_ext4(const struct super_block *sb)
{
	return sb->s_magic == EXT4_SUPER_MAGIC && strcmp(sb->s_type->name, "ext2");
}

/*
 * Does each fdatasync() flush the disk that has the data? This is true on an ext4 that has its
 * journal on the same disk. For blocks that the file already has, fdatasync() needs no commit and
 * flushes the disk itself; for new blocks it waits for a commit, which goes to the same disk.
 * fsync() does not always flush the disk: it may rely on a fast commit that has already begun. If
 * the journal is on another disk, a commit sends no flush to the disk of the data (before "jbd2:
 * add a missing data flush during file and fs synchronization", v6.15). Without a journal,
 * fdatasync() leaves an inode with a new block in the cache (v6.5 to v6.18, except in stable series
 * with "ext4: Force writeout of inode table buffer"), or sends no flush (before v6.5).
 */
static bool noclone_backing_fdatasync_flushes(struct super_block *sb)
{
	return noclone_backing_is_ext4(sb) && noclone_compat_ext4_has_own_journal(sb);
}

/*
 * May a sync of the file leave its data in the cache of the disk? gfs2 and f2fs send no flush if
 * they find the inode clean. ext4 sends no flush if it waits for a commit that sends no flush. So
 * s_bdev gets a flush after each sync, unless the source of the file system has been reviewed. For
 * bcachefs no flush is sent: s_bdev is one of several disks, and this disk may be gone.
 */
static bool noclone_backing_needs_flush(struct super_block *sb)
{
	if (!sb->s_bdev || sb->s_magic == XFS_SUPER_MAGIC ||
	    sb->s_magic == NOCLONE_BCACHEFS_SUPER_MAGIC)
		return false;
	return !noclone_backing_fdatasync_flushes(sb);
}

/*
 * Is fsync() after a write enough, so that IOCB_DSYNC adds nothing? fsync() is enough on a file
 * system without s_bdev (btrfs, 9p, NFS), except on FUSE: FUSE passes the flag to its server, and
 * the server may not know fsync. gfs2 and f2fs need IOCB_DSYNC. Their fsync() sends no flush to the
 * disk if the inode is clean, and the inode may be clean after only blocks of the file were
 * written. With IOCB_DSYNC, a disk with FUA stores the data. So on a file system with s_bdev,
 * IOCB_DSYNC is left out only if the source of the file system has been reviewed, see
 * noclone_backing_choose_fua().
 */
static bool noclone_backing_needs_no_dsync(const struct super_block *sb)
{
	return !sb->s_bdev && sb->s_magic != FUSE_SUPER_MAGIC;
}

/*
 * Choose how to put FUA writes on disk, with one sync if one sync is enough: two syncs would flush
 * the disk twice.
 */
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
		return noclone_refuse(fc, r, "Attributes of the file cannot be read");

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
		/*
		 * Align I/O as the loop driver does. A file system without a disk handles
		 * unaligned I/O
		 */
		fc->align = bdev ? bdev_logical_block_size(bdev) : SECTOR_SIZE;
		fc->memalign = fc->align;
		fc->align_from = bdev ? "disk" : "none";
	}
	return 0;
}

/*
 * Is direct I/O on the file still possible? On ext4, direct I/O is not possible while the data is
 * journalled, and chattr +j can switch this on at any time. vfs_getattr() would check permissions
 * of this thread, which did not open the file. Context: may sleep.
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
 * While the device is open, refuse a table with larger blocks than the live one. The file system or
 * program that has the device open keeps its block size, and its smaller I/O would fail. Stock
 * targets allow such a table, but their blocks grow only if another disk is used. The blocks of
 * noclone-file may also grow when the table has another engine for the same file. A device without
 * a live table has no I/O that could fail.
 */
static int noclone_backing_check_blocks(struct noclone_file_c *fc)
{
	struct gendisk *disk = dm_disk(dm_table_get_md(fc->ti->table));

	if (get_capacity(disk) && disk_openers(disk) &&
	    fc->align > queue_logical_block_size(disk->queue))
		return noclone_refuse(fc, -EBUSY,
				      "Device is open, and its blocks are smaller than the blocks of direct I/O on the file: close the device first, or use engine buffered");
	return 0;
}

/* Find the disk of the file system: the limits of that disk apply to direct I/O on the file. */
static void noclone_backing_find_disk(struct noclone_file_c *fc)
{
	struct block_device *bdev = file_inode(fc->file)->i_sb->s_bdev;

	fc->below.bdev = bdev;
	fc->below.mode = dm_table_get_mode(fc->ti->table);
	if (bdev)
		format_dev_t(fc->below.name, bdev->bd_dev);
}

/*
 * Find size, alignment and disk for a target whose file is open. Return: 0, or a negative errno
 * with ti->error set.
 */
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
