// SPDX-License-Identifier: GPL-2.0-only
/*
 * noclone-file: the backing file. Files that must not be used are refused here,
 * with a sentence that gives the reason and the remedy.
 */
#include "backing-file.h"
#include "backing-limits.h"
#include "file-state.h"
#include "pin.h"
#include "../include/noclone-refusals.h"

#include <linux/blkdev.h>
#include <linux/cred.h>
#include <linux/file.h>
#include <linux/magic.h>
#include <linux/major.h>
#include <linux/mount.h>
#include <linux/namei.h>
#include <linux/pagemap.h>

/* The largest number of noclone-file devices below a file; a deeper stack is refused */
#define NOCLONE_MAX_NESTED	8

/*
 * Guards noclone_backing_list and its entries. The holder must do no I/O, allocate nothing and not
 * wait: .preresume takes this lock, and the file of one device may be on another device that is
 * suspended.
 */
static DEFINE_MUTEX(noclone_backing_lock);
static LIST_HEAD(noclone_backing_list);

/*
 * Does the file system keep its data in files of another file system? overlayfs and ecryptfs do so,
 * and also an erofs that was mounted from a file. Only the lower file system knows whether the file
 * is on this device, has direct I/O, or is in use by another device.
 */
static bool noclone_backing_is_stacked(const struct super_block *sb)
{
	return sb->s_stack_depth || (sb->s_magic == EROFS_SUPER_MAGIC_V1 && !sb->s_bdev);
}

static int noclone_backing_check_kind(struct noclone_file_c *fc, const struct inode *inode)
{
	if (S_ISDIR(inode->i_mode))
		return noclone_refuse(fc, -EISDIR,
				      NOCLONE_ERR_PATH_DIRECTORY);
	if (S_ISBLK(inode->i_mode))
		return noclone_refuse(fc, -EINVAL,
				      NOCLONE_ERR_PATH_BLOCK);
	if (!S_ISREG(inode->i_mode))
		return noclone_refuse(fc, -EINVAL, NOCLONE_ERR_PATH_KIND);
	if (noclone_backing_is_stacked(inode->i_sb))
		return noclone_refuse(fc, -EINVAL, NOCLONE_ERR_STACKED);
	return 0;
}

static int noclone_backing_check_writable(struct noclone_file_c *fc,
					  const struct inode *inode)
{
	if (IS_IMMUTABLE(inode))
		return noclone_refuse(fc, -EPERM,
				      "File is immutable: chattr -i, or load the table read-only");
	if (IS_APPEND(inode))
		return noclone_refuse(fc, -EPERM,
				      "File is append-only: chattr -a, or load the table read-only");
	return 0;
}

/*
 * Refuse a file on a read-only mount. An open of the file would also fail. But the file is not
 * opened if the device already has it open by another path, see noclone_backing_share().
 */
static int noclone_backing_check_mount(struct noclone_file_c *fc)
{
	if (__mnt_is_readonly(fc->where.mnt))
		return noclone_refuse(fc, -EROFS,
				      "File is on a read-only mount: load the table read-only");
	return 0;
}

/*
 * Find the file and check it before it is opened: opening a device node may have side effects, and
 * opening a FIFO waits.
 */
static int noclone_backing_find_path(struct noclone_file_c *fc, bool writable)
{
	int r;

	if (fc->path[0] != '/')
		return noclone_refuse(fc, -EINVAL,
				      NOCLONE_ERR_PATH_RELATIVE);
	r = kern_path(fc->path, LOOKUP_FOLLOW, &fc->where);
	if (r)
		return noclone_refuse(fc, r,
			NOCLONE_ERR_NOT_FOUND ": check the path, and write %20 for a blank in it");
	r = noclone_backing_check_kind(fc, d_inode(fc->where.dentry));
	if (!r && writable)
		r = noclone_backing_check_writable(fc, d_inode(fc->where.dentry));
	if (!r && writable)
		r = noclone_backing_check_mount(fc);
	return r;
}

/*
 * Open the file that noclone_backing_find_path() has checked, even if the path leads to another
 * file by now: an empty path, relative to the checked file, leads to this file. In contrast to
 * dentry_open(), file_open_root() checks all that open(2) checks: permissions, append-only,
 * O_NOATIME, and IMA. With O_NOATIME, a read begins no transaction.
 */
static struct file *noclone_backing_open_found(const struct noclone_file_c *fc, bool writable)
{
	return file_open_root(&fc->where, "", O_LARGEFILE | O_NOATIME |
			      (writable ? O_RDWR : O_RDONLY), 0);
}

static int noclone_backing_open_file(struct noclone_file_c *fc, bool writable)
{
	struct file *file = noclone_backing_open_found(fc, writable);

	if (PTR_ERR(file) == -ESTALE)
		return noclone_refuse(fc, -ESTALE,
				      "File was replaced while it was opened: load the table again");
	if (PTR_ERR(file) == -ETXTBSY)
		return noclone_refuse(fc, -ETXTBSY,
				      "File is a running program, or is pinned by another device or by swapon: end this use of the file, or load the table read-only");
	if (IS_ERR(file) && writable)
		return noclone_refuse(fc, PTR_ERR(file),
				      "File cannot be opened for writing: load the table read-only");
	if (IS_ERR(file))
		return noclone_refuse(fc, PTR_ERR(file), "File cannot be opened for reading");
	fc->file = file;
	if (!file->f_op->read_iter || (writable && !file->f_op->write_iter))
		return noclone_refuse(fc, -EINVAL,
				      "File system does not support the I/O of this module (read_iter, write_iter): copy the file to another file system");
	return 0;
}

/*
 * Open the file a second time, to read its extents. Reading the extents syncs the file, and the
 * sync may find a write error. The next flush of the device has to report this error as well, but
 * each struct file reports an error once. So the extents are read by a separate struct file.
 */
int noclone_backing_open_for_extents(struct noclone_file_c *fc)
{
	struct file *file = dentry_open(&fc->file->f_path, O_LARGEFILE | O_NOATIME |
					O_RDONLY, current_cred());

	if (IS_ERR(file))
		return noclone_refuse(fc, PTR_ERR(file), "File cannot be opened for reading");
	fc->extent_file = file;
	return 0;
}

/*
 * Has a write been lost, and has no flush of the device reported this loss yet? The errors of the
 * page cache are compared with b->reported. They are not compared with f_wb_err of fc->file,
 * because not only flushes but also FUA writes advance f_wb_err. The syncs of other programs do not
 * matter: each struct file has its own f_wb_err.
 */
bool noclone_backing_has_error(const struct noclone_file_c *fc)
{
	struct noclone_backing *b = fc->backing;

	return errseq_check(&b->fua_errors, READ_ONCE(b->fua_reported)) ||
	       filemap_check_wb_err(fc->file->f_mapping, READ_ONCE(b->reported));
}

static struct noclone_backing *noclone_backing_find(const struct inode *inode,
						    const struct gendisk *disk)
{
	struct noclone_backing *b;

	list_for_each_entry(b, &noclone_backing_list, node)
		if (b->inode == inode && b->disk == disk)
			return b;
	return NULL;
}

/* Does the target prevent other devices from sharing the file? */
static bool noclone_backing_user_is_exclusive(const struct noclone_file_c *fc)
{
	return fc->requested->pins || noclone_compat_table_is_writable(fc->ti->table);
}

/*
 * Does @b, a backing file of another device, prevent @fc from using the file? While b->marked is
 * set, @b may still be releasing its pin, even without users.
 */
static bool noclone_backing_excludes(const struct noclone_backing *b,
				     const struct noclone_file_c *fc)
{
	const struct noclone_file_c *user;

	if (noclone_backing_user_is_exclusive(fc) || READ_ONCE(b->marked))
		return true;
	list_for_each_entry(user, &b->users, user)
		if (noclone_backing_user_is_exclusive(user))
			return true;
	return false;
}

static int noclone_backing_check_others(struct noclone_file_c *fc, const struct inode *inode,
					const struct gendisk *disk)
{
	const struct noclone_backing *b;

	list_for_each_entry(b, &noclone_backing_list, node) {
		if (b->inode != inode ||
		    !(b->disk == disk ? b->dying : noclone_backing_excludes(b, fc)))
			continue;
		return noclone_refuse(fc, -EBUSY, b->dying ?
			"File is being released by a device: try again" :
			"File is in use by another noclone-file device: remove the other device, or load both tables read-only and without engine extent");
	}
	return 0;
}

/*
 * Does @sb use @disk? A file system may use more disks than s_bdev: the log of xfs, or all disks of
 * btrfs. The list of these disks is private, but the holder of each disk is @sb or, for xfs on 6.1,
 * the private data of @sb.
 */
static bool noclone_backing_fs_uses(const struct super_block *sb, const struct gendisk *disk)
{
	const void *holder = READ_ONCE(disk->part0->bd_holder);

	return (sb->s_bdev && sb->s_bdev->bd_disk == disk) ||
	       (holder && (holder == sb || holder == sb->s_fs_info));
}

/*
 * May @sb use @disk? btrfs on 6.1 and 6.12 has no s_bdev. Like erofs, it makes the type of the file
 * system the holder of its disks. If this type holds @disk, either @sb or another file system of
 * the same type uses @disk.
 */
static bool noclone_backing_fs_may_use(const struct super_block *sb, const struct gendisk *disk)
{
	return (!sb->s_bdev || sb->s_magic == EROFS_SUPER_MAGIC_V1) &&
	       READ_ONCE(disk->part0->bd_holder) == sb->s_type;
}

/*
 * Is @sb on @disk, directly or through at most @depth other noclone-file devices? Later, btrfs can
 * get one more disk and so close a cycle of devices: @depth ends the search in such a cycle.
 */
static bool noclone_backing_fs_is_on(const struct super_block *sb,
				     const struct gendisk *disk, unsigned int depth)
{
	const struct noclone_backing *b;

	if (noclone_backing_fs_uses(sb, disk))
		return true;
	list_for_each_entry(b, &noclone_backing_list, node)
		if (noclone_backing_fs_uses(sb, b->disk) &&
		    (!depth || noclone_backing_fs_is_on(b->inode->i_sb, disk, depth - 1)))
			return true;
	return false;
}

/*
 * May @sb be on a device that is stacked on @disk? A module cannot see what a dm, md or loop
 * device is made of, so each of them may stand on @disk.
 */
static bool noclone_backing_may_stack_on(const struct super_block *sb,
					 const struct gendisk *disk)
{
	int major = sb->s_bdev ? sb->s_bdev->bd_disk->major : 0;

	return major == disk->major || major == MD_MAJOR ||
	       major == LOOP_MAJOR;
}

/*
 * Refuse a file on a file system that is on the device itself, directly or through other devices.
 * Such a file system keeps the device open.
 */
static int noclone_backing_check_loop(struct noclone_file_c *fc,
				      const struct gendisk *disk)
{
	const struct super_block *sb = file_inode(fc->file)->i_sb;

	if (noclone_backing_fs_is_on(sb, disk, NOCLONE_MAX_NESTED) ||
	    noclone_backing_fs_may_use(sb, disk))
		return noclone_refuse(fc, -ELOOP,
				      NOCLONE_ERR_OWN_FS);
	if (disk_openers((struct gendisk *)disk) &&
	    noclone_backing_may_stack_on(sb, disk))
		return noclone_refuse(fc, -ELOOP,
				      "File is on a device that may be built on the device of this table, which is open: close the device of this table first");
	return 0;
}

/*
 * Refuse a table in which one target pins the file and another target uses it through the file
 * system: the targets of one table are live at the same time.
 */
static int noclone_backing_check_engines(struct noclone_file_c *fc,
					 const struct noclone_backing *b)
{
	struct noclone_file_c *other;

	list_for_each_entry(other, &b->users, user)
		if (other->ti->table == fc->ti->table &&
		    other->requested->pins != fc->requested->pins)
			return noclone_refuse(fc, -EINVAL,
					      NOCLONE_ERR_MIXED_ENGINES);
	return 0;
}

/*
 * Warn if @fc has the same path as a target of the device, but the path now leads to another file.
 */
static void noclone_backing_warn_replaced(const struct noclone_file_c *fc,
					  const struct gendisk *disk)
{
	const struct inode *inode = file_inode(fc->file);
	const struct noclone_backing *b;
	const struct noclone_file_c *user;

	list_for_each_entry(b, &noclone_backing_list, node)
		list_for_each_entry(user, &b->users, user)
			if (b->disk == disk && b->inode != inode &&
			    !strcmp(user->path, fc->path))
				DMWARN("%s: the path %s now leads to another file (inode %llu) than the file in use (inode %llu)",
				       dm_table_device_name(fc->ti->table),
				       fc->path,
				       (unsigned long long)inode->i_ino,
				       (unsigned long long)b->inode->i_ino);
}

/* Enter the file of @fc in the list. @b is zeroed memory, which becomes fc->backing. */
static int noclone_backing_create(struct noclone_file_c *fc, struct gendisk *disk,
				  struct noclone_backing *b)
{
	struct inode *inode = file_inode(fc->file);
	int r;

	if (IS_SWAPFILE(inode))
		return noclone_refuse(fc, -ETXTBSY,
				      "File is in use as swap space: swapoff first");
	r = noclone_backing_check_loop(fc, disk);
	if (r)
		return r;
	noclone_backing_warn_replaced(fc, disk);
	b->inode = inode;
	b->file = get_file(fc->file);
	b->reported = fc->file->f_wb_err;
	b->disk = disk;
	noclone_pin_note_writes(b);
	b->published = b->noted;
	mutex_init(&b->mark_lock);
	INIT_LIST_HEAD(&b->users);
	list_add(&b->node, &noclone_backing_list);
	fc->backing = b;
	return 0;
}

static void noclone_backing_replace(struct noclone_backing *b,
				    struct file *file)
{
	fput(b->file);
	b->file = get_file(file);
}

/*
 * Let @fc use the file of @b. All targets that use a file share one struct file. This is the struct
 * file of @b. But if @fc needs a writable struct file and only @fc has one, the targets share the
 * struct file of @fc. Targets that joined before keep the read-only struct file. Return: -EAGAIN,
 * with nothing done, if @fc has to open the file first.
 */
static int noclone_backing_share(struct noclone_file_c *fc,
				 struct noclone_backing *b, bool writable)
{
	bool suits = !writable || (b->file->f_mode & FMODE_WRITE);
	int r;

	if (!suits && !fc->file)
		return -EAGAIN;
	r = noclone_backing_check_engines(fc, b);
	if (r)
		return r;
	if (!suits) {
		noclone_backing_replace(b, fc->file);
	} else {
		if (fc->file)
			fput(fc->file);
		fc->file = get_file(b->file);
	}
	fc->backing = b;
	return 0;
}

/*
 * Find the file of @fc in the list, or enter it there. Return: -EAGAIN if @fc has to open the file
 * first. The next call must have @fresh, which is zeroed memory.
 */
static int noclone_backing_join(struct noclone_file_c *fc, bool writable,
				struct noclone_backing *fresh)
{
	struct gendisk *disk = dm_disk(dm_table_get_md(fc->ti->table));
	const struct inode *inode = d_inode(fc->where.dentry);
	struct noclone_backing *b;
	int r;

	mutex_lock(&noclone_backing_lock);
	b = noclone_backing_find(inode, disk);
	r = noclone_backing_check_others(fc, inode, disk);
	if (!r && b)
		r = noclone_backing_share(fc, b, writable);
	else if (!r)
		r = fc->file ? noclone_backing_create(fc, disk, fresh) : -EAGAIN;
	if (!r)
		list_add_tail(&fc->user, &fc->backing->users);
	mutex_unlock(&noclone_backing_lock);
	return r;
}

static int noclone_backing_get(struct noclone_file_c *fc, bool writable)
{
	struct noclone_backing *fresh;
	int r = noclone_backing_join(fc, writable, NULL);

	if (r != -EAGAIN)
		return r;
	fresh = kzalloc(sizeof(*fresh), GFP_KERNEL);
	if (!fresh)
		return noclone_refuse(fc, -ENOMEM, "Not enough memory");
	r = noclone_backing_open_file(fc, writable);
	if (!r)
		r = noclone_backing_join(fc, writable, fresh);
	if (fc->backing != fresh)
		kfree(fresh);
	return r;
}

/*
 * Open the file of a target whose path, start and engine are set. noclone_backing_close() has to
 * follow, even after an error. Return: 0, or a negative errno with ti->error set.
 */
int noclone_backing_open(struct noclone_file_c *fc)
{
	bool writable = noclone_compat_table_is_writable(fc->ti->table);
	int r;

	r = noclone_backing_find_path(fc, writable);
	if (!r)
		r = noclone_backing_get(fc, writable);
	if (!r)
		r = noclone_backing_find_limits(fc);
	return r;
}

/*
 * Close a file before the function returns. A deferred removal runs in a kernel thread, where
 * fput() only queues the release: the file would stay open for writing for some time after the
 * removal.
 */
static void noclone_backing_close_file(struct file *file)
{
	if (current->flags & PF_KTHREAD)
		__fput_sync(file);
	else
		fput(file);
}

static void noclone_backing_put(struct noclone_file_c *fc)
{
	struct noclone_backing *b = fc->backing;
	bool last;

	mutex_lock(&noclone_backing_lock);
	list_del(&fc->user);
	last = list_empty(&b->users);
	b->dying = last;
	mutex_unlock(&noclone_backing_lock);
	if (!last)
		return;

	if (noclone_pin_release(b))
		noclone_pin_publish_writes(fc);
	noclone_pin_unmark(b);
	mutex_lock(&noclone_backing_lock);
	list_del(&b->node);
	mutex_unlock(&noclone_backing_lock);
	noclone_backing_close_file(b->file);
	kfree(b);
}

/*
 * Iterate over the targets of fc's table that use the same file, in ascending order. Return: the
 * target after @after, or the first target if @after is NULL; NULL if there is none.
 */
struct noclone_file_c *noclone_backing_next(const struct noclone_file_c *fc,
					    struct noclone_file_c *after)
{
	struct noclone_file_c *user, *found = NULL;

	mutex_lock(&noclone_backing_lock);
	user = after ? after : list_entry(&fc->backing->users,
					  struct noclone_file_c, user);
	list_for_each_entry_continue(user, &fc->backing->users, user) {
		if (user->ti->table == fc->ti->table) {
			found = user;
			break;
		}
	}
	mutex_unlock(&noclone_backing_lock);
	return found;
}

/* Release the file of a target. Context: no command is in flight. */
void noclone_backing_close(struct noclone_file_c *fc)
{
	if (fc->backing)
		noclone_backing_put(fc);
	if (fc->extent_file)
		noclone_backing_close_file(fc->extent_file);
	if (fc->file)
		noclone_backing_close_file(fc->file);
	path_put(&fc->where);
}
