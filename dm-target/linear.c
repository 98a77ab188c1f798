// SPDX-License-Identifier: GPL-2.0-only
/*
 * noclone-linear: a range of a device, as dm's linear target maps it.
 *
 * Most reads and writes do not come here: fastpath.c sends them to the leg, as soon as
 * noclone_target_resume() in target.c has attached the table.
 */
#include "linear.h"
#include "dax.h"
#include "device-state.h"
#include "fastpath-status.h"
#include "sentinel.h"
#include "target.h"

#include <linux/module.h>

/*
 * Construct a linear mapping:
 *	<device> <start sector> [<#opt> no_fastpath]
 */
static int noclone_linear_ctr(struct dm_target *ti, unsigned int argc,
			      char **argv)
{
	struct dm_arg_set as = { .argc = argc, .argv = argv };
	struct noclone_target *t;
	int r = -EINVAL;

	if (argc < 2) {
		ti->error = NOCLONE_ERR_LINEAR_ARGS;
		return -EINVAL;
	}

	t = noclone_target_alloc(ti, 1);
	if (!t)
		return -ENOMEM;
	ti->private = t;

	noclone_layout_init(&t->layout, ti->begin, 1, 0);
	dm_consume_args(&as, 2);
	r = noclone_target_options(t, &as);
	if (r)
		goto bad;
	r = noclone_target_add_leg(t, argv);
	if (r)
		goto bad;
	r = noclone_target_finish(t);
	if (r)
		goto bad;
	return 0;

bad:
	noclone_target_dtr(ti);
	return r;
}

static sector_t noclone_linear_sector(const struct noclone_target *t,
				      sector_t sector)
{
	u32 leg;

	return t->leg[0].start + noclone_map_sector(&t->layout, sector, &leg);
}

/* This function is called for clones, that is, for bios that the fast path left to dm core. */
static int noclone_linear_map(struct dm_target *ti, struct bio *bio)
{
	struct noclone_target *t = ti->private;

	if (noclone_sentinel_is(t->nd, bio))
		return noclone_sentinel_keep(t->nd, bio);
	noclone_count(t->nd, NOCLONE_CLONES);
	bio_set_dev(bio, t->leg[0].bdev);
	bio->bi_iter.bi_sector = noclone_linear_sector(t,
						       bio->bi_iter.bi_sector);
	return DM_MAPIO_REMAPPED;
}

/*
 * INFO: fastpath <state> <#words> [<counter> <value>]...
 * TABLE: the constructor's arguments
 */
static void noclone_linear_status(struct dm_target *ti, status_type_t type,
				  unsigned int status_flags, char *result,
				  unsigned int maxlen)
{
	struct noclone_target *t = ti->private;
	unsigned long long start = t->leg[0].start;
	const char *name = t->leg[0].dev->name;
	size_t sz = 0;

	switch (type) {
	case STATUSTYPE_INFO:
		noclone_status_emit(t->nd, noclone_target_is_first(t), result, maxlen, sz);
		break;
	case STATUSTYPE_TABLE:
		DMEMIT("%s %llu", name, start);
		noclone_target_emit_options(t, result, maxlen, sz);
		break;
	case STATUSTYPE_IMA:
		DMEMIT_TARGET_NAME_VERSION(ti->type);
		DMEMIT(",device_name=%s,start=%llu;", name, start);
		break;
	}
}

static int noclone_linear_prepare_ioctl(struct dm_target *ti,
					struct block_device **bdev
					NOCLONE_IOCTL_EXTRA_ARGS)
{
	struct noclone_target *t = ti->private;

	*bdev = t->leg[0].bdev;
	/*
	 * Unless the whole device is mapped, dm core asks for CAP_SYS_RAWIO, as with
	 * dm-linear.
	 */
	return t->leg[0].start || ti->len != bdev_nr_sectors(*bdev);
}

#ifdef CONFIG_BLK_DEV_ZONED
static int noclone_linear_report_zones(struct dm_target *ti,
				       struct dm_report_zones_args *args,
				       unsigned int nr_zones)
{
	struct noclone_target *t = ti->private;

	return dm_report_zones(t->leg[0].bdev, t->leg[0].start,
			       noclone_linear_sector(t, args->next_sector),
			       args, nr_zones);
}
#else
#define noclone_linear_report_zones NULL
#endif

struct target_type noclone_linear_target = {
	.name			= NOCLONE_LINEAR_NAME,
	.version		= { NOCLONE_VERSION_MAJOR,
				    NOCLONE_VERSION_MINOR,
				    NOCLONE_VERSION_PATCH },
	.features		= DM_TARGET_PASSES_INTEGRITY | DM_TARGET_NOWAIT |
				  DM_TARGET_ZONED_HM | DM_TARGET_PASSES_CRYPTO |
				  DM_TARGET_ATOMIC_WRITES,
	.module			= THIS_MODULE,
	.ctr			= noclone_linear_ctr,
	.dtr			= noclone_target_dtr,
	.map			= noclone_linear_map,
	.presuspend		= noclone_target_presuspend,
	.presuspend_undo	= noclone_target_resume,
	.resume			= noclone_target_resume,
	.status			= noclone_linear_status,
	.message		= noclone_target_message,
	.prepare_ioctl		= noclone_linear_prepare_ioctl,
	.report_zones		= noclone_linear_report_zones,
	.iterate_devices	= noclone_target_iterate_devices,
	.direct_access		= noclone_dax_direct_access,
	.dax_zero_page_range	= noclone_dax_zero_page_range,
	.dax_recovery_write	= noclone_dax_recovery_write,
};
