// SPDX-License-Identifier: GPL-2.0-only
/*
 * noclone-file: the file under a line.  What must not be used is refused here,
 * with a sentence that names the reason and the way out.
 */
#include "file.h"

#include <linux/blkdev.h>
#include <linux/file.h>
#include <linux/major.h>
#include <linux/mount.h>
#include <linux/namei.h>
#include <linux/stat.h>

/*
 * Guards the list, and what is in it. No I/O, no allocation and no waiting for
 * anybody else under it: .preresume needs it, and the file of one device may be on
 * another that is suspended.
 */
static DEFINE_MUTEX(noclone_backings_lock);
static LIST_HEAD(noclone_backings);

static int noclone_check_kind(struct noclone_file *f, const struct inode *inode)
{
	if (S_ISDIR(inode->i_mode))
		return noclone_refuse(f, -EISDIR,
				      NOCLONE_ERR_PATH_DIRECTORY);
	if (S_ISBLK(inode->i_mode))
		return noclone_refuse(f, -EINVAL,
				      NOCLONE_ERR_PATH_BLOCK);
	if (!S_ISREG(inode->i_mode))
		return noclone_refuse(f, -EINVAL, NOCLONE_ERR_PATH_KIND);
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

/* A file that is shared has been opened by another path, perhaps. */
static int noclone_check_mount(struct noclone_file *f)
{
	if (__mnt_is_readonly(f->where.mnt))
		return noclone_refuse(f, -EROFS,
				      "File is on a read-only mount: load the table read-only");
	return 0;
}

/* Before anything is opened: opening a device node may have effects. */
static int noclone_find_path(struct noclone_file *f, bool writable)
{
	int r;

	if (f->path[0] != '/')
		return noclone_refuse(f, -EINVAL,
				      NOCLONE_ERR_PATH_RELATIVE);
	r = kern_path(f->path, LOOKUP_FOLLOW, &f->where);
	if (r)
		return noclone_refuse(f, r,
			NOCLONE_ERR_NOT_FOUND ": check the path, and write %20 for a blank in it");
	r = noclone_check_kind(f, d_inode(f->where.dentry));
	if (!r && writable)
		r = noclone_check_writable(f, d_inode(f->where.dentry));
	if (!r && writable)
		r = noclone_check_mount(f);
	return r;
}

/* O_NOATIME: reading must not begin a transaction. */
static int noclone_open(struct noclone_file *f, bool writable)
{
	struct file *file = filp_open(f->path, O_LARGEFILE | O_NOATIME |
				      (writable ? O_RDWR : O_RDONLY), 0);

	if (PTR_ERR(file) == -ETXTBSY)
		return noclone_refuse(f, -ETXTBSY,
				      "File cannot be opened for writing while it is executed or pinned: stop that, or load the table read-only");
	if (IS_ERR(file) && writable)
		return noclone_refuse(f, PTR_ERR(file),
				      "File cannot be opened for writing: load the table read-only");
	if (IS_ERR(file))
		return noclone_refuse(f, PTR_ERR(file), "File cannot be opened for reading");
	f->file = file;
	if (!file->f_op->read_iter || (writable && !file->f_op->write_iter))
		return noclone_refuse(f, -EINVAL,
				      "File system offers no iterator I/O: copy the file elsewhere");
	if (file_inode(file) != d_inode(f->where.dentry))
		return noclone_refuse(f, -ESTALE,
				      "File was replaced while it was opened: load the table again");
	return 0;
}

static int noclone_check_size(struct noclone_file *f)
{
	u64 sectors = i_size_read(file_inode(f->file)) >> SECTOR_SHIFT;

	if (f->start > sectors || f->ti->len > sectors - f->start)
		return noclone_refuse(f, -EINVAL,
				      NOCLONE_ERR_SHORT);
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
				      NOCLONE_ERR_OWN_FS);
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
					      NOCLONE_ERR_MIXED_ENGINES);
	return 0;
}

/* The same path, and not the same file: renamed over, or made anew. */
static void noclone_warn_moved(const struct noclone_file *f,
			       const struct gendisk *disk)
{
	const struct inode *inode = file_inode(f->file);
	const struct noclone_backing *b;
	const struct noclone_file *user;

	list_for_each_entry(b, &noclone_backings, node)
		list_for_each_entry(user, &b->users, user)
			if (b->disk == disk && b->inode != inode &&
			    !strcmp(user->path, f->path))
				DMWARN("%s: %s is another file now (inode %llu) than the one in use (inode %llu)",
				       dm_table_device_name(f->ti->table),
				       f->path,
				       (unsigned long long)inode->i_ino,
				       (unsigned long long)b->inode->i_ino);
}

/* @b is all zeroes, and becomes f->backing. */
static int noclone_backing_create(struct noclone_file *f, struct gendisk *disk,
				  struct noclone_backing *b)
{
	struct inode *inode = file_inode(f->file);
	int r;

	if (IS_SWAPFILE(inode))
		return noclone_refuse(f, -ETXTBSY,
				      "File is in use as swap space: swapoff first");
	r = noclone_check_place(f, disk);
	if (r)
		return r;
	noclone_warn_moved(f, disk);
	b->inode = inode;
	b->file = get_file(f->file);
	b->disk = disk;
	mutex_init(&b->mark_lock);
	INIT_LIST_HEAD(&b->users);
	list_add(&b->node, &noclone_backings);
	f->backing = b;
	return 0;
}

/* Two references to one file become two references to the other. */
static void noclone_backing_replace(struct noclone_backing *b,
				    struct file *file)
{
	fput(b->file);
	b->file = get_file(file);
}

/*
 * Use the file as @b has it open; if that is not writable but must be, as @f has.
 * Return: -EAGAIN, with nothing done, if @f has to open it first.
 */
static int noclone_backing_share(struct noclone_file *f,
				 struct noclone_backing *b, bool writable)
{
	bool suits = !writable || (b->file->f_mode & FMODE_WRITE);
	int r;

	if (!suits && !f->file)
		return -EAGAIN;
	r = noclone_check_users(f, b);
	if (r)
		return r;
	if (!suits) {
		noclone_backing_replace(b, f->file);
	} else {
		if (f->file)
			fput(f->file);
		f->file = get_file(b->file);
	}
	f->backing = b;
	return 0;
}

/* Return: -EAGAIN if @f has to open the file first; it needs @fresh to use it. */
static int noclone_backing_join(struct noclone_file *f, bool writable,
				struct noclone_backing *fresh)
{
	struct gendisk *disk = dm_disk(dm_table_get_md(f->ti->table));
	struct noclone_backing *b;
	int r;

	mutex_lock(&noclone_backings_lock);
	b = noclone_backing_find(d_inode(f->where.dentry));
	if (b && b->dying)
		r = noclone_refuse(f, -EBUSY,
				   "File is just being let go by a device: try again");
	else if (b && b->disk != disk)
		r = noclone_refuse(f, -EBUSY,
				   "File is in use by another noclone-file device");
	else if (b)
		r = noclone_backing_share(f, b, writable);
	else
		r = f->file ? noclone_backing_create(f, disk, fresh) : -EAGAIN;
	if (!r)
		list_add_tail(&f->user, &f->backing->users);
	mutex_unlock(&noclone_backings_lock);
	return r;
}

static int noclone_backing_get(struct noclone_file *f, bool writable)
{
	struct noclone_backing *fresh;
	int r = noclone_backing_join(f, writable, NULL);

	if (r != -EAGAIN)
		return r;
	fresh = kzalloc(sizeof(*fresh), GFP_KERNEL);
	if (!fresh)
		return noclone_refuse(f, -ENOMEM, "Not enough memory");
	r = noclone_open(f, writable);
	if (!r)
		r = noclone_backing_join(f, writable, fresh);
	if (f->backing != fresh)
		kfree(fresh);
	return r;
}

/* Which file it is, and what direct I/O of it has to be aligned to. */
static int noclone_find_attributes(struct noclone_file *f)
{
	struct block_device *bdev = file_inode(f->file)->i_sb->s_bdev;
	struct kstat st = { };
	int r;

	r = vfs_getattr(&f->file->f_path, &st, STATX_BASIC_STATS |
			STATX_DIOALIGN, AT_STATX_SYNC_AS_STAT);
	if (r)
		return noclone_refuse(f, r, "File gives no attributes");

	f->st_dev = st.dev;
	f->st_ino = st.ino;
	f->align_from = "none";
	if (!(f->file->f_mode & FMODE_CAN_ODIRECT)) {
		f->align = 0;
	} else if (st.result_mask & STATX_DIOALIGN) {
		f->align = st.dio_offset_align;
		f->memalign = max(st.dio_mem_align, 1U);
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
				      NOCLONE_ERR_NO_DIRECT);
	if ((f->start | f->ti->begin | f->ti->len) & (sectors - 1))
		return noclone_refuse(f, -EINVAL,
				      NOCLONE_ERR_ALIGN);
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

	r = noclone_find_path(f, writable);
	if (!r)
		r = noclone_backing_get(f, writable);
	if (!r)
		r = noclone_check_size(f);
	if (!r)
		r = noclone_find_attributes(f);
	if (!r)
		r = noclone_check_align(f);
	if (!r)
		noclone_find_below(f);
	return r;
}

/*
 * A kernel thread, which is who removes a device "deferred", would have the file
 * closed by a worker some time later, and until then it is open for writing.
 */
static void noclone_close(struct file *file)
{
	if (current->flags & PF_KTHREAD)
		__fput_sync(file);
	else
		fput(file);
}

static void noclone_backing_put(struct noclone_file *f)
{
	struct noclone_backing *b = f->backing;
	bool last;

	mutex_lock(&noclone_backings_lock);
	list_del(&f->user);
	last = list_empty(&b->users);
	b->dying = last;
	mutex_unlock(&noclone_backings_lock);
	if (!last)
		return;

	noclone_unpin(b);
	noclone_unmark(b);
	mutex_lock(&noclone_backings_lock);
	list_del(&b->node);
	mutex_unlock(&noclone_backings_lock);
	noclone_close(b->file);
	kfree(b);
}

/**
 * noclone_backing_line - the lines of a table that use the same file, in order
 * @f: any of them
 * @after: one of them, or NULL
 *
 * Return: the next one, the first one if @after is NULL; NULL if there is none.
 */
struct noclone_file *noclone_backing_line(const struct noclone_file *f,
					  struct noclone_file *after)
{
	struct noclone_file *user, *found = NULL;

	mutex_lock(&noclone_backings_lock);
	user = after ? after : list_entry(&f->backing->users,
					  struct noclone_file, user);
	list_for_each_entry_continue(user, &f->backing->users, user) {
		if (user->ti->table == f->ti->table) {
			found = user;
			break;
		}
	}
	mutex_unlock(&noclone_backings_lock);
	return found;
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
		noclone_close(f->file);
	path_put(&f->where);
}
