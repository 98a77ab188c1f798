// SPDX-License-Identifier: GPL-2.0-only
/*
 * noclone-file: find the sectors of a file on its disk, and whether all of the file is written.
 * The result is valid at that moment only; see extent.rst, E2.
 */
#include "extent-read.h"
#include "backing-file.h"
#include "file-state.h"
#include "../include/noclone-map.h"

#include <linux/pagemap.h>
#include <linux/rbtree.h>
#include <linux/slab.h>
#include <linux/swap.h>

#define NOCLONE_SECTORS_PER_PAGE	(PAGE_SIZE >> SECTOR_SHIFT)

/*
 * The number of rounds in a row that must find neither a hole nor a reader, and the largest number
 * of rounds, see noclone_extent_is_written()
 */
#define NOCLONE_SEEK_ROUNDS		8
#define NOCLONE_SEEK_TRIES		(8 * NOCLONE_SEEK_ROUNDS)

void noclone_extent_swap_free(struct swap_info_struct *sis)
{
	struct rb_node *node;

	while ((node = rb_first(&sis->swap_extent_root))) {
		rb_erase(node, &sis->swap_extent_root);
		kfree(rb_entry(node, struct swap_extent, rb_node));
	}
	kfree(sis);
}

/*
 * Read the extents of the whole file. The caller holds the inode lock, at least shared: in the
 * middle of a punch, ext4 would cache a wrong result permanently. The shared lock is enough,
 * because ext4 and xfs take internal locks while they sync and map a file. swapon(2) takes the lock
 * exclusively, but only because it sets the mark.
 */
struct swap_info_struct *noclone_extent_swap_read(struct noclone_file_c *fc)
{
	struct address_space *mapping = fc->file->f_mapping;
	u64 pages = i_size_read(mapping->host) >> PAGE_SHIFT;
	struct swap_info_struct *sis;
	sector_t span;
	int r;

	if (!pages || pages > UINT_MAX)
		return ERR_PTR(-EFBIG);
	sis = kzalloc(sizeof(*sis), GFP_KERNEL);
	if (!sis)
		return ERR_PTR(-ENOMEM);

	sis->bdev = mapping->host->i_sb->s_bdev;
	sis->swap_file = fc->extent_file;
	sis->max = pages;
	r = mapping->a_ops->swap_activate(sis, fc->extent_file, &span);
	if (r >= 0 && sis->pages + 1ULL == pages)
		return sis;

	noclone_extent_swap_free(sis);
	return ERR_PTR(r < 0 ? r : -EINVAL);
}

static u32 noclone_extent_swap_count(const struct swap_info_struct *sis)
{
	struct rb_node *node;
	u32 nr = 0;

	for (node = rb_first(&sis->swap_extent_root); node; node = rb_next(node))
		nr++;
	return nr;
}

/* Set @e to the part of a swap extent that is in the target. Return: false if there is none. */
static bool noclone_extent_clip(const struct noclone_file_c *fc,
				const struct swap_extent *se,
				struct noclone_extent *e)
{
	u64 begin = (u64)se->start_page * NOCLONE_SECTORS_PER_PAGE;
	u64 end = begin + (u64)se->nr_pages * NOCLONE_SECTORS_PER_PAGE;
	u64 from = max_t(u64, begin, fc->start);
	u64 to = min_t(u64, end, fc->start + fc->ti->len);

	if (from >= to)
		return false;
	e->begin = fc->ti->begin + from - fc->start;
	e->sectors = to - from;
	e->physical = (u64)se->start_block * NOCLONE_SECTORS_PER_PAGE +
		from - begin;
	return true;
}

/*
 * Make the extents of the target from the extents of the file. Return: the number of extents; 0 if
 * there is no memory, or if they do not cover the target.
 */
u32 noclone_extent_build(const struct noclone_file_c *fc,
			 const struct swap_info_struct *sis,
			 struct noclone_extent **extents)
{
	u64 sectors = 0;
	struct rb_node *node;
	u32 nr = 0;

	*extents = kvmalloc_array(noclone_extent_swap_count(sis), sizeof(**extents),
				  GFP_KERNEL);
	if (!*extents)
		return 0;
	for (node = rb_first(&sis->swap_extent_root); node; node = rb_next(node)) {
		struct noclone_extent *e = *extents + nr;

		if (noclone_extent_clip(fc, rb_entry(node, struct swap_extent,
						     rb_node), e)) {
			sectors += e->sectors;
			nr++;
		}
	}
	return sectors == fc->ti->len ? nr : 0;
}

/*
 * Does the cache have no page of the file? mapping_empty() would not be exact: nodes without
 * entries may have stayed when memory was short.
 */
static bool noclone_extent_cache_is_empty(struct address_space *mapping)
{
	unsigned long index = 0;

	return !xa_find(&mapping->i_pages, &index, ULONG_MAX, XA_PRESENT);
}

/* Does the cache have data that is not on the disk yet? */
static bool noclone_extent_cache_is_dirty(struct address_space *mapping)
{
	return mapping_tagged(mapping, PAGECACHE_TAG_DIRTY) ||
	       mapping_tagged(mapping, PAGECACHE_TAG_WRITEBACK);
}

/*
 * Is the target's part of the file free of holes and of unwritten extents? SEEK_HOLE takes an
 * unwritten extent for data while pages of it are in the cache, so the cache is emptied first. A
 * reader may put pages back at once, so the cache must be empty after SEEK_HOLE as well. A page
 * that reclaim drops in between leaves an entry in the cache, but a page that a reader itself drops
 * (POSIX_FADV_DONTNEED) does not. No lock excludes readers here: ->llseek() takes the inode lock,
 * which is outside invalidate_lock. So several rounds are made. A reader stays unnoticed only if it
 * puts pages back and drops them at this moment in each of NOCLONE_SEEK_ROUNDS rounds in a row; a
 * hole that is found in one round is enough.
 *
 * Before the file is pinned, a live table that writes through the page cache can prevent the cache
 * from becoming empty; this is no reason to refuse the file. A lost write is no reason either: the
 * cache has the last copy of its data, and this copy has to stay until a flush of the device has
 * failed. Before the pin, pages under writeback have to stay as well, because the writeback may
 * fail.
 */
bool noclone_extent_is_written(struct noclone_file_c *fc)
{
	struct address_space *mapping = fc->file->f_mapping;
	loff_t end = to_bytes(fc->start + fc->ti->len);
	unsigned int tries, rounds = 0;

	for (tries = 0; tries < NOCLONE_SEEK_TRIES; tries++) {
		if (noclone_backing_has_error(fc))
			return !READ_ONCE(fc->backing->pinned);
		if (READ_ONCE(fc->backing->pinned) || !noclone_extent_cache_is_dirty(mapping))
			invalidate_inode_pages2(mapping);
		if (vfs_llseek(fc->file, to_bytes(fc->start), SEEK_HOLE) < end)
			return false;
		if (!READ_ONCE(fc->backing->pinned))
			return true;
		rounds = noclone_extent_cache_is_empty(mapping) ? rounds + 1 : 0;
		if (rounds == NOCLONE_SEEK_ROUNDS)
			return true;
	}
	return false;
}
