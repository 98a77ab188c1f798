// SPDX-License-Identifier: GPL-2.0-only
/*
 * noclone-file: the file under a line.  What must not be used is refused here,
 * with a sentence that names the reason and the way out.
 */
#include "dm-noclone-file.h"

#include <linux/blkdev.h>
#include <linux/file.h>
#include <linux/major.h>
#include <linux/mount.h>
#include <linux/namei.h>
#include <linux/stat.h>

/*
 * Guards the list, and what is in it. No I/O and no waiting for anybody else
 * under it: the file of one device may be on another that is suspended.
 */
static DEFINE_MUTEX(noclone_backings_lock);
static LIST_HEAD(noclone_backings);

static int noclone_check_kind(struct noclone_file *f, const struct inode *inode)
{
	if (S_ISDIR(inode->i_mode))
		return noclone_refuse(f, -EISDIR,
				      "Path is a directory: give a regular file");
	if (S_ISBLK(inode->i_mode))
		return noclone_refuse(f, -EINVAL,
				      "Path is a block device: use noclone-linear");
	if (!S_ISREG(inode->i_mode))
		return noclone_refuse(f, -EINVAL, "Path is not a regular file");
	return 0;
}

static int noclone_check_writable(struct noclone_file *f,
				  const struct inode *inode)
{
	if (IS_IMMUTABLE(inode))
		return noclone_refuse(f, -EPERM,
				      "File is immutable: chattr -i, or load the table read-only");
	if (IS_APPEND(inode))
		return noclone_refuse(f, -EPERM,
				      "File is append-only: chattr -a, or load the table read-only");
	return 0;
}

/* Before anything is opened: opening a device node may have effects. */
static int noclone_check_path(struct noclone_file *f, bool writable)
{
	struct path path;
	int r;

	if (f->path[0] != '/')
		return noclone_refuse(f, -EINVAL,
				      "Path is not absolute: begin it with a slash");
	r = kern_path(f->path, LOOKUP_FOLLOW, &path);
	if (r)
		return noclone_refuse(f, r,
			"File not found: check the path, and write %20 for a blank in it");
	r = noclone_check_kind(f, d_inode(path.dentry));
	if (!r && writable)
		r = noclone_check_writable(f, d_inode(path.dentry));
	path_put(&path);
	return r;
}

/* O_NOATIME: reading must not begin a transaction. */
static int noclone_open(struct noclone_file *f, bool writable)
{
	struct file *file = filp_open(f->path, O_LARGEFILE | O_NOATIME |
				      (writable ? O_RDWR : O_RDONLY), 0);

	if (IS_ERR(file) && writable)
		return noclone_refuse(f, PTR_ERR(file),
				      "File cannot be opened for writing: load the table read-only");
	if (IS_ERR(file))
		return noclone_refuse(f, PTR_ERR(file), "File cannot be opened for reading");
	f->file = file;
	if (!file->f_op->read_iter || (writable && !file->f_op->write_iter))
		return noclone_refuse(f, -EINVAL,
				      "File system offers no iterator I/O: copy the file elsewhere");
	return noclone_check_kind(f, file_inode(file));
}

static int noclone_check_size(struct noclone_file *f)
{
	u64 sectors = i_size_read(file_inode(f->file)) >> SECTOR_SHIFT;

	if (f->start > sectors || f->ti->len > sectors - f->start)
		return noclone_refuse(f, -EINVAL,
				      "File ends before the line does: make the file longer or the line shorter");
	return 0;
}

static struct noclone_backing *noclone_backing_find(const struct inode *inode)
{
	struct noclone_backing *b;

	list_for_each_entry(b, &noclone_backings, node)
		if (b->inode == inode)
			return b;
	return NULL;
}

/* Is @sb on @disk, perhaps through files of ours? */
static bool noclone_is_on(const struct super_block *sb,
			  const struct gendisk *disk)
{
	const struct gendisk *below = sb->s_bdev ? sb->s_bdev->bd_disk : NULL;
	struct noclone_backing *b;

	if (!below)
		return false;
	if (below == disk)
		return true;
	list_for_each_entry(b, &noclone_backings, node)
		if (b->disk == below && noclone_is_on(b->inode->i_sb, disk))
			return true;
	return false;
}

/* Disks that stand on others, which the kernel does not let a module see. */
static bool noclone_may_stand_on(const struct super_block *sb,
				 const struct gendisk *disk)
{
	int major = sb->s_bdev ? sb->s_bdev->bd_disk->major : 0;

	return major == disk->major || major == MD_MAJOR ||
	       major == LOOP_MAJOR;
}

/*
 * A file system on the very device would wait for itself. It can only be there
 * if somebody has the device open.
 */
static int noclone_check_place(struct noclone_file *f,
			       const struct gendisk *disk)
{
	const struct super_block *sb = file_inode(f->file)->i_sb;

	if (noclone_is_on(sb, disk))
		return noclone_refuse(f, -ELOOP,
				      "File is on a file system on this very device");
	if (disk_openers((struct gendisk *)disk) &&
	    noclone_may_stand_on(sb, disk))
		return noclone_refuse(f, -ELOOP,
				      "File is on a stacked device that may stand on this one, which is open: close this one first");
	return 0;
}

/* Lines of one table live at the same time. */
static int noclone_check_users(struct noclone_file *f,
			       const struct noclone_backing *b)
{
	struct noclone_file *other;

	list_for_each_entry(other, &b->users, user)
		if (other->ti->table == f->ti->table &&
		    other->asked->pins != f->asked->pins)
			return noclone_refuse(f, -EINVAL,
					      "File has another engine in another line: extent goes with no other");
	return 0;
}

static int noclone_backing_create(struct noclone_file *f, struct gendisk *disk)
{
	struct inode *inode = file_inode(f->file);
	struct noclone_backing *b;
	int r;

	if (IS_SWAPFILE(inode))
		return noclone_refuse(f, -ETXTBSY,
				      "File is in use as swap space: swapoff first");
	r = noclone_check_place(f, disk);
	if (r)
		return r;
	b = kzalloc(sizeof(*b), GFP_NOIO);
	if (!b)
		return noclone_refuse(f, -ENOMEM, "Not enough memory");
	b->inode = inode;
	b->disk = disk;
	INIT_LIST_HEAD(&b->users);
	list_add(&b->node, &noclone_backings);
	f->backing = b;
	return 0;
}

static int noclone_backing_get(struct noclone_file *f)
{
	struct gendisk *disk = dm_disk(dm_table_get_md(f->ti->table));
	struct noclone_backing *b;
	int r;

	mutex_lock(&noclone_backings_lock);
	b = noclone_backing_find(file_inode(f->file));
	if (!b)
		r = noclone_backing_create(f, disk);
	else if (b->disk != disk)
		r = noclone_refuse(f, -EBUSY,
				   "File is in use by another noclone-file device");
	else
		r = noclone_check_users(f, b);
	if (!r) {
		if (b)
			f->backing = b;
		list_add(&f->user, &f->backing->users);
	}
	mutex_unlock(&noclone_backings_lock);
	return r;
}

/* Who knows what direct I/O of this file has to be aligned to? */
static int noclone_find_align(struct noclone_file *f)
{
	struct block_device *bdev = file_inode(f->file)->i_sb->s_bdev;
	struct kstat st = { };
	int r;

	r = vfs_getattr(&f->file->f_path, &st, STATX_BASIC_STATS |
			STATX_DIOALIGN, AT_STATX_SYNC_AS_STAT);
	if (r)
		return noclone_refuse(f, r, "File gives no attributes");

	f->align_from = "none";
	if (!(f->file->f_mode & FMODE_CAN_ODIRECT)) {
		f->align = 0;
	} else if (st.result_mask & STATX_DIOALIGN) {
		f->align = st.dio_offset_align;
		f->memalign = st.dio_mem_align;
		f->align_from = "statx";
	} else if (bdev) {
		f->align = bdev_logical_block_size(bdev);
		f->memalign = f->align;
		f->align_from = "disk";
	}
	return 0;
}

static int noclone_check_align(struct noclone_file *f)
{
	u32 sectors = f->align >> SECTOR_SHIFT;

	if (!f->asked->direct) {
		f->align_from = "none";
		f->align = SECTOR_SIZE;
		f->memalign = 1;
		return 0;
	}
	if (!sectors || !is_power_of_2(sectors) || f->align > PAGE_SIZE)
		return noclone_refuse(f, -EINVAL,
				      "File system does not offer direct I/O for this file: use engine buffered");
	if ((f->start | f->ti->begin | f->ti->len) & (sectors - 1))
		return noclone_refuse(f, -EINVAL,
				      "Start sector or length is not a multiple of what direct I/O of the file is aligned to");
	return 0;
}

/* The disk of the file system, whose limits are those of the file. */
static void noclone_find_below(struct noclone_file *f)
{
	struct block_device *bdev = file_inode(f->file)->i_sb->s_bdev;

	f->below.bdev = bdev;
	f->below.mode = dm_table_get_mode(f->ti->table);
	if (bdev)
		format_dev_t(f->below.name, bdev->bd_dev);
}

/**
 * noclone_backing_open - open the file of a line
 * @f: line with path, start and engine
 *
 * Undone by noclone_backing_close(), also if it failed.
 *
 * Context: process context, from the constructor.
 * Return: 0, or a negative errno with ti->error set.
 */
int noclone_backing_open(struct noclone_file *f)
{
	bool writable = noclone_table_is_writable(f->ti->table);
	int r;

	r = noclone_check_path(f, writable);
	if (!r)
		r = noclone_open(f, writable);
	if (!r)
		r = noclone_check_size(f);
	if (!r)
		r = noclone_find_align(f);
	if (!r)
		r = noclone_check_align(f);
	if (!r)
		r = noclone_backing_get(f);
	if (!r)
		noclone_find_below(f);
	return r;
}

static void noclone_backing_put(struct noclone_file *f)
{
	struct noclone_backing *b = f->backing;
	bool last;

	mutex_lock(&noclone_backings_lock);
	list_del(&f->user);
	last = list_empty(&b->users);
	if (last)
		list_del(&b->node);
	mutex_unlock(&noclone_backings_lock);
	if (!last)
		return;
	noclone_backing_unpin(b);
	kfree(b);
}

/**
 * noclone_backing_close - undo noclone_backing_open()
 * @f: line without a command in flight
 */
void noclone_backing_close(struct noclone_file *f)
{
	if (f->backing)
		noclone_backing_put(f);
	if (f->file)
		fput(f->file);
}

/**
 * noclone_backing_may_pin - is it sure that no line writes through the file?
 * @b: file
 *
 * Writing to a pinned file fails, so it must not be pinned under a table that
 * uses another engine.
 */
bool noclone_backing_may_pin(struct noclone_backing *b)
{
	struct noclone_file *user;
	bool may = true;

	mutex_lock(&noclone_backings_lock);
	list_for_each_entry(user, &b->users, user)
		may &= user->engine->pins;
	mutex_unlock(&noclone_backings_lock);
	return may;
}

/**
 * noclone_backing_mark - from now on the file stays where it is on its disk
 * @b: file
 *
 * What swapon(2) does: as long as the mark is there, file systems refuse to
 * write, truncate, punch, reflink and defragment the file.
 *
 * Context: the inode is locked.
 */
void noclone_backing_mark(struct noclone_backing *b)
{
	b->inode->i_flags |= S_SWAPFILE;
	b->pinned = true;
}

/**
 * noclone_backing_unpin - the file may move again
 * @b: file; nothing happens if it is not pinned
 *
 * Whoever has read the pinned file has cached what was there at that time.
 *
 * Context: process context; no bio is on its way to the file's sectors.
 */
void noclone_backing_unpin(struct noclone_backing *b)
{
	if (!b->pinned)
		return;
	inode_lock(b->inode);
	b->inode->i_flags &= ~S_SWAPFILE;
	b->pinned = false;
	inode_unlock(b->inode);
	invalidate_inode_pages2(b->inode->i_mapping);
}
