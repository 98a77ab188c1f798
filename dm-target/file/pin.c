// SPDX-License-Identifier: GPL-2.0-only
/*
 * noclone-file: pin a file, so that its blocks do not move on the disk, and unpin it. The engine
 * extent writes to the disk behind the file system's back: if a block of the file moved, the engine
 * would overwrite another file.
 *
 * Invariant: while @pinned, no other program has the file open for writing, and the inode is
 * marked as a swap file. The mark may stay longer, until the next write removes it.
 * Locks: @mark_lock. The inode lock is only tried: its holder may wait for the device,
 * which is suspended.
 * Callers: .preresume, the destructor, workers that write.
 *
 * Documentation/design/extent.rst, E5 to E9.
 */
#include "pin.h"
#include "file-state.h"

#include <linux/delay.h>
#include <linux/fs.h>
#include <linux/pagemap.h>

/*
 * Let no other program open the file for writing. Return: false if a program already has the file
 * open for writing.
 *
 * Our own struct file, if it is writable, counts as one writer. Unless the table is read-only, our
 * struct file is writable: if the file cannot be pinned, the engine direct stands in and writes
 * through this struct file. If the path were opened only then, it might lead to another file. A
 * program that executes the pinned file denies writers once more, and this hides one writer from a
 * later check.
 */
static bool noclone_pin_deny_writers(struct noclone_backing *b)
{
	if (!(b->file->f_mode & FMODE_WRITE))
		return !deny_write_access(b->file);
	return atomic_cmpxchg(&b->inode->i_writecount, 1, -1) == 1;
}

/*
 * Undo noclone_pin_deny_writers(). b->file is still the same struct file, because no other struct
 * file could be opened for writing.
 */
static void noclone_pin_allow_writers(struct noclone_backing *b)
{
	if (!(b->file->f_mode & FMODE_WRITE))
		allow_write_access(b->file);
	else
		atomic_add(2, &b->inode->i_writecount);
}

/* Does another program have the file open for writing? */
bool noclone_pin_has_writers(const struct noclone_backing *b)
{
	int ours = !!(b->file->f_mode & FMODE_WRITE);

	return atomic_read(&b->inode->i_writecount) > ours;
}

/* Mark the inode as a swap file. Return: false if it is locked, or is a swap file already. */
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
 * Remove the swap-file mark if the inode lock is free. Other code changes i_flags under the
 * exclusive lock. The shared lock is enough here because this change is atomic, and it is
 * necessary because an exclusive trylock would never succeed while there are many readers.
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
		WRITE_ONCE(b->pin_nr, b->pin_nr + 1);
	}
	mutex_unlock(&b->mark_lock);
	return why;
}

/* Return: the sectors written to the device so far, including discards. */
static unsigned long noclone_pin_written(const struct noclone_backing *b)
{
	const struct block_device *part = b->disk->part0;

	return part_stat_read(part, sectors[STAT_WRITE]) +
	       part_stat_read(part, sectors[STAT_DISCARD]);
}

/*
 * Remember how much was written, before pages of the file are dropped. While pages are dropped,
 * another program may read a page again, and a later write then makes this page stale. So the next
 * noclone_pin_publish_writes() shows the writes that come after this call.
 */
void noclone_pin_note_writes(struct noclone_backing *b)
{
	if (!noclone_compat_counts_early(b->disk->part0))
		WRITE_ONCE(b->noted, noclone_pin_written(b));
}

/*
 * Unpin a file, if it is pinned. Pages that were cached while the file was pinned are stale, and
 * are dropped before an engine uses the page cache. Dropping a page waits for its lock. No page is
 * dirty after bios have bypassed the cache, so a page is locked only while it is read from the
 * lower disk. Such a read may have to wait for memory, and so for a suspended device if this device
 * is swap. Context: no bio of the engine extent is in flight. Return: true if the file was pinned;
 * then call noclone_pin_publish_writes().
 */
bool noclone_pin_release(struct noclone_backing *b)
{
	if (!b->pinned)
		return false;
	noclone_pin_note_writes(b);
	if (b->ran)
		invalidate_inode_pages2(b->inode->i_mapping);
	b->ran = false;
	WRITE_ONCE(b->pinned, false);
	noclone_pin_try_unmark(b);
	noclone_pin_allow_writers(b);
	return true;
}

/* The shortest time between two attempts to remove the mark; writes wait until one succeeds */
#define NOCLONE_UNMARK_USEC	50

/*
 * Remove the mark if noclone_pin_release() could not. The function polls the inode lock, because a
 * task that waits for this lock makes later readers wait behind it, and the holder of the lock may
 * depend on one of these readers. This function is called for each write; in nearly all cases the
 * mark is already removed, and @mark_lock is not taken. Context: may sleep for as long as another
 * task holds the inode lock.
 */
void noclone_pin_unmark(struct noclone_backing *b)
{
	/* Pairs with noclone_pin_try_unmark(): if @marked is false, S_SWAPFILE is cleared */
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
 * Show the device's writes to other users of the file. Break leases, without waiting for their
 * holders: the file system grants leases to readers while the file is pinned, because the inode
 * then counts no writer. If the device has been written to, also set the times of the file, as a
 * write through the file system would. Like a write to a mapped page, this needs no inode lock. The
 * function waits for the file system's journal, but not for a frozen file system: in this case the
 * next call sets the times. Context: a worker that only a destructor waits for.
 */
void noclone_pin_publish_writes(struct noclone_file_c *fc)
{
	struct noclone_backing *b = fc->backing;

	if (!(fc->file->f_mode & FMODE_WRITE))
		return;
	break_lease(b->inode, O_WRONLY | O_NONBLOCK);
	/* Without iostats of the queue, the number of writes is not known */
	if (noclone_pin_written(b) == READ_ONCE(b->published) &&
	    noclone_compat_accounts_io(b->disk->part0))
		return;
	if (!sb_start_write_trylock(b->inode->i_sb))
		return;
	if (!file_update_time(fc->file))
		WRITE_ONCE(b->published, READ_ONCE(b->noted));
	sb_end_write(b->inode->i_sb);
}
