// SPDX-License-Identifier: GPL-2.0-only
/*
 * For tests: submit bios and show how they complete, and make a disk that treats bios oddly.
 *
 * "DEVICE SECTORS NR FLAGS PREFLUSH AT", written to the parameter "dump", submits a bio of SECTORS
 * sectors at the sector AT of DEVICE, and prints the members of the bio on completion. The leg of a
 * stock device sees only a clone, so the leg changes no member of the submitter's bio. Without a
 * clone, the submitter's bio must also come back unchanged. NR is the number of bios: a disk may
 * merge two bios. FLAGS are further flags of the bio, in hexadecimal. With PREFLUSH 1, the bio
 * writes data and has REQ_PREFLUSH, as a journal does.
 *
 * /dev/noclone-odd is a disk of 1 MiB that keeps no data. The parameter "way" selects:
 *
 *	way=quiet	It fails each bio, and sets BIO_QUIET as a request with RQF_QUIET does.
 *	way=op		It completes each bio with the operation changed to a write.
 *	way=flag	It sets a flag that no kernel uses, and logs whether the flag was set.
 *	way=home	It reads as zeroes, and interrupts the submitter's CPU to complete a bio.
 *	way=elsewhere	It reads as zeroes, and interrupts another CPU to complete a bio.
 *
 * With legs=DISK,DISK,DISK,DISK, for "make bench", the module makes two other disks instead. They
 * show the lowest cost of any driver that remaps a bio: /dev/noclone-limit-linear is on the first
 * of the four disks, and /dev/noclone-limit-striped on all of them, in chunks of 64 KiB. These
 * disks send a bio to its leg and do not see the bio again: they allocate, count and restore
 * nothing.
 */
#include <linux/bio.h>
#include <linux/blkdev.h>
#include <linux/completion.h>
#include <linux/module.h>
#include <linux/smp.h>
#include <linux/string.h>
#include <linux/version.h>

static char *way = "quiet";
module_param(way, charp, 0);
MODULE_PARM_DESC(way, "quiet, op, flag, home or elsewhere");

#define ODD_FLAG	0x8000

#define LEGS		4
#define CHUNK_SHIFT	7
#define LEG_SECTORS	8192

static char *legs[LEGS];
static int leg_count;
module_param_array(legs, charp, &leg_count, 0);
MODULE_PARM_DESC(legs, "four disks");

#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 9, 0)
typedef struct file *odd_handle;
#define odd_open(path) bdev_file_open_by_path(path, BLK_OPEN_READ | BLK_OPEN_WRITE, NULL, NULL)
#define odd_bdev(handle) file_bdev(handle)
#define odd_close(handle) bdev_fput(handle)
#define odd_alloc_disk() blk_alloc_disk(NULL, NUMA_NO_NODE)
#else
typedef struct block_device *odd_handle;
#define odd_open(path) blkdev_get_by_path(path, FMODE_READ | FMODE_WRITE, NULL)
#define odd_bdev(handle) (handle)
#define odd_close(handle) blkdev_put(handle, FMODE_READ | FMODE_WRITE)
#define odd_alloc_disk() (blk_alloc_disk(NUMA_NO_NODE) ?: ERR_PTR(-ENOMEM))
#endif

static int odd_major;
static struct gendisk *odd_disk[2];
static unsigned int odd_disks;
static odd_handle limit_leg[LEGS];

static DEFINE_SPINLOCK(odd_lock);
static struct bio_list odd_bios;

static void odd_interrupt(void *unused)
{
	struct bio_list bios;
	struct bio *bio;

	spin_lock(&odd_lock);
	bios = odd_bios;
	bio_list_init(&odd_bios);
	spin_unlock(&odd_lock);
	while ((bio = bio_list_pop(&bios))) {
		if (bio_op(bio) == REQ_OP_READ)
			zero_fill_bio(bio);
		bio_endio(bio);
	}
}

static call_single_data_t odd_call = CSD_INIT(odd_interrupt, NULL);

/*
 * Submit a bio that an interrupt of @cpu completes, or of this processor if there is no @cpu. If the
 * call is still queued, odd_interrupt() did not start yet, and completes this bio as well.
 */
static void odd_submit_interrupting(struct bio *bio, unsigned int cpu)
{
	unsigned long flags;

	spin_lock_irqsave(&odd_lock, flags);
	bio_list_add(&odd_bios, bio);
	spin_unlock_irqrestore(&odd_lock, flags);
	preempt_disable();
	smp_call_function_single_async(cpu < nr_cpu_ids ? cpu : smp_processor_id(), &odd_call);
	preempt_enable();
}

static void odd_submit_bio(struct bio *bio)
{
	if (!strcmp(way, "home")) {
		odd_submit_interrupting(bio, raw_smp_processor_id());
		return;
	}
	if (!strcmp(way, "elsewhere")) {
		odd_submit_interrupting(bio, cpumask_any_but(cpu_online_mask,
							     raw_smp_processor_id()));
		return;
	}
	if (!strcmp(way, "quiet")) {
		bio_set_flag(bio, BIO_QUIET);
		bio_io_error(bio);
	} else {
		if (!strcmp(way, "op"))
			bio->bi_opf = (bio->bi_opf & ~(__force blk_opf_t)REQ_OP_MASK) |
				      REQ_OP_WRITE;
		if (!strcmp(way, "flag")) {
			pr_info("biodump: the leg sees flags %x\n", bio->bi_flags & ODD_FLAG);
			bio->bi_flags |= ODD_FLAG;
		}
		bio_endio(bio);
	}
}

/* odd_dump: a bio, and the copy of its members that its end_io makes for the submitter. */
struct odd_dump {
	struct completion done;
	struct block_device *bdev;
	struct bio *bio;
	struct bio seen;
};

static void odd_dump_end_io(struct bio *bio)
{
	struct odd_dump *d = bio->bi_private;

	d->seen = *bio;
	complete(&d->done);
}

static void odd_dump_print(const struct odd_dump *d)
{
	const struct bio *bio = &d->seen;

	pr_info("biodump: flags %x opf %x status %u remaining %d sector %llu size %u idx %u bdev %d end_io %d next %d\n",
		bio->bi_flags, (__force u32)bio->bi_opf,
		(__force u8)bio->bi_status, atomic_read(&bio->__bi_remaining),
		(u64)bio->bi_iter.bi_sector, bio->bi_iter.bi_size,
		bio->bi_iter.bi_idx, bio->bi_bdev == d->bdev,
		bio->bi_end_io == odd_dump_end_io, !!bio->bi_next);
}

static void odd_dump_make(struct odd_dump *d, struct block_device *bdev, struct page *page,
			  unsigned int bytes, bool preflush)
{
	d->bdev = bdev;
	d->bio = bio_alloc(bdev, 1, preflush ? REQ_OP_WRITE | REQ_PREFLUSH : REQ_OP_READ,
			   GFP_KERNEL);
	d->bio->bi_end_io = odd_dump_end_io;
	d->bio->bi_private = d;
	init_completion(&d->done);
	__bio_add_page(d->bio, page, bytes, 0);
}

static void odd_dump_run(struct odd_dump *dumps, unsigned int nr)
{
	struct blk_plug plug;
	unsigned int i;

	/* A disk merges bios of one plug. */
	blk_start_plug(&plug);
	for (i = 0; i < nr; i++)
		submit_bio(dumps[i].bio);
	blk_finish_plug(&plug);
	for (i = 0; i < nr; i++) {
		wait_for_completion(&dumps[i].done);
		odd_dump_print(&dumps[i]);
		bio_put(dumps[i].bio);
	}
}

/* Set the parameter "dump": submit the bios, which share the same memory. */
static int odd_dump_set(const char *text, const struct kernel_param *unused)
{
	static struct odd_dump dumps[2];
	unsigned int sectors, nr, flags, preflush, i, order;
	odd_handle handle;
	struct page *page;
	char path[64];
	u64 at;

	if (sscanf(text, "%63s %u %u %x %u %llu", path, &sectors, &nr, &flags, &preflush, &at) != 6 ||
	    nr > ARRAY_SIZE(dumps))
		return -EINVAL;
	order = get_order(sectors << SECTOR_SHIFT);
	page = alloc_pages(GFP_KERNEL, order);
	if (!page)
		return -ENOMEM;
	memset(page_address(page), preflush ? 0x5a : 0, sectors << SECTOR_SHIFT);
	handle = odd_open(path);
	if (!IS_ERR(handle)) {
		for (i = 0; i < nr; i++) {
			odd_dump_make(&dumps[i], odd_bdev(handle), page, sectors << SECTOR_SHIFT, preflush);
			dumps[i].bio->bi_iter.bi_sector = at + (sector_t)i * sectors;
			dumps[i].bio->bi_flags |= flags;
		}
		odd_dump_run(dumps, nr);
		odd_close(handle);
	}
	__free_pages(page, order);
	return PTR_ERR_OR_ZERO(handle);
}

static const struct kernel_param_ops odd_dump_ops = { .set = odd_dump_set };
module_param_cb(dump, &odd_dump_ops, NULL, 0200);
MODULE_PARM_DESC(dump, "see above");

static void limit_linear_submit_bio(struct bio *bio)
{
	bio_set_dev(bio, odd_bdev(limit_leg[0]));
	submit_bio_noacct(bio);
}

static void limit_striped_submit_bio(struct bio *bio)
{
	sector_t sector = bio->bi_iter.bi_sector, chunk = sector >> CHUNK_SHIFT;

	bio->bi_iter.bi_sector = (chunk / LEGS << CHUNK_SHIFT) |
				 (sector & ((1 << CHUNK_SHIFT) - 1));
	bio_set_dev(bio, odd_bdev(limit_leg[chunk % LEGS]));
	submit_bio_noacct(bio);
}

static const struct block_device_operations odd_fops[] = {
	{ .owner = THIS_MODULE, .submit_bio = odd_submit_bio },
	{ .owner = THIS_MODULE, .submit_bio = limit_linear_submit_bio },
	{ .owner = THIS_MODULE, .submit_bio = limit_striped_submit_bio },
};

static int odd_add(const char *name, int fops, sector_t sectors)
{
	struct gendisk *disk = odd_alloc_disk();
	int r;

	if (IS_ERR(disk))
		return PTR_ERR(disk);
	disk->major = odd_major;
	disk->first_minor = odd_disks;
	disk->minors = 1;
	disk->flags |= GENHD_FL_NO_PART;
	disk->fops = &odd_fops[fops];
	strscpy(disk->disk_name, name, DISK_NAME_LEN);
	set_capacity(disk, sectors);
	r = add_disk(disk);
	if (r)
		put_disk(disk);
	else
		odd_disk[odd_disks++] = disk;
	return r;
}

static void odd_exit(void)
{
	int i;

	while (odd_disks) {
		del_gendisk(odd_disk[--odd_disks]);
		put_disk(odd_disk[odd_disks]);
	}
	for (i = 0; i < LEGS; i++)
		if (!IS_ERR_OR_NULL(limit_leg[i]))
			odd_close(limit_leg[i]);
	unregister_blkdev(odd_major, "noclone-odd");
}

/* Make the two disks for bench. noclone-limit-striped does not split a bio at chunks. */
static int limit_init(void)
{
	int i, r = leg_count == LEGS ? 0 : -EINVAL;

	for (i = 0; i < LEGS && !r; i++) {
		limit_leg[i] = odd_open(legs[i]);
		r = PTR_ERR_OR_ZERO(limit_leg[i]);
	}
	if (!r)
		r = odd_add("noclone-limit-linear", 1, bdev_nr_sectors(odd_bdev(limit_leg[0])));
	return r ?: odd_add("noclone-limit-striped", 2, LEGS * LEG_SECTORS);
}

static int __init odd_init(void)
{
	int r;

	odd_major = register_blkdev(0, "noclone-odd");
	if (odd_major < 0)
		return odd_major;
	r = leg_count ? limit_init() : odd_add("noclone-odd", 0, 2048);
	if (r)
		odd_exit();
	return r;
}

module_init(odd_init);
module_exit(odd_exit);

MODULE_DESCRIPTION("Odd bios and disks; for the tests of dm-noclone");
MODULE_LICENSE("GPL");
