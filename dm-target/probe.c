// SPDX-License-Identifier: GPL-2.0-only
/*
 * When the module is loaded, the probes test the running kernel: does it count, complete, clone and
 * chain bios in the way that the fast path relies on? Headers do not show this, because code can
 * change without a new name. The probes use a disk that is never added and bios that are never
 * submitted, so they touch no device of the machine.
 *
 * A probe finds a difference in the effect of the kernel's functions on one bio. It finds no race,
 * no wrong lock, and no difference in a function that a module cannot call.
 */
#include "probe.h"

#include <linux/bio.h>
#include <linux/blkdev.h>
#include <linux/module.h>
#include <linux/part_stat.h>

struct noclone_probe {
	const char *name;
	bool (*holds)(struct block_device *bdev);
};

#ifdef NOCLONE_DEBUG
static char *noclone_probe_fault = "";
module_param_named(probe_fault, noclone_probe_fault, charp, 0);
MODULE_PARM_DESC(probe_fault, "For tests: the probe with this name sees a faulty kernel");

/* Has a test requested that the probe @name gets the result of a faulty kernel? */
static bool __init noclone_probe_plants(const char *name)
{
	return !strcmp(noclone_probe_fault, name);
}
#else
static bool __init noclone_probe_plants(const char *name)
{
	return false;
}
#endif

static unsigned long __init noclone_probe_count_one(struct block_device *bdev,
						    unsigned int sectors, unsigned long start)
{
#if NOCLONE_HAVE_ACCT_SECTORS_AT_START
	bdev_start_io_acct(bdev, sectors, REQ_OP_WRITE, start);
	bdev_end_io_acct(bdev, REQ_OP_WRITE, start);
#else
	bdev_start_io_acct(bdev, REQ_OP_WRITE, start);
	bdev_end_io_acct(bdev, REQ_OP_WRITE, sectors, start);
#endif
	return READ_ONCE(jiffies);
}

/*
 * Return: the number of I/Os in flight. The function adds up the counters of all processors,
 * because the task may have moved to another processor between begin and end of an I/O.
 */
static long __init noclone_probe_in_flight(struct block_device *bdev)
{
	long writes = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		writes += part_stat_local_read_cpu(bdev, in_flight[STAT_WRITE], cpu);
	return writes;
}

/*
 * R1: bdev_start_io_acct() and bdev_end_io_acct() count one write of 8 sectors that began a second
 * ago. noclone_compat_start_io_acct() and noclone_compat_end_io_acct() change the same counters
 * by themselves (A23), in jiffies.
 */
static bool __init noclone_probe_accounting(struct block_device *bdev)
{
	unsigned long begin = READ_ONCE(jiffies), start = begin - HZ, end;
	u64 nsecs;

	if (noclone_probe_plants("accounting"))
		start -= HZ;
	/* The disk has no time stamp yet, and on 32 bits the value 0 can be later than now. */
	bdev->bd_stamp = start;
	end = noclone_probe_count_one(bdev, 8, start);
	nsecs = part_stat_read(bdev, nsecs[STAT_WRITE]);
	return part_stat_read(bdev, ios[STAT_WRITE]) == 1 &&
	       part_stat_read(bdev, sectors[STAT_WRITE]) == 8 &&
	       nsecs >= jiffies_to_nsecs(HZ) && nsecs <= jiffies_to_nsecs(HZ + end - begin) &&
	       !noclone_probe_in_flight(bdev) &&
	       time_in_range(READ_ONCE(bdev->bd_stamp), begin, end);
}

static void __init noclone_probe_count(struct bio *bio)
{
	++*(int *)bio->bi_private;
}

/*
 * R2: the first bio_endio() of a bio leaves no work for a second bio_endio() except the call of
 * bi_end_io. The fast path makes this call itself, when the bio_endio() of the lower device has run
 * (A17).
 */
static bool __init noclone_probe_endio(struct block_device *bdev)
{
	struct bio bio, before;
	int calls = 0;

	bio_init(&bio, bdev, NULL, 0, REQ_OP_READ);
	bio.bi_end_io = noclone_probe_count;
	bio.bi_private = &calls;
	bio_endio(&bio);
	if (noclone_probe_plants("endio"))
		bio_set_flag(&bio, BIO_TRACE_COMPLETION);
	bio.bi_iter.bi_sector = 1;
	bio.bi_iter.bi_size = SECTOR_SIZE;
	bio.bi_status = BLK_STS_TIMEOUT;
	memcpy(&before, &bio, sizeof(bio));
	bio_endio(&bio);
	return calls == 2 && !memcmp(&before, &bio, sizeof(bio));
}

/*
 * R3: a clone has none of the flags of the bio that is cloned, but has BIO_CLONED. The fast path
 * clears and sets the same flags before it gives a bio to the lower device (A15).
 */
static bool __init noclone_probe_clone(struct block_device *bdev)
{
	struct bio bio, clone;
	bool holds;

	bio_init(&bio, NULL, NULL, 0, REQ_OP_READ);
	bio.bi_flags = ~0;
	if (bio_init_clone(NULL, &clone, &bio, GFP_KERNEL))
		return false;
	if (noclone_probe_plants("clone"))
		bio_set_flag(&clone, BIO_QUIET);
	holds = clone.bi_flags == BIT(BIO_CLONED);
	bio_uninit(&clone);
	return holds;
}

static void __init noclone_probe_nothing(struct bio *bio)
{
}

/*
 * R4: bio_chain() gives the child a special bi_end_io. The fast path recognises a chain by this
 * bi_end_io (A17).
 */
static bool __init noclone_probe_chain(struct block_device *bdev)
{
	struct bio child, parent;
	bio_end_io_t *marker;

	bio_init(&parent, NULL, NULL, 0, REQ_OP_READ);
	bio_init(&child, NULL, NULL, 0, REQ_OP_READ);
	parent.bi_end_io = noclone_probe_nothing;
	bio_chain(&child, &parent);
	marker = noclone_probe_plants("chain") ? parent.bi_end_io : child.bi_end_io;
	bio_uninit(&child);
	bio_uninit(&parent);
	return marker && marker != noclone_probe_nothing;
}

static const struct noclone_probe noclone_probes[] __initconst = {
	{ "accounting", noclone_probe_accounting },
	{ "endio", noclone_probe_endio },
	{ "clone", noclone_probe_clone },
	{ "chain", noclone_probe_chain },
};

/**
 * noclone_probe_run - test the running kernel.
 * @failed: set to the name of the first probe that fails; NULL if no probe fails
 *
 * Return: 0, or -ENOMEM without memory for the disk. Context: init of the module.
 */
int __init noclone_probe_run(const char **failed)
{
	struct gendisk *disk = noclone_compat_alloc_disk();
	unsigned int i;

	*failed = NULL;
	if (!disk)
		return -ENOMEM;
	for (i = 0; i < ARRAY_SIZE(noclone_probes) && !*failed; i++)
		if (!noclone_probes[i].holds(disk->part0))
			*failed = noclone_probes[i].name;
	put_disk(disk);
	return 0;
}
