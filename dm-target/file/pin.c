// SPDX-License-Identifier: GPL-2.0-only
/*
 * noclone-file: pin a file, so that its data stays where it is on its disk, and
 * unpin it. The engine extent writes to the disk behind the file system's back:
 * if a block of the file moved, it would overwrite another file.
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
#include "noclone-file.h"

#include <linux/delay.h>
#include <linux/fs.h>
#include <linux/pagemap.h>

/*
 * Our own file, if writable, counts as one writer. It is writable unless the table is
 * read-only: where the file cannot be pinned, the engine direct stands in and writes
 * through it, and opening the path later may find another file. Executing the
 * pinned file denies writers once more, which hides one writer from a later check.
 */
static bool noclone_pin_deny_writers(struct noclone_backing *b)
{
	if (!(b->file->f_mode & FMODE_WRITE))
		return !deny_write_access(b->file);
	return atomic_cmpxchg(&b->inode->i_writecount, 1, -1) == 1;
}

/* b->file is still the file of the denial: no other could be opened for writing. */
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
 * i_flags are changed under the exclusive lock. The shared lock is enough here because the
 * change is atomic, and necessary because with many readers an exclusive trylock would
 * never succeed.
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

/* Sectors written to the device so far, including discards. */
static unsigned long noclone_pin_written(const struct noclone_backing *b)
{
	const struct block_device *part = b->disk->part0;

	return part_stat_read(part, sectors[STAT_WRITE]) +
	       part_stat_read(part, sectors[STAT_DISCARD]);
}

/*
 * Called before pages of the file are dropped. A later write may meet a page that was read
 * again meanwhile, so the next noclone_pin_tell() accounts for it.
 */
void noclone_pin_see(struct noclone_backing *b)
{
	if (!noclone_compat_counts_early(b->disk->part0))
		WRITE_ONCE(b->seen, noclone_pin_written(b));
}

/*
 * Unpin a file, if it is pinned. Pages that were cached while it was pinned are
 * stale and have to go, before an engine uses them. That waits for page locks, which are
 * held for reads from the lower disk only: no page is dirty once bios have bypassed the
 * cache. Such a read may wait for memory, as it may below a suspended swap device.
 * Context: no bio of extent is in flight. Return: true if it was pinned; then call
 * noclone_pin_tell().
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
 * may depend on one of them. Called for each write; in nearly all cases the mark is gone, and
 * @mark_lock is not taken. Context: may sleep for as long as another task holds the inode
 * lock.
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
 * holders: while the file is pinned, its count of writers says that there are none, and
 * leases to readers are granted. If the device has been written to, also set the times of
 * the file, as a write through the file system would. Like a write to a mapped page, this
 * needs no inode lock. It waits for the file system's journal, but not until a frozen file
 * system is thawed: then the next call sets the times. Context: a worker that only a
 * destructor waits for.
 */
void noclone_pin_tell(struct noclone_file_c *fc)
{
	struct noclone_backing *b = fc->backing;

	if (!(fc->file->f_mode & FMODE_WRITE))
		return;
	break_lease(b->inode, O_WRONLY | O_NONBLOCK);
	/* Without iostats of the queue, the number of writes is not known */
	if (noclone_pin_written(b) == READ_ONCE(b->told) &&
	    noclone_compat_accounts_io(b->disk->part0))
		return;
	if (!sb_start_write_trylock(b->inode->i_sb))
		return;
	if (!file_update_time(fc->file))
		WRITE_ONCE(b->told, READ_ONCE(b->seen));
	sb_end_write(b->inode->i_sb);
}
