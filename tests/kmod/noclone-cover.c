// SPDX-License-Identifier: GPL-2.0-only
/*
 * For tests: replace the operations of a mapped device by a copy of them, until rmmod, as programs
 * that track changes for backups do.
 *
 *	insmod noclone-cover.ko device=MAJOR:MINOR [leave=Y]
 *
 * The copy has the submit_bio that the module found. With leave=Y, the module holds no reference to
 * the device, so the device can be removed while the module is loaded.
 */
#include <linux/blkdev.h>
#include <linux/device-mapper.h>
#include <linux/kdev_t.h>
#include <linux/module.h>

static char *device = "";
module_param(device, charp, 0);
MODULE_PARM_DESC(device, "A mapped device, as MAJOR:MINOR");

static bool leave;
module_param(leave, bool, 0);
MODULE_PARM_DESC(leave, "Do not hold the device");

static dev_t cover_dev;
static struct mapped_device *cover_md;
static const struct block_device_operations *cover_found;
static struct block_device_operations cover_fops;

static int __init cover_init(void)
{
	unsigned int major, minor;

	if (sscanf(device, "%u:%u", &major, &minor) != 2)
		return -EINVAL;
	cover_dev = MKDEV(major, minor);
	cover_md = dm_get_md(cover_dev);
	if (!cover_md)
		return -ENODEV;
	cover_found = READ_ONCE(dm_disk(cover_md)->fops);
	cover_fops = *cover_found;
	cover_fops.owner = THIS_MODULE;
	smp_store_release(&dm_disk(cover_md)->fops, &cover_fops); /* the copy is complete */
	if (leave)
		dm_put(cover_md);
	return 0;
}

static void __exit cover_exit(void)
{
	if (leave)
		cover_md = dm_get_md(cover_dev);
	if (!cover_md)
		return;
	if (READ_ONCE(dm_disk(cover_md)->fops) == &cover_fops)
		WRITE_ONCE(dm_disk(cover_md)->fops, cover_found);
	/* A reader of disk->fops may still use the copy. */
	synchronize_rcu();
	synchronize_rcu_tasks();
	dm_put(cover_md);
}

module_init(cover_init);
module_exit(cover_exit);

MODULE_DESCRIPTION("Covers the operations of a mapped device; for the tests of dm-noclone");
MODULE_LICENSE("GPL");
