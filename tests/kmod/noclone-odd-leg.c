// SPDX-License-Identifier: GPL-2.0-only
/*
 * For tests: /dev/noclone-odd, a disk of 1 MiB without data.
 *
 *	way=quiet	It fails each bio, with the flag that a request of a driver leaves in
 *			the bio when it has RQF_QUIET.
 *	way=again	It takes no bio without waiting.
 *	way=op		It makes a write of each bio that it completes.
 *	way=flag	It sets a flag that no kernel has, and says whether that was set.
 *	way=home	It reads as zeroes, and interrupts the processor of the submitter.
 *	way=elsewhere	It reads as zeroes, and interrupts another processor.
 *
 * With legs=DISK,DISK,DISK,DISK for "make bench", in its place: what no driver that remaps a bio can
 * save. /dev/noclone-limit-linear lies on the first of the four, /dev/noclone-limit-striped on all of
 * them, in chunks of 64 KiB. A bio goes to its leg and never comes back here: nothing is allocated,
 * counted or restored.
 */
#include <linux/blkdev.h>
#include <linux/module.h>
#include <linux/smp.h>
#include <linux/string.h>

static char *way = "quiet";
module_param(way, charp, 0);
MODULE_PARM_DESC(way, "quiet, again, op, flag, home or elsewhere");

#define ODD_FLAG	0x8000

#define LEGS		4
#define CHUNK_SHIFT	7
#define LEG_SECTORS	8192

static char *legs[LEGS];
static int leg_count;
module_param_array(legs, charp, &leg_count, 0);
MODULE_PARM_DESC(legs, "four disks");

static int odd_major;
static struct gendisk *odd_disk[2];
static unsigned int odd_disks;
static struct block_device *limit_leg[LEGS];

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

/* A busy call still has to begin, and takes this bio as well. */
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
	} else if (!strcmp(way, "again") && (bio->bi_opf & REQ_NOWAIT)) {
		bio_wouldblock_error(bio);
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

/* "block: move the nowait flag to queue_limits" (v6.11), and before it the files */
#ifdef BLK_FEAT_NOWAIT
static struct file *limit_file[LEGS];

static int limit_open(int i)
{
	limit_file[i] = bdev_file_open_by_path(legs[i], BLK_OPEN_READ | BLK_OPEN_WRITE, NULL, NULL);
	if (IS_ERR(limit_file[i]))
		return PTR_ERR(limit_file[i]);
	limit_leg[i] = file_bdev(limit_file[i]);
	return 0;
}

static void limit_close(int i)
{
	bdev_fput(limit_file[i]);
}
#else
static int limit_open(int i)
{
	struct block_device *bdev = blkdev_get_by_path(legs[i], FMODE_READ | FMODE_WRITE, NULL);

	if (IS_ERR(bdev))
		return PTR_ERR(bdev);
	limit_leg[i] = bdev;
	return 0;
}

static void limit_close(int i)
{
	blkdev_put(limit_leg[i], FMODE_READ | FMODE_WRITE);
}
#endif

static void limit_linear_submit_bio(struct bio *bio)
{
	bio_set_dev(bio, limit_leg[0]);
	submit_bio_noacct(bio);
}

static void limit_striped_submit_bio(struct bio *bio)
{
	sector_t sector = bio->bi_iter.bi_sector, chunk = sector >> CHUNK_SHIFT;

	bio->bi_iter.bi_sector = (chunk / LEGS << CHUNK_SHIFT) |
				 (sector & ((1 << CHUNK_SHIFT) - 1));
	bio_set_dev(bio, limit_leg[chunk % LEGS]);
	submit_bio_noacct(bio);
}

static const struct block_device_operations odd_fops[] = {
	{ .owner = THIS_MODULE, .submit_bio = odd_submit_bio },
	{ .owner = THIS_MODULE, .submit_bio = limit_linear_submit_bio },
	{ .owner = THIS_MODULE, .submit_bio = limit_striped_submit_bio },
};

/* Without that it would get no bio that must not wait. */
static struct gendisk *odd_alloc_disk(void)
{
#ifdef BLK_FEAT_NOWAIT
	struct queue_limits limits = { .features = BLK_FEAT_NOWAIT };

	return blk_alloc_disk(&limits, NUMA_NO_NODE);
#else
	struct gendisk *disk = blk_alloc_disk(NUMA_NO_NODE);

	if (!disk)
		return ERR_PTR(-ENOMEM);
	blk_queue_flag_set(QUEUE_FLAG_NOWAIT, disk->queue);
	return disk;
#endif
}

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
		if (limit_leg[i])
			limit_close(i);
	unregister_blkdev(odd_major, "noclone-odd");
}

/* The chunks of the striped one are not divided. */
static int limit_init(void)
{
	int i, r = leg_count == LEGS ? 0 : -EINVAL;

	for (i = 0; i < LEGS && !r; i++)
		r = limit_open(i);
	if (!r)
		r = odd_add("noclone-limit-linear", 1, bdev_nr_sectors(limit_leg[0]));
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

MODULE_DESCRIPTION("A disk that is odd in one way; for the tests of dm-noclone");
MODULE_LICENSE("GPL");
