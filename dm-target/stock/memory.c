// SPDX-License-Identifier: GPL-2.0-only
/*
 * Memory for mapped devices with stock targets, and which of them there was none for.
 */
#include "memory.h"
#include "devices.h"
#include "../mapped-device.h"

#include <linux/bitmap.h>
#include <linux/blkdev.h>
#include <linux/sched/mm.h>

/* dm core takes the lowest number that is free: hardly any machine has a higher one. */
#define NOCLONE_MEMORY_MINORS	4096

static DECLARE_BITMAP(noclone_memory_missed, NOCLONE_MEMORY_MINORS);
/* There was none when a target was resumed that is not the last of its table. */
static DECLARE_BITMAP(noclone_memory_partial, NOCLONE_MEMORY_MINORS);
static unsigned int noclone_memory_major;	/* of all mapped devices */

/*
 * Give @sd the memory that the fast path needs. The callbacks of dm core must not
 * wait for it: the device may be what memory is swapped out to. Return: false if
 * there is none.
 */
bool noclone_stock_prepare(struct noclone_stock *sd)
{
	if (noclone_dev_is_ready(&sd->nd))
		return true;
	/* If it is taken, the work item is there, and resumes the device again */
	if (!mutex_trylock(&sd->preparing))
		return false;
	if (!noclone_dev_is_ready(&sd->nd))
		noclone_dev_alloc(&sd->nd, GFP_NOWAIT | __GFP_NOWARN);
	mutex_unlock(&sd->preparing);
	return noclone_dev_is_ready(&sd->nd);
}

/* The same where it is allowed to wait. */
bool noclone_stock_prepare_wait(struct noclone_stock *sd)
{
	unsigned int noio;
	int r = 0;

	mutex_lock(&sd->preparing);
	noio = memalloc_noio_save();
	if (!noclone_dev_is_ready(&sd->nd))
		r = noclone_dev_alloc(&sd->nd, GFP_KERNEL);
	memalloc_noio_restore(noio);
	mutex_unlock(&sd->preparing);
	return !r;
}

/*
 * There is no memory to put a device on the list: remember its number, which takes none.
 * Return: whether that is possible.
 */
bool noclone_memory_miss(const struct gendisk *disk)
{
	if (disk->first_minor >= NOCLONE_MEMORY_MINORS)
		return false;
	WRITE_ONCE(noclone_memory_major, disk->major);
	set_bit(disk->first_minor, noclone_memory_missed);
	return true;
}

bool noclone_memory_is_missed(const struct gendisk *disk)
{
	return disk->first_minor < NOCLONE_MEMORY_MINORS &&
	       test_bit(disk->first_minor, noclone_memory_missed);
}

/* Return: the next of them that is not below @minor, or 0, which is no mapped device. */
dev_t noclone_memory_next_missed(unsigned int minor)
{
	minor = find_next_bit(noclone_memory_missed, NOCLONE_MEMORY_MINORS, minor);
	return minor < NOCLONE_MEMORY_MINORS ?
		MKDEV(READ_ONCE(noclone_memory_major), minor) : 0;
}

/* Return: whether it was missed. */
bool noclone_memory_found(dev_t dev)
{
	return MINOR(dev) < NOCLONE_MEMORY_MINORS &&
	       test_and_clear_bit(MINOR(dev), noclone_memory_missed);
}

/* A target of @disk is not known, and its table has more. */
void noclone_memory_set_partial(const struct gendisk *disk)
{
	if (disk->first_minor < NOCLONE_MEMORY_MINORS)
		set_bit(disk->first_minor, noclone_memory_partial);
}

bool noclone_memory_is_partial(const struct gendisk *disk)
{
	return disk->first_minor < NOCLONE_MEMORY_MINORS &&
	       test_bit(disk->first_minor, noclone_memory_partial);
}

/* @disk is suspended: what comes next is looked at anew. */
void noclone_memory_forget(struct gendisk *disk)
{
	noclone_memory_found(disk_devt(disk));
	if (disk->first_minor < NOCLONE_MEMORY_MINORS)
		clear_bit(disk->first_minor, noclone_memory_partial);
}

void noclone_memory_forget_all(void)
{
	bitmap_zero(noclone_memory_missed, NOCLONE_MEMORY_MINORS);
	bitmap_zero(noclone_memory_partial, NOCLONE_MEMORY_MINORS);
}
