// SPDX-License-Identifier: GPL-2.0-only
/*
 * For tests: submit bios to a device and print their members on completion.
 * Stock dm completes the submitter's bio, and the leg has seen only a clone: no
 * change by the leg may be visible.
 *
 *	insmod noclone-biodump.ko dev=/dev/mapper/NAME sectors=8
 *
 * prints one line and stays, doing nothing, until rmmod. With nr=2 a second bio follows the
 * first, for a disk that merges them. With preflush=Y it writes, data and REQ_PREFLUSH in
 * one bio, as journals do; at=SECTOR is where.
 */
#include <linux/bio.h>
#include <linux/blkdev.h>
#include <linux/completion.h>
#include <linux/module.h>
#include <linux/version.h>

static char *dev;
module_param(dev, charp, 0);
MODULE_PARM_DESC(dev, "Block device");

static unsigned int sectors = 8;
module_param(sectors, uint, 0);
MODULE_PARM_DESC(sectors, "Size of the bio, a multiple of 8");

static unsigned int nr = 1;
module_param(nr, uint, 0);
MODULE_PARM_DESC(nr, "How many bios, at most 2");

static bool preflush;
module_param(preflush, bool, 0);
MODULE_PARM_DESC(preflush, "Write data with REQ_PREFLUSH");

static ulong at;
module_param(at, ulong, 0);
MODULE_PARM_DESC(at, "First sector");

static ushort flags;
module_param(flags, ushort, 0);
MODULE_PARM_DESC(flags, "More flags of the bios");

/* What the submitter sees */
struct biodump {
	struct completion done;
	struct block_device *bdev;
	struct bio *bio;
	struct bio seen;
};

static void biodump_end_io(struct bio *bio)
{
	struct biodump *d = bio->bi_private;

	d->seen = *bio;
	complete(&d->done);
}

static void biodump_print(const struct biodump *d)
{
	const struct bio *bio = &d->seen;

	pr_info("biodump: flags %x opf %x status %u remaining %d sector %llu size %u idx %u bdev %d end_io %d next %d\n",
		bio->bi_flags, (__force u32)bio->bi_opf,
		(__force u8)bio->bi_status, atomic_read(&bio->__bi_remaining),
		(u64)bio->bi_iter.bi_sector, bio->bi_iter.bi_size,
		bio->bi_iter.bi_idx, bio->bi_bdev == d->bdev,
		bio->bi_end_io == biodump_end_io, !!bio->bi_next);
}

static int biodump_fill(struct bio *bio, unsigned int pages)
{
	struct page *page;

	while (pages--) {
		page = alloc_page(GFP_KERNEL);
		if (!page)
			return -ENOMEM;
		memset(page_address(page), preflush ? 0x5a : 0, PAGE_SIZE);
		__bio_add_page(bio, page, PAGE_SIZE, 0);
	}
	return 0;
}

static int biodump_make(struct biodump *d, struct block_device *bdev, sector_t sector)
{
	unsigned int pages = sectors >> (PAGE_SHIFT - SECTOR_SHIFT);
	blk_opf_t opf = preflush ? REQ_OP_WRITE | REQ_PREFLUSH : REQ_OP_READ;

	d->bdev = bdev;
	d->bio = bio_alloc(bdev, pages, opf, GFP_KERNEL);
	d->bio->bi_iter.bi_sector = sector;
	d->bio->bi_end_io = biodump_end_io;
	d->bio->bi_private = d;
	d->bio->bi_flags |= flags;
	init_completion(&d->done);
	return biodump_fill(d->bio, pages);
}

static void biodump_free(struct biodump *d)
{
	unsigned int i;

	if (!d->bio)
		return;
	for (i = 0; i < d->bio->bi_vcnt; i++)
		__free_page(d->bio->bi_io_vec[i].bv_page);
	bio_put(d->bio);
}

static void biodump_run(struct biodump *dumps)
{
	struct blk_plug plug;
	unsigned int i;

	/* A disk merges what is in one plug */
	blk_start_plug(&plug);
	for (i = 0; i < nr; i++)
		submit_bio(dumps[i].bio);
	blk_finish_plug(&plug);
	for (i = 0; i < nr; i++) {
		wait_for_completion(&dumps[i].done);
		biodump_print(&dumps[i]);
	}
}

static struct biodump biodump_all[2];

static int biodump_all_of(struct block_device *bdev)
{
	unsigned int i;
	int r = nr > ARRAY_SIZE(biodump_all) ? -EINVAL : 0;

	for (i = 0; !r && i < nr; i++)
		r = biodump_make(&biodump_all[i], bdev, at + (sector_t)i * sectors);
	if (!r)
		biodump_run(biodump_all);
	for (i = 0; i < ARRAY_SIZE(biodump_all); i++)
		biodump_free(&biodump_all[i]);
	return r;
}

static int __init biodump_init(void)
{
	int r;
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 9, 0)
	struct file *file = bdev_file_open_by_path(dev, BLK_OPEN_READ | BLK_OPEN_WRITE, NULL, NULL);

	if (IS_ERR(file))
		return PTR_ERR(file);
	r = biodump_all_of(file_bdev(file));
	bdev_fput(file);
#else
	struct block_device *bdev = blkdev_get_by_path(dev, FMODE_READ | FMODE_WRITE, NULL);

	if (IS_ERR(bdev))
		return PTR_ERR(bdev);
	r = biodump_all_of(bdev);
	blkdev_put(bdev, FMODE_READ | FMODE_WRITE);
#endif
	return r;
}

static void __exit biodump_exit(void)
{
}

module_init(biodump_init);
module_exit(biodump_exit);

MODULE_DESCRIPTION("Shows a bio as its submitter gets it back; for the tests of dm-noclone");
MODULE_LICENSE("GPL");
