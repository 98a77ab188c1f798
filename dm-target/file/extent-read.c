// SPDX-License-Identifier: GPL-2.0-only
/*
 * noclone-file: where a file is on its disk, and whether all of it is written. The result
 * is valid at that moment only; see extent.rst, E2.
 */
#include "extent-read.h"
#include "backing-file.h"
#include "noclone-file.h"
#include "../include/noclone-map.h"

#include <linux/pagemap.h>
#include <linux/rbtree.h>
#include <linux/slab.h>
#include <linux/swap.h>

#define NOCLONE_SECTORS_PER_PAGE	(PAGE_SIZE >> SECTOR_SHIFT)

/* Rounds without a hole and without a reader, see noclone_extent_is_written() */
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
 * Read the extents of the whole file. The inode lock is held, at least shared:
 * in the middle of a punch, ext4 would cache a wrong result permanently. Shared is enough,
 * although swapon(2) takes it exclusively, which it needs for the mark: ext4 and xfs sync
 * and map a file without that lock, under locks of their own.
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
	sis->swap_file = fc->again;
	sis->max = pages;
	r = mapping->a_ops->swap_activate(sis, fc->again, &span);
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

/* The part of a swap extent that is in the target. Return: false if there is none. */
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

/* Return: number of extents; 0 if there is no memory, or they do not cover the target. */
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

/* Not mapping_empty(): when memory was short, nodes without entries may have stayed. */
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
 * Is there neither a hole nor an unwritten extent? For SEEK_HOLE, an unwritten extent
 * is data where pages of it are in the cache, and a reader may put them back as soon as
 * the cache has been emptied. So it must be empty afterwards as well. Reclaim in between
 * leaves an entry, but a reader that drops its pages (POSIX_FADV_DONTNEED) does not.
 * No lock excludes readers here: ->llseek() takes the inode lock, which is outside
 * invalidate_lock. To be missed, a reader has to hit that moment in each of
 * NOCLONE_SEEK_ROUNDS rounds in a row; one round that finds a hole is enough.
 *
 * A live table that writes through the page cache may keep it from being emptied; that
 * is no reason to refuse before the file is pinned. Neither is a lost write: the
 * cache has the last copy of it, which stays until a flush of the device has failed. So
 * do pages under writeback before the pin, as that may fail.
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
