// SPDX-License-Identifier: GPL-2.0-only
/*
 * For tests: /dev/noclone-quiet, a disk of 1 MiB that fails each bio, quietly: with the
 * flag that a request of a driver leaves in the bio when it has RQF_QUIET.
 */
#include <linux/blkdev.h>
#include <linux/module.h>
#include <linux/version.h>

static int quiet_major;
static struct gendisk *quiet_disk;

static void quiet_submit_bio(struct bio *bio)
{
	bio_set_flag(bio, BIO_QUIET);
	bio_io_error(bio);
}

static const struct block_device_operations quiet_fops = {
	.owner		= THIS_MODULE,
	.submit_bio	= quiet_submit_bio,
};

static struct gendisk *quiet_alloc_disk(void)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 9, 0)
	return blk_alloc_disk(NULL, NUMA_NO_NODE);
#else
	return blk_alloc_disk(NUMA_NO_NODE) ?: ERR_PTR(-ENOMEM);
#endif
}

static int __init quiet_init(void)
{
	int r;

	quiet_major = register_blkdev(0, "noclone-quiet");
	if (quiet_major < 0)
		return quiet_major;
	quiet_disk = quiet_alloc_disk();
	r = PTR_ERR_OR_ZERO(quiet_disk);
	if (r)
		goto unregister;
	quiet_disk->major = quiet_major;
	quiet_disk->minors = 1;
	quiet_disk->flags |= GENHD_FL_NO_PART;
	quiet_disk->fops = &quiet_fops;
	strscpy(quiet_disk->disk_name, "noclone-quiet", DISK_NAME_LEN);
	set_capacity(quiet_disk, 2048);
	r = add_disk(quiet_disk);
	if (!r)
		return 0;
	put_disk(quiet_disk);
unregister:
	unregister_blkdev(quiet_major, "noclone-quiet");
	return r;
}

static void __exit quiet_exit(void)
{
	del_gendisk(quiet_disk);
	put_disk(quiet_disk);
	unregister_blkdev(quiet_major, "noclone-quiet");
}

module_init(quiet_init);
module_exit(quiet_exit);

MODULE_DESCRIPTION("A disk that fails quietly; for the tests of dm-noclone");
MODULE_LICENSE("GPL");
