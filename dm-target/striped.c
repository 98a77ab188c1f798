// SPDX-License-Identifier: GPL-2.0-only
/* noclone-striped: put chunks on several devices in turn, as dm's striped target does. */
#include "striped.h"
#include "dax.h"
#include "device-state.h"
#include "fastpath-status.h"
#include "sentinel.h"
#include "target.h"
#include "work.h"

#include <linux/module.h>

/* When a leg has had this number of errors, it raises no further event, as with dm-stripe. */
#define NOCLONE_ERROR_THRESHOLD	15

static int noclone_striped_geometry(struct dm_target *ti, u32 stripes,
				    u32 chunk_sectors)
{
	u32 rest;
	u64 width = div_u64_rem(ti->len, stripes, &rest);

	if (rest) {
		ti->error = NOCLONE_ERR_LENGTH;
		return -EINVAL;
	}

	div_u64_rem(width, chunk_sectors, &rest);
	if (rest) {
		ti->error = NOCLONE_ERR_STRIPE_LENGTH;
		return -EINVAL;
	}
	return dm_set_target_max_io_len(ti, chunk_sectors);
}

static int noclone_striped_add_legs(struct noclone_target *t,
				    struct dm_arg_set *as, u32 stripes)
{
	char **argv = as->argv;
	int r;

	dm_consume_args(as, 2 * stripes);
	r = noclone_target_options(t, as);

	for (; !r && stripes; stripes--, argv += 2)
		r = noclone_target_add_leg(t, argv);
	return r;
}

static int noclone_striped_numbers(struct dm_target *ti, struct dm_arg_set *as,
				   u32 *stripes, u32 *chunk_sectors)
{
	if (as->argc < 2) {
		ti->error = NOCLONE_ERR_STRIPED_ARGS;
		return -EINVAL;
	}
	if (kstrtouint(dm_shift_arg(as), 10, stripes) || !*stripes) {
		ti->error = NOCLONE_ERR_STRIPES;
		return -EINVAL;
	}
	if (kstrtouint(dm_shift_arg(as), 10, chunk_sectors) || !*chunk_sectors) {
		ti->error = NOCLONE_ERR_CHUNK;
		return -EINVAL;
	}
	return 0;
}

/*
 * Count an error for the leg that bi_bdev still names, and raise an event. If several legs are the
 * same device, each of these legs counts the error. Failed read-ahead, unsupported operations, and
 * bios that the leg could not take without waiting (which dm-stripe counts) are not errors of the
 * leg. Context: any.
 */
static void noclone_striped_leg_error(struct noclone_target *t, struct bio *bio,
				      blk_status_t status)
{
	unsigned int i;

	if ((bio->bi_opf & REQ_RAHEAD) || status == BLK_STS_NOTSUPP ||
	    status == BLK_STS_AGAIN)
		return;

	for (i = 0; i < t->nr_legs; i++) {
		if (t->leg[i].bdev->bd_dev != bio_dev(bio))
			continue;
		/* The work item calls dm_table_event(), because this context may not sleep */
		if (atomic_inc_return(&t->leg[i].errors) <
		    NOCLONE_ERROR_THRESHOLD)
			noclone_work_queue(&t->event);
	}
}

static const struct noclone_target_ops noclone_striped_ops = {
	.leg_error = noclone_striped_leg_error,
};

/*
 * Construct a striped mapping:
 *	<stripes> <chunk sectors> [<device> <start sector>]{stripes}
 *	[<#opt> no_fastpath]
 */
static int noclone_striped_ctr(struct dm_target *ti, unsigned int argc,
			       char **argv)
{
	struct dm_arg_set as = { .argc = argc, .argv = argv };
	u32 stripes, chunk_sectors;
	struct noclone_target *t;
	int r;

	r = noclone_striped_numbers(ti, &as, &stripes, &chunk_sectors);
	if (r)
		return r;
	r = noclone_striped_geometry(ti, stripes, chunk_sectors);
	if (r)
		return r;
	if (as.argc / 2 < stripes) {
		ti->error = NOCLONE_ERR_FEW_LEGS;
		return -EINVAL;
	}

	t = noclone_target_alloc(ti, stripes);
	if (!t)
		return -ENOMEM;
	ti->private = t;
	t->ops = &noclone_striped_ops;

	noclone_layout_init(&t->layout, ti->begin, stripes, chunk_sectors);
	r = noclone_striped_add_legs(t, &as, stripes);
	if (!r)
		r = noclone_target_finish(t);
	if (r)
		noclone_target_dtr(ti);
	return r;
}

static int noclone_striped_map_range(const struct noclone_target *t,
				     struct bio *bio, u32 leg)
{
	u64 begin;
	u64 sectors = noclone_map_range(&t->layout, bio->bi_iter.bi_sector,
					bio_sectors(bio), leg, &begin);

	if (!sectors) {
		bio_endio(bio);
		return DM_MAPIO_SUBMITTED;
	}

	bio_set_dev(bio, t->leg[leg].bdev);
	bio->bi_iter.bi_sector = t->leg[leg].start + begin;
	bio->bi_iter.bi_size = to_bytes(sectors);
	return DM_MAPIO_REMAPPED;
}

static bool noclone_striped_goes_to_each_leg(struct bio *bio)
{
	return bio_op(bio) == REQ_OP_DISCARD ||
	       bio_op(bio) == REQ_OP_SECURE_ERASE ||
	       bio_op(bio) == REQ_OP_WRITE_ZEROES;
}

/*
 * This function is called for clones, that is, for bios that the fast path left to dm core. A bio
 * with REQ_PREFLUSH is an empty flush only if it has no data: dm core of 7.2 (but not of 6.12)
 * sends flush and data as one bio to a table with a single device.
 */
static int noclone_striped_map(struct dm_target *ti, struct bio *bio)
{
	struct noclone_target *t = ti->private;
	u32 leg;

	if (noclone_sentinel_is(t->nd, bio))
		return noclone_sentinel_keep(t->nd, bio);
	noclone_count(t->nd, NOCLONE_CLONES);
	if ((bio->bi_opf & REQ_PREFLUSH) && !bio->bi_iter.bi_size) {
		leg = dm_bio_get_target_bio_nr(bio);
		bio_set_dev(bio, t->leg[leg].bdev);
		return DM_MAPIO_REMAPPED;
	}
	if (unlikely(noclone_striped_goes_to_each_leg(bio)))
		return noclone_striped_map_range(t, bio,
						 dm_bio_get_target_bio_nr(bio));

	bio->bi_iter.bi_sector = noclone_map_sector(&t->layout,
						    bio->bi_iter.bi_sector,
						    &leg);
	bio->bi_iter.bi_sector += t->leg[leg].start;
	bio_set_dev(bio, t->leg[leg].bdev);
	return DM_MAPIO_REMAPPED;
}

static int noclone_striped_end_io(struct dm_target *ti, struct bio *bio,
				  blk_status_t *error)
{
	if (unlikely(*error))
		noclone_striped_leg_error(ti->private, bio, *error);
	return DM_ENDIO_DONE;
}

static char noclone_striped_leg_letter(const struct noclone_leg *leg)
{
	return atomic_read(&leg->errors) ? 'D' : 'A';
}

static void noclone_striped_info(struct noclone_target *t, char *result,
				 unsigned int maxlen)
{
	unsigned int i;
	size_t sz = 0;

	DMEMIT("%u ", t->nr_legs);
	for (i = 0; i < t->nr_legs; i++)
		DMEMIT("%s ", t->leg[i].dev->name);

	DMEMIT("1 ");
	for (i = 0; i < t->nr_legs; i++)
		DMEMIT("%c", noclone_striped_leg_letter(&t->leg[i]));

	DMEMIT(" ");
	noclone_status_emit(t->nd, noclone_target_is_first(t), result, maxlen, sz);
}

static void noclone_striped_table(struct noclone_target *t, char *result,
				  unsigned int maxlen)
{
	unsigned int i;
	size_t sz = 0;

	DMEMIT("%u %u", t->nr_legs, t->layout.chunk_sectors);
	for (i = 0; i < t->nr_legs; i++)
		DMEMIT(" %s %llu", t->leg[i].dev->name,
		       (unsigned long long)t->leg[i].start);
	noclone_target_emit_options(t, result, maxlen, sz);
}

static void noclone_striped_ima(struct noclone_target *t, char *result,
				unsigned int maxlen)
{
	unsigned int i;
	size_t sz = 0;

	DMEMIT_TARGET_NAME_VERSION(t->ti->type);
	DMEMIT(",stripes=%u,chunk_size=%u", t->nr_legs,
	       t->layout.chunk_sectors);
	for (i = 0; i < t->nr_legs; i++) {
		DMEMIT(",stripe_%u_device_name=%s", i, t->leg[i].dev->name);
		DMEMIT(",stripe_%u_physical_start=%llu", i,
		       (unsigned long long)t->leg[i].start);
		DMEMIT(",stripe_%u_status=%c", i,
		       noclone_striped_leg_letter(&t->leg[i]));
	}
	DMEMIT(";");
}

/*
 * INFO: <stripes> [<device>]{stripes} 1 <a letter per leg, A or D>
 *	fastpath <state> <#words> [<counter> <value>]...
 * TABLE: the constructor's arguments
 */
static void noclone_striped_status(struct dm_target *ti, status_type_t type,
				   unsigned int status_flags, char *result,
				   unsigned int maxlen)
{
	switch (type) {
	case STATUSTYPE_INFO:
		noclone_striped_info(ti->private, result, maxlen);
		break;
	case STATUSTYPE_TABLE:
		noclone_striped_table(ti->private, result, maxlen);
		break;
	case STATUSTYPE_IMA:
		noclone_striped_ima(ti->private, result, maxlen);
		break;
	}
}

static void noclone_striped_io_hints(struct dm_target *ti,
				     struct queue_limits *limits)
{
	struct noclone_target *t = ti->private;

	noclone_compat_striped_limits(limits, t->layout.chunk_sectors,
				      t->layout.stripes);
}

/*
 * noclone_target_presuspend() calls noclone_fastpath_presuspend(), and noclone_target_resume()
 * calls noclone_fastpath_attach(), each for the first target of a table only.
 */
struct target_type noclone_striped_target = {
	.name			= NOCLONE_STRIPED_NAME,
	.version		= { NOCLONE_VERSION_MAJOR,
				    NOCLONE_VERSION_MINOR,
				    NOCLONE_VERSION_PATCH },
	.features		= DM_TARGET_PASSES_INTEGRITY | DM_TARGET_NOWAIT |
				  NOCLONE_STRIPED_PASSES_CRYPTO |
				  DM_TARGET_ATOMIC_WRITES,
	.module			= THIS_MODULE,
	.ctr			= noclone_striped_ctr,
	.dtr			= noclone_target_dtr,
	.map			= noclone_striped_map,
	.end_io			= noclone_striped_end_io,
	.presuspend		= noclone_target_presuspend,
	.presuspend_undo	= noclone_target_resume,
	.resume			= noclone_target_resume,
	.status			= noclone_striped_status,
	.message		= noclone_target_message,
	.iterate_devices	= noclone_target_iterate_devices,
	.io_hints		= noclone_striped_io_hints,
	.direct_access		= noclone_dax_direct_access,
	.dax_zero_page_range	= noclone_dax_zero_page_range,
	.dax_recovery_write	= noclone_dax_recovery_write,
};
