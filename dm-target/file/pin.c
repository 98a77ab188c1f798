// SPDX-License-Identifier: GPL-2.0-only
/*
 * noclone-file: pin a file, so that its data stays where it is on its disk, and
 * let it go again.  The engine extent writes to the disk behind the file
 * system's back: if one block of the file moved, it would write into somebody
 * else's file.
 *
 * Why this is safe
 *
 *  - Blocks move, or get an owner more, in two ways.  Through a file that is open
 *    for writing: write, truncate, fallocate, and whoever calls the file system
 *    directly, as the discard of the loop driver and LIO do.  And without one:
 *    FICLONE and FIDEDUPERANGE, defragmentation, exchange of extents.
 *  - Against the first, writers are denied as for a running program: i_writecount
 *    is negative.  open(2) for writing and truncate(2) then fail with ETXTBSY, and
 *    it cannot be made negative while anybody but us has the file open for
 *    writing; a shared mapping counts as open.
 *  - Against the second there is the mark of a swap file, S_SWAPFILE, which all of
 *    them look at.  It also keeps our own engines from writing through the file
 *    system, and the file from being removed or renamed.  Alone it would be no
 *    lock: vfs_fallocate() looks at it, ->fallocate() does not.
 *  - What is left changes how a file system writes down where the blocks are, not
 *    where they are: EXT4_IOC_MIGRATE, fs-verity, online repair.
 *  - Only then are the extents read and compared; see extent.c.  That
 *    a file was pinned says nothing about extents which somebody has read before:
 *    backing->pin_nr tells one pin from the next.
 *
 * A device is suspended when its file is pinned or let go, and whoever holds the
 * inode's lock may be waiting for that device: he reads the file into memory that
 * has to be paged in from it.  So the lock is only tried.  If a file could not be
 * let go completely, the mark stays, and the next command that writes takes it
 * away, as it would have had to wait for the lock anyway.
 */
#include "file.h"

#include <linux/delay.h>
#include <linux/pagemap.h>

/*
 * The one writable file that we have of the inode, if it is, counts as one. Whoever
 * executes a file denies writers as well; to execute this one while it is pinned
 * would hide one writer from a later look.
 */
static bool noclone_deny_writers(struct noclone_backing *b)
{
	if (!(b->file->f_mode & FMODE_WRITE))
		return !deny_write_access(b->file);
	return atomic_cmpxchg(&b->inode->i_writecount, 1, -1) == 1;
}

/* The file is the same one: another could not have been opened for writing. */
static void noclone_allow_writers(struct noclone_backing *b)
{
	if (!(b->file->f_mode & FMODE_WRITE))
		allow_write_access(b->file);
	else
		atomic_add(2, &b->inode->i_writecount);
}

/**
 * noclone_has_writers - has anybody but us the file open for writing?
 * @b: a file that is in use
 */
bool noclone_has_writers(const struct noclone_backing *b)
{
	int ours = !!(b->file->f_mode & FMODE_WRITE);

	return atomic_read(&b->inode->i_writecount) > ours;
}

/* Return: false if somebody holds the lock, or has marked the file already. */
static bool noclone_try_mark(struct inode *inode)
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
 * Who changes flags has the lock exclusively. Shared is enough for us, because the
 * change is atomic: many readers at the same time would leave no moment for more.
 */
static void noclone_try_unmark(struct noclone_backing *b)
{
	if (!inode_trylock_shared(b->inode))
		return;
	set_mask_bits(&b->inode->i_flags, S_SWAPFILE, 0);
	inode_unlock_shared(b->inode);
	WRITE_ONCE(b->marked, false);
}

/**
 * noclone_pin - from now on the file stays where it is on its disk
 * @b: file that is not pinned; no I/O of its device is in flight
 *
 * Context: .preresume, or none of the device's tables is live; does not block.
 * Return: NULL, or why it cannot be, as status says it.
 */
const char *noclone_pin(struct noclone_backing *b)
{
	const char *why = NULL;

	if (!mutex_trylock(&b->mark_lock))
		return "extent:locked";
	if (!noclone_deny_writers(b)) {
		why = "extent:open";
	} else if (!b->marked && !noclone_try_mark(b->inode)) {
		noclone_allow_writers(b);
		why = "extent:locked";
	} else {
		WRITE_ONCE(b->marked, true);
		WRITE_ONCE(b->pinned, true);
		b->pin_nr++;
	}
	mutex_unlock(&b->mark_lock);
	return why;
}

/**
 * noclone_unpin - the file may move again
 * @b: file; nothing happens if it is not pinned
 *
 * Whoever has read the pinned file has cached what was there at that time. To
 * forget it takes the locks of pages, which are held for reads from the disk
 * below: nothing is dirty, unless no bio has come to the disk.
 *
 * Context: no bio is on its way to the file's sectors; does not wait for anybody
 * who could wait for the device.
 */
void noclone_unpin(struct noclone_backing *b)
{
	if (!b->pinned)
		return;
	if (b->ran)
		invalidate_inode_pages2(b->inode->i_mapping);
	b->ran = false;
	WRITE_ONCE(b->pinned, false);
	noclone_try_unmark(b);
	noclone_allow_writers(b);
}

/* Writes wait for it: look often. */
#define NOCLONE_UNMARK_USEC	50

/**
 * noclone_unmark - finish what noclone_unpin() could not
 * @b: file
 *
 * Not by waiting for the lock: readers would have to wait behind us, and one of
 * them may be what its holder waits for.  Every write comes here, and nearly always
 * there is nothing to do: @mark_lock is for the others.
 *
 * Context: may sleep for as long as somebody else holds the inode's lock.
 */
void noclone_unmark(struct noclone_backing *b)
{
	if (likely(!READ_ONCE(b->marked)))
		return;
	mutex_lock(&b->mark_lock);
	while (b->marked && !b->pinned) {
		noclone_try_unmark(b);
		if (b->marked)
			usleep_range(NOCLONE_UNMARK_USEC,
				     2 * NOCLONE_UNMARK_USEC);
	}
	mutex_unlock(&b->mark_lock);
}
