// SPDX-License-Identifier: GPL-2.0-only
/*
 * noclone-file: pin a file, so that its data stays where it is on its disk, and
 * unpin it. The engine extent writes to the disk behind the file system's back:
 * if a block of the file moved, it would overwrite another file.
 *
 * Why this is safe
 *
 *  - Blocks move, or become shared, in two ways. Through a file that is open for
 *    writing: write, truncate, fallocate, and drivers that call the file system
 *    directly, as LIO and the loop driver's discard do. And without one:
 *    FICLONE and FIDEDUPERANGE, defragmentation, exchange of extents.
 *  - Against the first, writers are denied as for an executable in use:
 *    i_writecount is negative. open(2) for writing and truncate(2) then fail with
 *    ETXTBSY. It cannot become negative while another process has the file open
 *    for writing; a shared writable mapping counts as open.
 *  - Against the second, the inode is marked as a swap file (S_SWAPFILE), which
 *    all of them check. The mark also stops our own engines from writing through
 *    the file system, and prevents removal and renaming. It would not be enough
 *    alone: vfs_fallocate() checks it, ->fallocate() does not.
 *  - What remains changes how the file system records where blocks are, not
 *    where they are: EXT4_IOC_MIGRATE, online repair.
 *  - FS_IOC_ENABLE_VERITY denies writers itself: to it, our denial is one more of its kind.
 *    So a file system that can give a file verity is refused (extent.c). That may change
 *    while it is mounted (tune2fs), which is looked at when pinning; and the file itself at
 *    flushes, resumes and status: writes fail then. The other callers of deny_write_access(),
 *    for programs and for files that the kernel reads, only read.
 *  - Only after pinning are the extents read and compared (extent.c). Extents
 *    that were read before prove nothing: backing->pin_nr tells one pin from the
 *    next.
 *
 * The device is suspended while its file is pinned or unpinned, and the holder
 * of the inode lock may be waiting for that device: it may be reading the file
 * into memory that has to be paged in from the device. So the lock is only tried.
 * If the mark cannot be removed, it stays. The next command that writes removes
 * it; that command would have waited for the inode lock anyway.
 */
#include "pin.h"
#include "noclone-file.h"

#include <linux/delay.h>
#include <linux/fs.h>
#include <linux/pagemap.h>

/*
 * Our own file, if writable, counts as one writer. It is writable unless the table is
 * read-only: where the file cannot be pinned, the engine direct stands in and writes
 * through it, and what is opened by its path later may be another file. Executing the
 * pinned file denies writers once more, which hides one writer from a later check.
 */
static bool noclone_pin_deny_writers(struct noclone_backing *b)
{
	if (!(b->file->f_mode & FMODE_WRITE))
		return !deny_write_access(b->file);
	return atomic_cmpxchg(&b->inode->i_writecount, 1, -1) == 1;
}

/* b->file is still the one of the denial: no other could be opened for writing. */
static void noclone_pin_allow_writers(struct noclone_backing *b)
{
	if (!(b->file->f_mode & FMODE_WRITE))
		allow_write_access(b->file);
	else
		atomic_add(2, &b->inode->i_writecount);
}

/* Does a process other than ours have the file open for writing? */
bool noclone_pin_has_writers(const struct noclone_backing *b)
{
	int ours = !!(b->file->f_mode & FMODE_WRITE);

	return atomic_read(&b->inode->i_writecount) > ours;
}

/* Return: false if the inode is locked, or is a swap file already. */
static bool noclone_pin_try_mark(struct inode *inode)
{
	bool free;

	if (!inode_trylock(inode))
		return false;
	free = !IS_SWAPFILE(inode);
	if (free)
		inode->i_flags |= S_SWAPFILE;
	inode_unlock(inode);
	return free;
}

/*
 * i_flags are changed under the exclusive lock. Shared is enough here because the
 * change is atomic, and necessary because many readers would never leave a
 * moment for an exclusive trylock.
 */
static void noclone_pin_try_unmark(struct noclone_backing *b)
{
	if (!inode_trylock_shared(b->inode))
		return;
	set_mask_bits(&b->inode->i_flags, S_SWAPFILE, 0);
	inode_unlock_shared(b->inode);
	/* Pairs with noclone_pin_unmark() */
	smp_store_release(&b->marked, false);
}

/*
 * Pin a file. Does not block. Context: .preresume, no I/O of the device is in
 * flight. Return: NULL, or the reason for the status line.
 */
const char *noclone_pin_acquire(struct noclone_backing *b)
{
	const char *why = NULL;

	if (!mutex_trylock(&b->mark_lock))
		return "extent:locked";
	if (!noclone_pin_deny_writers(b)) {
		why = "extent:open";
	} else if (!b->marked && !noclone_pin_try_mark(b->inode)) {
		noclone_pin_allow_writers(b);
		why = "extent:locked";
	} else {
		WRITE_ONCE(b->marked, true);
		WRITE_ONCE(b->pinned, true);
		b->pin_nr++;
	}
	mutex_unlock(&b->mark_lock);
	return why;
}

/* Sectors written to the device so far; what is discarded counts. */
static unsigned long noclone_pin_written(const struct noclone_backing *b)
{
	const struct block_device *part = b->disk->part0;

	return part_stat_read(part, sectors[STAT_WRITE]) +
	       part_stat_read(part, sectors[STAT_DISCARD]);
}

/*
 * Before pages of the file are dropped: what is written later may meet a page that was read
 * again meanwhile, and is for the next noclone_pin_tell().
 */
void noclone_pin_see(struct noclone_backing *b)
{
	if (!noclone_compat_counts_early(b->disk->part0))
		WRITE_ONCE(b->seen, noclone_pin_written(b));
}

/*
 * Unpin a file, if it is pinned. Pages that were cached while it was pinned are
 * stale and have to go, before an engine uses them. That waits for page locks, which are
 * held for reads from the lower disk only: nothing is dirty once bios have bypassed the
 * cache. Such a read may wait for memory, as it may below a suspended swap device.
 * Context: no bio of extent is in flight. Return: whether it was pinned, so that
 * noclone_pin_tell() has to follow.
 */
bool noclone_pin_release(struct noclone_backing *b)
{
	if (!b->pinned)
		return false;
	noclone_pin_see(b);
	if (b->ran)
		invalidate_inode_pages2(b->inode->i_mapping);
	b->ran = false;
	WRITE_ONCE(b->pinned, false);
	noclone_pin_try_unmark(b);
	noclone_pin_allow_writers(b);
	return true;
}

/* Writes wait for the mark to go: poll often. */
#define NOCLONE_UNMARK_USEC	50

/*
 * Remove the mark if noclone_pin_release() could not. Polls, because waiting for
 * the inode lock would make later readers wait behind us, and the lock's holder
 * may depend on one of them. Called for each write: nearly always there is
 * nothing to do, without taking @mark_lock. Context: may sleep for as long as
 * another task holds the inode lock.
 */
void noclone_pin_unmark(struct noclone_backing *b)
{
	/* Who sees it gone must not find the inode's mark, which went before it */
	if (likely(!smp_load_acquire(&b->marked)))
		return;
	mutex_lock(&b->mark_lock);
	while (b->marked && !b->pinned) {
		noclone_pin_try_unmark(b);
		if (b->marked)
			usleep_range(NOCLONE_UNMARK_USEC,
				     2 * NOCLONE_UNMARK_USEC);
	}
	mutex_unlock(&b->mark_lock);
}

/*
 * What others are to know of the device's writes. Break leases, without waiting for their
 * holders: while the file is pinned, its count of writers says that there are none, and
 * leases to readers are granted. And if the device has been written to, set the times of
 * the file, as a write by way of the file system would have done. Needs no inode lock, as
 * little as a write to a mapped page does. Waits for the file system's journal, and not
 * until it is thawed: then the times are set by the next call. Context: a worker that
 * nothing waits for but a destructor.
 */
void noclone_pin_tell(struct noclone_file_c *fc)
{
	struct noclone_backing *b = fc->backing;

	if (!(fc->file->f_mode & FMODE_WRITE))
		return;
	break_lease(b->inode, O_WRONLY | O_NONBLOCK);
	/* Without iostats of the queue, it is not known */
	if (noclone_pin_written(b) == READ_ONCE(b->told) &&
	    noclone_compat_accounts_io(b->disk->part0))
		return;
	if (!sb_start_write_trylock(b->inode->i_sb))
		return;
	if (!file_update_time(fc->file))
		WRITE_ONCE(b->told, READ_ONCE(b->seen));
	sb_end_write(b->inode->i_sb);
}
