// SPDX-License-Identifier: GPL-2.0-only
/*
 * For "make bench": what no driver that remaps a bio can save. /dev/noclone-limit-linear lies
 * on the first of four disks, /dev/noclone-limit-striped on all of them, in chunks of 64 KiB.
 * A bio goes to its leg and never comes back here: nothing is allocated, counted or restored.
 */
#include <linux/blkdev.h>
#include <linux/module.h>

#define LEGS		4
#define CHUNK_SHIFT	7
#define LEG_SECTORS	8192

static char *legs[LEGS];
static int leg_count;
module_param_array(legs, charp, &leg_count, 0);
MODULE_PARM_DESC(legs, "four disks");

static int limit_major;
static struct gendisk *limit_disk[2];
static struct block_device *limit_leg[LEGS];

/* "block: move the io_stat flag setting to queue_limits" (v6.11), and before it the files */
#ifdef BLK_FEAT_IO_STAT
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

#define limit_alloc_disk()	blk_alloc_disk(NULL, NUMA_NO_NODE)
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

#define limit_alloc_disk()	(blk_alloc_disk(NUMA_NO_NODE) ?: ERR_PTR(-ENOMEM))
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

static const struct block_device_operations limit_fops[] = {
	{ .owner = THIS_MODULE, .submit_bio = limit_linear_submit_bio },
	{ .owner = THIS_MODULE, .submit_bio = limit_striped_submit_bio },
};

static int limit_add(int i, const char *name, sector_t sectors)
{
	struct gendisk *disk = limit_alloc_disk();
	int r;

	if (IS_ERR(disk))
		return PTR_ERR(disk);
	disk->major = limit_major;
	disk->first_minor = i;
	disk->minors = 1;
	disk->flags |= GENHD_FL_NO_PART;
	disk->fops = &limit_fops[i];
	strscpy(disk->disk_name, name, DISK_NAME_LEN);
	set_capacity(disk, sectors);
	r = add_disk(disk);
	if (r)
		put_disk(disk);
	else
		limit_disk[i] = disk;
	return r;
}

static void limit_exit(void)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(limit_disk); i++) {
		if (!limit_disk[i])
			continue;
		del_gendisk(limit_disk[i]);
		put_disk(limit_disk[i]);
	}
	for (i = 0; i < LEGS; i++)
		if (limit_leg[i])
			limit_close(i);
	if (limit_major > 0)
		unregister_blkdev(limit_major, "noclone-limit");
}

static int __init limit_init(void)
{
	int i, r = leg_count == LEGS ? 0 : -EINVAL;

	for (i = 0; i < LEGS && !r; i++)
		r = limit_open(i);
	if (!r) {
		limit_major = register_blkdev(0, "noclone-limit");
		r = min(limit_major, 0);
	}
	/* The chunks of the striped one are not divided. */
	if (!r)
		r = limit_add(0, "noclone-limit-linear", bdev_nr_sectors(limit_leg[0]));
	if (!r)
		r = limit_add(1, "noclone-limit-striped", LEGS * LEG_SECTORS);
	if (r)
		limit_exit();
	return r;
}

module_init(limit_init);
module_exit(limit_exit);

MODULE_DESCRIPTION("Disks that only remap; for the measurements of dm-noclone");
MODULE_LICENSE("GPL");
