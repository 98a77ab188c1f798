// SPDX-License-Identifier: GPL-2.0-only
/* noclone-file: the target as dm core sees it. file-state.h lists the other files. */
#include "file.h"
#include "backing-file.h"
#include "engine.h"
#include "extent.h"
#include "file-cmd.h"
#include "file-state.h"
#include "status-line.h"
#include "submit.h"
#include "worker.h"
#include "../boundary.h"
#include "../include/noclone-path.h"

#include <linux/module.h>
#include <linux/slab.h>

static const struct noclone_engine * const noclone_file_engine[NOCLONE_NR_ENGINES] = {
	[NOCLONE_ENGINE_DIRECT]		= &noclone_engine_direct,
	[NOCLONE_ENGINE_EXTENT]		= &noclone_extent_engine,
	[NOCLONE_ENGINE_BUFFERED]	= &noclone_engine_buffered,
#ifdef NOCLONE_DEBUG
	[NOCLONE_ENGINE_SYNC]		= &noclone_engine_sync,
	[NOCLONE_ENGINE_NOIO]		= &noclone_engine_null,
#endif
};

static const struct noclone_engine *noclone_file_find_engine(const char *word)
{
	unsigned int i;

	for (i = 0; i < NOCLONE_NR_ENGINES; i++)
		if (noclone_file_engine[i] &&
		    !strcasecmp(noclone_engine_word[i], word))
			return noclone_file_engine[i];
	return NULL;
}

static int noclone_file_option(struct noclone_file_c *fc, struct dm_arg_set *as,
			       unsigned int *nr)
{
	const char *word = dm_shift_arg(as);

	(*nr)--;
	if (!strcasecmp(word, NOCLONE_OPT_NO_FASTPATH)) {
		fc->no_fastpath = true;
		return 0;
	}
	if (strcasecmp(word, NOCLONE_OPT_ENGINE)) {
		fc->ti->error = NOCLONE_ERR_FILE_OPTION;
		return -EINVAL;
	}
	if (!*nr) {
		fc->ti->error = NOCLONE_ERR_NO_ENGINE;
		return -EINVAL;
	}
	(*nr)--;
	fc->requested = noclone_file_find_engine(dm_shift_arg(as));
	if (!fc->requested) {
		fc->ti->error = NOCLONE_ERR_ENGINE;
		return -EINVAL;
	}
	return 0;
}

static int noclone_file_options(struct noclone_file_c *fc, struct dm_arg_set *as)
{
	static const struct dm_arg args[] = {
		{0, 3, NOCLONE_ERR_FILE_NR_OPTIONS},
	};
	struct dm_target *ti = fc->ti;
	unsigned int nr = 0;
	int r = 0;

	if (as->argc && dm_read_arg(args, as, &nr, &ti->error))
		return -EINVAL;
	if (as->argc != nr) {
		ti->error = NOCLONE_ERR_FILE_OPTION_COUNT;
		return -EINVAL;
	}
	while (nr && !r)
		r = noclone_file_option(fc, as, &nr);
	return r;
}

static int noclone_file_read_place(struct noclone_file_c *fc, char **argv)
{
	unsigned long long start;

	fc->path = kstrdup(argv[0], GFP_KERNEL);
	if (!fc->path) {
		fc->ti->error = "Not enough memory for the path";
		return -ENOMEM;
	}
	if (!noclone_path_decode(fc->path)) {
		fc->ti->error = NOCLONE_ERR_PATH_ESCAPE;
		return -EINVAL;
	}
	/* The end of the target must fit loff_t as a byte offset */
	if (kstrtoull(argv[1], 10, &start) ||
	    start > (LLONG_MAX >> SECTOR_SHIFT) - fc->ti->len) {
		fc->ti->error = NOCLONE_ERR_START;
		return -EINVAL;
	}
	fc->start = start;
	return 0;
}

static struct noclone_file_c *noclone_file_of(const struct dm_target *ti)
{
	const struct noclone_target *t = ti->private;

	return t->fc;
}

static void noclone_file_dtr(struct dm_target *ti)
{
	struct noclone_target *t = ti->private;
	struct noclone_file_c *fc = t->fc;

	/* Stop the workers first: they may be using @t */
	noclone_worker_exit(fc);
	/* noclone_target_add_leg() has not opened the leg, so there is nothing to close */
	t->nr_legs = 0;
	noclone_target_free(t);
	noclone_backing_close(fc);
	free_percpu(fc->counters);
	kfree(fc->path);
	kfree(fc);
}

static void noclone_file_set_ops(struct noclone_file_c *fc)
{
	struct dm_target *ti = fc->ti;

	ti->num_flush_bios = 1;
	ti->num_discard_bios = 1;
	ti->num_write_zeroes_bios = 1;
	ti->per_io_data_size = sizeof(struct noclone_cmd);
	/* If this were not set, clones would have no blkcg that the workers could charge */
	ti->needs_bio_set_dev = true;
	/*
	 * Flushes matter even if the lower disk needs none: the file system may have the location
	 * of a block only in its journal, and the engine direct may stand in for extent.
	 */
	ti->flush_supported = true;
	if (!fc->requested->pins)
		ti->discards_supported = !!fc->file->f_op->fallocate;
}

static struct noclone_file_c *noclone_file_alloc(struct noclone_target *t)
{
	struct noclone_file_c *fc = kzalloc(sizeof(*fc), GFP_KERNEL);

	if (!fc)
		return NULL;
	fc->ti = t->ti;
	fc->target = t;
	fc->requested = noclone_file_engine[0];
	noclone_extent_init(fc);
	fc->counters = alloc_percpu(struct noclone_file_counters);
	if (!fc->counters) {
		kfree(fc);
		return NULL;
	}
	t->fc = fc;
	t->ops = &noclone_submit_ops;
	return fc;
}

/*
 * Register the target with the fast path. @extents: the sectors of fc->below that the target maps;
 * NULL: the workers take its bios. Return: 0, or -ENOMEM with ti->error set.
 */
static int noclone_file_add_target(struct noclone_file_c *fc,
				   const struct noclone_extent *extents)
{
	struct noclone_target *t = fc->target;

	t->no_fastpath = fc->no_fastpath;
	noclone_layout_init(&t->layout, fc->ti->begin, 1, 0);
	if (extents) {
		t->leg[0].bdev = fc->below.bdev;
		t->leg[0].dev = &fc->below;
		t->nr_legs = 1;
	}
	if (noclone_dev_add_target(t, extents, fc->extents))
		return noclone_refuse(fc, -ENOMEM,
				      "Not enough memory for the table");
	if (!t->table->first_file)
		t->table->first_file = fc;
	if (!noclone_compat_table_is_writable(fc->ti->table))
		t->table->denies_writes = true;
	/* The file counts as unpinned until .preresume has pinned it */
	if (extents)
		atomic_inc(&t->table->unpinned);
	return 0;
}

static int noclone_file_attach(struct noclone_file_c *fc)
{
	struct noclone_extent *extents = NULL;
	int r = 0;

	if (fc->requested->pins)
		r = noclone_extent_find(fc, &extents);
	if (!r)
		r = noclone_file_add_target(fc, extents);
	kvfree(extents);
	return r ? r : noclone_worker_init(fc);
}

static int noclone_file_construct(struct noclone_file_c *fc, unsigned int argc,
				  char **argv)
{
	struct dm_arg_set as = { .argc = argc, .argv = argv };
	int r;

	dm_consume_args(&as, 2);
	r = noclone_file_options(fc, &as);
	fc->engine = fc->requested ? fc->requested : noclone_file_engine[0];
	fc->requested = fc->engine;
	if (!r)
		r = noclone_file_read_place(fc, argv);
	if (!r)
		r = noclone_backing_open(fc);
	if (!r)
		r = noclone_file_attach(fc);
	return r;
}

/*
 * Construct a file mapping:
 *	<path> <start sector> [<#words> [engine <engine>] [no_fastpath]]
 */
static int noclone_file_ctr(struct dm_target *ti, unsigned int argc,
			    char **argv)
{
	struct noclone_file_c *fc;
	struct noclone_target *t;
	int r;

	if (argc < 2) {
		ti->error = NOCLONE_ERR_FILE_ARGS;
		return -EINVAL;
	}
	t = noclone_target_alloc(ti, 1);
	if (!t)
		return -ENOMEM;
	fc = noclone_file_alloc(t);
	if (!fc) {
		noclone_target_free(t);
		ti->error = "Not enough memory";
		return -ENOMEM;
	}
	ti->private = t;
	r = noclone_file_construct(fc, argc, argv);
	if (r)
		noclone_file_dtr(ti);
	else
		noclone_file_set_ops(fc);
	return r;
}

/*
 * Refuse writes to a read-only table, as the loop driver does. If a device above was opened before
 * this device became read-only, the block layer only warns of a write, and the write comes here.
 * The mount of the file may also be read-only.
 */
static int noclone_file_map(struct dm_target *ti, struct bio *bio)
{
	struct noclone_target *t = ti->private;

	if (noclone_sentinel_is(t->nd, bio))
		return noclone_sentinel_keep(t->nd, bio);
	if (unlikely(READ_ONCE(t->table->denies_writes)) &&
	    op_is_write(bio_op(bio)) && bio_sectors(bio))
		return DM_MAPIO_KILL;
	return t->fc->engine->map(t->fc, bio);
}

static int noclone_file_preresume(struct dm_target *ti)
{
	struct noclone_file_c *fc = noclone_file_of(ti);

	WRITE_ONCE(fc->resumed, true);
	noclone_extent_preresume(fc);
	return 0;
}

/*
 * Return: the disk that dm core gets for this target. Until the first resume this is the disk of
 * the file system, because the limits of this disk apply to the file. A zoned disk is left out,
 * because dm core would map its zones. From a live table, dm core no longer needs limits, but asks
 * for persistent reservations and identifiers. The reservations and identifiers of the disk belong
 * to the file system, and a loop device also has none, so dm core then gets noclone_no_disk.
 *
 * A target that reports no disk at all would keep the limits of the old table at a reload, and
 * would let each reservation succeed.
 */
static struct block_device *noclone_file_disk(const struct noclone_file_c *fc)
{
	struct block_device *below = fc->below.bdev;

	if (!below || bdev_is_zoned(below) || READ_ONCE(fc->resumed))
		return noclone_no_disk->part0;
	return below;
}

/*
 * Report all of the disk, because the file may be anywhere on it; the length is rounded down to
 * the file's alignment.
 */
static int noclone_file_iterate_devices(struct dm_target *ti,
					iterate_devices_callout_fn fn,
					void *data)
{
	struct noclone_file_c *fc = noclone_file_of(ti);
	struct dm_dev dev = { .bdev = noclone_file_disk(fc) };
	u32 sectors = max(fc->align >> SECTOR_SHIFT, 1U);

	return fn(ti, &dev, 0, round_down(bdev_nr_sectors(dev.bdev), sectors), data);
}

static void noclone_file_io_hints(struct dm_target *ti,
				  struct queue_limits *limits)
{
	struct noclone_file_c *fc = noclone_file_of(ti);

	if (!fc->requested->direct || noclone_file_disk(fc) != fc->below.bdev)
		noclone_compat_reset_limits(limits);
	limits->logical_block_size = max(limits->logical_block_size, fc->align);
	limits->physical_block_size = max(limits->physical_block_size,
					  limits->logical_block_size);
	limits->io_min = max(limits->io_min, limits->physical_block_size);
	limits->io_opt = round_down(limits->io_opt,
				    limits->physical_block_size);
	limits->dma_alignment = max(limits->dma_alignment, fc->memalign - 1);
	if (!fc->requested->pins)
		noclone_compat_fallocate_limits(limits, i_blocksize(file_inode(fc->file)),
						ti->discards_supported);
}

struct target_type noclone_file_target = {
	.name			= NOCLONE_FILE_NAME,
	.version		= { NOCLONE_VERSION_MAJOR,
				    NOCLONE_VERSION_MINOR,
				    NOCLONE_VERSION_PATCH },
	.features		= DM_TARGET_NOWAIT,
	.module			= THIS_MODULE,
	.ctr			= noclone_file_ctr,
	.dtr			= noclone_file_dtr,
	.map			= noclone_file_map,
	.presuspend		= noclone_target_presuspend,
	.presuspend_undo	= noclone_target_resume,
	.preresume		= noclone_file_preresume,
	.resume			= noclone_target_resume,
	.status			= noclone_status_line,
	.message		= noclone_target_message,
	.iterate_devices	= noclone_file_iterate_devices,
	.io_hints		= noclone_file_io_hints,
};

int __init noclone_file_init(void)
{
	return noclone_cmd_init();
}

void noclone_file_exit(void)
{
	noclone_cmd_exit();
}
