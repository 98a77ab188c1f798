// SPDX-License-Identifier: GPL-2.0-only
/*
 * noclone-file: the engine "extent".  The file is pinned, its extents are read
 * once, and bios go straight to them on the disk below: by the fast path, as if
 * the line were as many lines of noclone-linear.
 *
 * Why this is safe
 *
 *  - ->bmap says where a block is now and promises nothing.  What promises is
 *    that the file is pinned: see pin.c.  Only file systems are taken
 *    that have been looked at for it, and that want nothing else to be done for a
 *    swap file, or undone: no ->swap_deactivate().
 *  - The constructor reads the extents while the file may still move.  .preresume
 *    pins the file, reads them again and compares.  That is decided once for all
 *    lines of a table that use the file: one that runs on the disk while another
 *    goes through the file system would have it refuse all writes.
 *  - ->swap_activate() numbers whole pages one after another and leaves out
 *    what does not fill one.  Only when they add up to the whole file is such
 *    a number a position in the file.
 *  - It takes unwritten extents as well.  The disk has old data there, and the
 *    file system would go on reading zeroes.  So no hole may be found; and as
 *    cached pages of unwritten extents count as data, the cache is emptied
 *    first.
 *  - Data must be on the disk as it is in the file: no encryption, no verity,
 *    no journalled data.  Those have no direct I/O, or are asked for.
 *  - Nothing may fail in .preresume, and nobody may be waited for who could wait
 *    for the device: reading the extents syncs the file and takes locks.  So a
 *    worker does it, and has NOCLONE_VERIFY_TIME.  If it has not come to an end
 *    then, or the file cannot be pinned, or has changed, the engine direct takes
 *    over, and status says so.
 */
#include "file.h"

#include <linux/magic.h>
#include <linux/rbtree.h>
#include <linux/sched/mm.h>
#include <linux/swap.h>

#define NOCLONE_SECTORS_PER_PAGE	(PAGE_SIZE >> SECTOR_SHIFT)

/* How long a device may stay suspended for its extents to be compared, jiffies */
#define NOCLONE_VERIFY_TIME		(5 * HZ)

static void noclone_swap_free(struct swap_info_struct *sis)
{
	struct rb_node *node;

	while ((node = rb_first(&sis->swap_extent_root))) {
		rb_erase(node, &sis->swap_extent_root);
		kfree(rb_entry(node, struct swap_extent, rb_node));
	}
	kfree(sis);
}

/*
 * The extents of the whole file.  The inode is locked, at least shared: ext4 would
 * remember for good what it finds in the middle of a punch.
 */
static struct swap_info_struct *noclone_swap_read(struct noclone_file *f)
{
	struct address_space *mapping = f->file->f_mapping;
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
	sis->swap_file = f->file;
	sis->max = pages;
	r = mapping->a_ops->swap_activate(sis, f->file, &span);
	if (r >= 0 && sis->pages + 1ULL == pages)
		return sis;

	noclone_swap_free(sis);
	return ERR_PTR(r < 0 ? r : -EINVAL);
}

static u32 noclone_swap_count(const struct swap_info_struct *sis)
{
	struct rb_node *node;
	u32 nr = 0;

	for (node = rb_first(&sis->swap_extent_root); node; node = rb_next(node))
		nr++;
	return nr;
}

/* The part of a swap extent that belongs to the line; false if there is none. */
static bool noclone_extent_of(const struct noclone_file *f,
			      const struct swap_extent *se,
			      struct noclone_extent *e)
{
	u64 begin = (u64)se->start_page * NOCLONE_SECTORS_PER_PAGE;
	u64 end = begin + (u64)se->nr_pages * NOCLONE_SECTORS_PER_PAGE;
	u64 from = max_t(u64, begin, f->start);
	u64 to = min_t(u64, end, f->start + f->ti->len);

	if (from >= to)
		return false;
	e->begin = f->ti->begin + from - f->start;
	e->sectors = to - from;
	e->physical = (u64)se->start_block * NOCLONE_SECTORS_PER_PAGE +
		from - begin;
	return true;
}

/* Return: their number, 0 if there was no memory or they are not all there. */
static u32 noclone_extents_build(const struct noclone_file *f,
				 const struct swap_info_struct *sis,
				 struct noclone_extent **extents)
{
	u64 sectors = 0;
	struct rb_node *node;
	u32 nr = 0;

	*extents = kvmalloc_array(noclone_swap_count(sis), sizeof(**extents),
				  GFP_KERNEL);
	if (!*extents)
		return 0;
	for (node = rb_first(&sis->swap_extent_root); node; node = rb_next(node)) {
		struct noclone_extent *e = *extents + nr;

		if (noclone_extent_of(f, rb_entry(node, struct swap_extent,
						  rb_node), e)) {
			sectors += e->sectors;
			nr++;
		}
	}
	return sectors == f->ti->len ? nr : 0;
}

/*
 * See the top. Under a live table that writes through the page cache it cannot
 * be emptied, which matters only to a file that is pinned.
 */
static bool noclone_is_written(struct noclone_file *f)
{
	loff_t end = to_bytes(f->start + f->ti->len);

	if (invalidate_inode_pages2(f->file->f_mapping) &&
	    READ_ONCE(f->backing->pinned))
		return false;
	return vfs_llseek(f->file, to_bytes(f->start), SEEK_HOLE) >= end;
}

static bool noclone_is_known(const struct super_block *sb)
{
	return sb->s_bdev && (sb->s_magic == EXT4_SUPER_MAGIC ||
			      sb->s_magic == XFS_SUPER_MAGIC);
}

/* Can the promise be kept for this file at all? */
static int noclone_extent_check(struct noclone_file *f)
{
	const struct inode *inode = file_inode(f->file);
	const struct address_space_operations *aops = inode->i_mapping->a_ops;

	/* Without CONFIG_SWAP there is no such mark */
	if (!IS_ENABLED(CONFIG_SWAP) || !noclone_is_known(inode->i_sb) ||
	    !aops->swap_activate || aops->swap_deactivate)
		return noclone_refuse(f, -EINVAL,
			NOCLONE_ERR_NO_PIN);
	if (i_blocksize(inode) < PAGE_SIZE)
		return noclone_refuse(f, -EINVAL,
			NOCLONE_ERR_SMALL_BLOCKS);
	if (IS_ENCRYPTED(inode) || IS_VERITY(inode))
		return noclone_refuse(f, -EINVAL,
			"File is encrypted or has verity: use engine direct or buffered");
	if (noclone_has_writers(f->backing))
		return noclone_refuse(f, -ETXTBSY,
			"File is open for writing by another program: close it, or use engine direct");
	return 0;
}

/* The pin that is on the file, 0 if there is none. */
static u32 noclone_pin_nr(const struct noclone_backing *b)
{
	return READ_ONCE(b->pinned) ? READ_ONCE(b->pin_nr) : 0;
}

static int noclone_extent_read(struct noclone_file *f,
			       struct noclone_extent **extents)
{
	struct inode *inode = file_inode(f->file);
	struct swap_info_struct *sis;
	unsigned int noio;
	u32 nr = 0;

	if (down_write_killable(&inode->i_rwsem))
		return noclone_refuse(f, -EINTR, "Interrupted");
	/* Reclaim may write to the device, and that to the file */
	noio = memalloc_noio_save();
	sis = noclone_swap_read(f);
	if (!IS_ERR(sis))
		nr = noclone_extents_build(f, sis, extents);
	memalloc_noio_restore(noio);
	inode_unlock(inode);

	if (IS_ERR(sis))
		return noclone_refuse(f, PTR_ERR(sis),
			"File has holes, shared or unaligned extents: write it out (noclone create --allocate), or use engine direct");
	f->below.bdev = sis->bdev;
	format_dev_t(f->below.name, sis->bdev->bd_dev);
	f->extents = nr;
	noclone_swap_free(sis);
	if (!nr)
		return noclone_refuse(f, -EINVAL,
			"File is not mapped whole, or there is not enough memory for its extents");
	if (!noclone_is_written(f))
		return noclone_refuse(f, -EINVAL,
			"File has unwritten extents or is mapped by a process: write it out (noclone create --allocate), or use engine direct");
	return 0;
}

/* Has the file stayed where the constructor found it? */
static bool noclone_extents_match(const struct noclone_file *f,
				  const struct noclone_extent *e, u32 nr)
{
	const struct noclone_table *table = f->line->table;
	u32 i = noclone_find_span(table->spans, table->nr, f->ti->begin);

	if (nr != f->extents)
		return false;
	for (; nr; nr--, e++, i++)
		if (table->spans[i].begin != e->begin ||
		    table->segments[i].layout.begin != e->begin - e->physical)
			return false;
	return true;
}

static bool noclone_extent_is_same(struct noclone_file *f,
				   const struct swap_info_struct *sis)
{
	struct noclone_extent *extents;
	u32 nr = noclone_extents_build(f, sis, &extents);
	bool same = nr && noclone_extents_match(f, extents, nr);

	kvfree(extents);
	return same && sis->bdev == f->below.bdev && noclone_is_written(f);
}

/* Nobody may have moved a block since .preresume asked, or it is of no use. */
static bool noclone_extent_is_still_pinned(const struct noclone_file *f)
{
	return noclone_pin_nr(f->backing) == f->verify_nr;
}

static bool noclone_extent_all_same(struct noclone_file *f)
{
	struct inode *inode = file_inode(f->file);
	struct swap_info_struct *sis = ERR_PTR(-ESTALE);
	struct noclone_file *line;
	bool same;

	inode_lock_shared(inode);
	if (noclone_extent_is_still_pinned(f))
		sis = noclone_swap_read(f);
	inode_unlock_shared(inode);
	if (IS_ERR(sis))
		return false;

	same = true;
	for (line = f; same && line; line = noclone_backing_line(line, line))
		same = noclone_extent_is_same(line, sis);
	noclone_swap_free(sis);
	return same && noclone_extent_is_still_pinned(f);
}

/* Runs as long as it takes; the destructor of @f waits for it. */
static void noclone_extent_verify(struct work_struct *work)
{
	struct noclone_file *f = container_of(work, struct noclone_file, verify);
	unsigned int noio = memalloc_noio_save();

	f->verdict = noclone_extent_all_same(f) ? NULL : "extent:changed";
	memalloc_noio_restore(noio);
	smp_store_release(&f->verifying, false); /* after the verdict */
	complete(&f->verified);
}

/* Return: NULL if the extents of all lines are where they were. */
static const char *noclone_extent_ask(struct noclone_file *f)
{
	/* It has not come to an end since the last time */
	if (READ_ONCE(f->verifying))
		return "extent:busy";
	f->verifying = true;
	f->verify_nr = f->backing->pin_nr;
	reinit_completion(&f->verified);
	queue_work(f->wq, &f->verify);
	wait_for_completion_timeout(&f->verified, NOCLONE_VERIFY_TIME);
	/* What woke us up may have been the end of the one before */
	return smp_load_acquire(&f->verifying) ? "extent:busy" : f->verdict;
}

/*
 * Extents that were read under the pin that is on the file need not be read again.
 * Return: NULL, or why the lines of the table must not run on the disk.
 */
static const char *noclone_extent_pin(struct noclone_file *first)
{
	struct noclone_backing *b = first->backing;
	struct noclone_file *f;
	bool known = b->pinned;
	const char *why = NULL;

	for (f = first; f; f = noclone_backing_line(f, f))
		known &= f->pin_nr == b->pin_nr;
	if (known)
		return NULL;
	if (!b->pinned)
		why = noclone_pin(b);
	return why ? why : noclone_extent_ask(first);
}

static void noclone_extent_choose(struct noclone_file *f, const char *why)
{
	bool ran = f->engine->pins;

	f->refused = why;
	f->engine = why ? &noclone_engine_direct : f->asked;
	f->pin_nr = why ? 0 : f->backing->pin_nr;
	f->backing->ran |= !why;
	if (ran != f->engine->pins)
		atomic_add(ran ? 1 : -1, &f->line->table->unpinned);
}

static void noclone_extent_let_go(struct noclone_file *f)
{
	noclone_unpin(f->backing);
	if (f->backing->marked)
		queue_work(f->wq, &f->unmark);
}

static void noclone_extent_decide(struct noclone_file *first)
{
	const char *why = noclone_extent_pin(first);
	struct noclone_file *f;

	for (f = first; f; f = noclone_backing_line(f, f))
		noclone_extent_choose(f, why);
	if (!why)
		return;
	noclone_extent_let_go(first);
	DMWARN("%s: %s cannot be pinned (%s): engine direct stands in",
	       dm_table_device_name(first->ti->table), first->path, why);
}

/**
 * noclone_extent_preresume - pin the file, or let it go, as the table asks
 * @f: line of a table that is about to be live; the first one that uses a file
 *	decides for all that do
 *
 * Context: .preresume: no bio is in flight, and nothing may fail.
 */
void noclone_extent_preresume(struct noclone_file *f)
{
	unsigned int noio = memalloc_noio_save();

	if (noclone_backing_line(f, NULL) == f) {
		if (f->asked->pins)
			noclone_extent_decide(f);
		else
			noclone_extent_let_go(f);
	}
	memalloc_noio_restore(noio);
}

static void noclone_extent_unmark(struct work_struct *work)
{
	noclone_unmark(container_of(work, struct noclone_file, unmark)->backing);
}

/**
 * noclone_extent_init - what every line needs, whatever its engine
 * @f: a line that is being made
 */
void noclone_extent_init(struct noclone_file *f)
{
	init_completion(&f->verified);
	INIT_WORK(&f->verify, noclone_extent_verify);
	INIT_WORK(&f->unmark, noclone_extent_unmark);
}

/* Direct stands in until .preresume has pinned the file. */
static int noclone_extent_admit(struct noclone_file *f)
{
	struct noclone_extent *extents = NULL;
	int r = noclone_extent_check(f);
	u32 pin_nr = noclone_pin_nr(f->backing);

	if (!r)
		r = noclone_extent_read(f, &extents);
	if (!r)
		r = noclone_file_add_line(f, extents);
	kvfree(extents);
	if (r)
		return r;

	if (pin_nr == noclone_pin_nr(f->backing))
		f->pin_nr = pin_nr;
	atomic_inc(&f->line->table->unpinned);
	f->engine = &noclone_engine_direct;
	f->refused = "extent:loaded";
	return noclone_workers_init(f);
}

/* What the fast path leaves to dm core, as in noclone_linear_map(). */
static int noclone_extent_map(struct noclone_file *f, struct bio *bio)
{
	const struct noclone_table *table = f->line->table;
	sector_t sector = bio->bi_iter.bi_sector;
	u32 i, leg;

	noclone_count(f->line->nd, NOCLONE_CLONES);
	bio_set_dev(bio, f->below.bdev);
	if (!bio_sectors(bio))
		return DM_MAPIO_REMAPPED;

	i = noclone_find_span(table->spans, table->nr, sector);
	if (bio_end_sector(bio) > table->spans[i].end)
		dm_accept_partial_bio(bio, table->spans[i].end - sector);
	bio->bi_iter.bi_sector = noclone_map_sector(&table->segments[i].layout,
						    sector, &leg);
	return DM_MAPIO_REMAPPED;
}

/* The sectors of the file on its disk, with no file system in between. */
const struct noclone_engine noclone_engine_extent = {
	.name		= "extent",
	.direct		= true,
	.pins		= true,
	.admit		= noclone_extent_admit,
	.dismiss	= noclone_workers_exit,
	.map		= noclone_extent_map,
};
