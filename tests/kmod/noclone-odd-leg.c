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
 */
#include <linux/blkdev.h>
#include <linux/module.h>
#include <linux/smp.h>
#include <linux/string.h>

static char *way = "quiet";
module_param(way, charp, 0);
MODULE_PARM_DESC(way, "quiet, again, op, flag, home or elsewhere");

#define ODD_FLAG	0x8000

static int odd_major;
static struct gendisk *odd_disk;

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

static const struct block_device_operations odd_fops = {
	.owner		= THIS_MODULE,
	.submit_bio	= odd_submit_bio,
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

static int __init odd_init(void)
{
	int r;

	odd_major = register_blkdev(0, "noclone-odd");
	if (odd_major < 0)
		return odd_major;
	odd_disk = odd_alloc_disk();
	r = PTR_ERR_OR_ZERO(odd_disk);
	if (r)
		goto unregister;
	odd_disk->major = odd_major;
	odd_disk->minors = 1;
	odd_disk->flags |= GENHD_FL_NO_PART;
	odd_disk->fops = &odd_fops;
	strscpy(odd_disk->disk_name, "noclone-odd", DISK_NAME_LEN);
	set_capacity(odd_disk, 2048);
	r = add_disk(odd_disk);
	if (!r)
		return 0;
	put_disk(odd_disk);
unregister:
	unregister_blkdev(odd_major, "noclone-odd");
	return r;
}

static void __exit odd_exit(void)
{
	del_gendisk(odd_disk);
	put_disk(odd_disk);
	unregister_blkdev(odd_major, "noclone-odd");
}

module_init(odd_init);
module_exit(odd_exit);

MODULE_DESCRIPTION("A disk that is odd in one way; for the tests of dm-noclone");
MODULE_LICENSE("GPL");
