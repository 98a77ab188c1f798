// SPDX-License-Identifier: GPL-2.0-only
/*
 * DAX: access byte-addressable legs without bios. This file is built only for kernels with
 * CONFIG_FS_DAX.
 */
#include "dax.h"
#include "device-state.h"

/* Translate *@pgoff from the mapped device to the leg, and return the leg. */
static struct dax_device *noclone_dax_pgoff(struct dm_target *ti,
					    pgoff_t *pgoff)
{
	struct noclone_target *t = ti->private;
	u32 leg;
	sector_t sector = noclone_map_sector(&t->layout,
					     *pgoff * PAGE_SECTORS, &leg);
	struct dm_dev *dev = t->leg[leg].dev;

	sector += t->leg[leg].start + get_start_sect(dev->bdev);
	*pgoff = sector >> PAGE_SECTORS_SHIFT;
	return dev->dax_dev;
}

long noclone_dax_direct_access(struct dm_target *ti, pgoff_t pgoff,
			       long nr_pages, enum dax_access_mode mode,
			       void **kaddr, noclone_dax_pfn_t *pfn)
{
	struct dax_device *dax_dev = noclone_dax_pgoff(ti, &pgoff);

	return dax_direct_access(dax_dev, pgoff, nr_pages, mode, kaddr, pfn);
}

int noclone_dax_zero_page_range(struct dm_target *ti, pgoff_t pgoff,
				size_t nr_pages)
{
	struct dax_device *dax_dev = noclone_dax_pgoff(ti, &pgoff);

	return dax_zero_page_range(dax_dev, pgoff, nr_pages);
}

size_t noclone_dax_recovery_write(struct dm_target *ti, pgoff_t pgoff,
				  void *addr, size_t bytes, struct iov_iter *i)
{
	struct dax_device *dax_dev = noclone_dax_pgoff(ti, &pgoff);

	return dax_recovery_write(dax_dev, pgoff, addr, bytes, i);
}
