// SPDX-License-Identifier: GPL-2.0-only
/*
 * noclone-file: the target, as dm core sees it. See noclone-file.h for the rest.
 */
#include "noclone-file.h"
#include "backing-file.h"
#include "command.h"
#include "engines.h"
#include "extent.h"
#include "status-line.h"
#include "worker.h"
#include "../device-state.h"
#include "../fastpath.h"
#include "../include/noclone-path.h"
#include "../mapped-device.h"
#include "../mapped-device.h"
#include "../no-disk.h"
#include "../sentinel.h"
#include "../target.h"

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
	/* As a byte offset, the end must fit loff_t */
	if (kstrtoull(argv[1], 10, &start) ||
	    start > (LLONG_MAX >> SECTOR_SHIFT) - fc->ti->len) {
		fc->ti->error = NOCLONE_ERR_START;
		return -EINVAL;
	}
	fc->start = start;
	return 0;
}

static void noclone_file_dtr(struct dm_target *ti)
{
	struct noclone_file_c *fc = ti->private;

	/* This comes first: the workers may be using fc->target */
	noclone_worker_exit(fc);
	if (fc->target) {
		/* Not opened by noclone_target_add_leg() */
		fc->target->nr_legs = 0;
		noclone_target_free(fc->target);
	}
	noclone_backing_close(fc);
	free_percpu(fc->counters);
	kfree(fc->path);
	kfree(fc);
}

static void noclone_file_set_ops(struct noclone_file_c *fc)
{
	struct dm_target *ti = fc->ti;

	ti->private = fc;
	ti->num_flush_bios = 1;
	ti->num_discard_bios = 1;
	ti->num_write_zeroes_bios = 1;
	ti->per_io_data_size = sizeof(struct noclone_cmd);
	/* Otherwise clones have no blkcg for the workers to charge */
	ti->needs_bio_set_dev = true;
	/*
	 * Flushes matter even if the lower disk needs none: the location of a block may
	 * only be in the file system's journal, and direct may replace extent.
	 */
	ti->flush_supported = true;
	if (!fc->requested->pins)
		ti->discards_supported = !!fc->file->f_op->fallocate;
}

static struct noclone_file_c *noclone_file_alloc(struct dm_target *ti)
{
	struct noclone_file_c *fc = kzalloc(sizeof(*fc), GFP_KERNEL);

	if (!fc)
		return NULL;
	fc->ti = ti;
	fc->requested = noclone_file_engine[0];
	noclone_extent_init(fc);
	fc->counters = alloc_percpu(struct noclone_file_counters);
	if (fc->counters)
		return fc;
	kfree(fc);
	return NULL;
}

/*
 * Register with the fast path. @extents: where on fc->below the target is; NULL:
 * the workers take its bios. Return: 0, or -ENOMEM with ti->error set.
 */
static int noclone_file_add_target(struct noclone_file_c *fc,
				   const struct noclone_extent *extents)
{
	struct noclone_target *t = noclone_target_alloc(fc->ti, 1);

	if (!t)
		return -ENOMEM;
	fc->target = t;
	t->fc = fc;
	t->no_fastpath = fc->no_fastpath;
	noclone_layout_init(&t->layout, fc->ti->begin, 1, 0);
	if (extents) {
		t->leg[0].bdev = fc->below.bdev;
		t->leg[0].dev = &fc->below;
		t->nr_legs = 1;
	}
	if (noclone_table_add(t, extents, fc->extents))
		return noclone_refuse(fc, -ENOMEM,
				      "Not enough memory for the table");
	if (!t->table->first_file)
		t->table->first_file = fc;
	if (!noclone_compat_table_is_writable(fc->ti->table))
		t->table->denies_writes = true;
	/* Until .preresume has pinned the file */
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
	int r;

	if (argc < 2) {
		ti->error = NOCLONE_ERR_FILE_ARGS;
		return -EINVAL;
	}
	fc = noclone_file_alloc(ti);
	if (!fc) {
		ti->error = "Not enough memory";
		return -ENOMEM;
	}
	ti->private = fc;
	r = noclone_file_construct(fc, argc, argv);
	if (r)
		noclone_file_dtr(ti);
	else
		noclone_file_set_ops(fc);
	return r;
}

/*
 * The block layer only warns of a write to a read-only device, from a device above
 * that was opened before. The file's mount may also be read-only. So refuse, as the loop
 * driver does.
 */
static int noclone_file_map(struct dm_target *ti, struct bio *bio)
{
	struct noclone_file_c *fc = ti->private;

	if (noclone_sentinel_is(fc->target->nd, bio))
		return noclone_sentinel_keep(fc->target->nd, bio);
	if (unlikely(READ_ONCE(fc->target->table->denies_writes)) &&
	    op_is_write(bio_op(bio)) && bio_sectors(bio))
		return DM_MAPIO_KILL;
	return fc->engine->map(fc, bio);
}

static void noclone_file_presuspend(struct dm_target *ti)
{
	struct noclone_file_c *fc = ti->private;

	if (noclone_target_is_first(fc->target))
		noclone_fastpath_presuspend(fc->target->nd, NULL);
}

static int noclone_file_preresume(struct dm_target *ti)
{
	struct noclone_file_c *fc = ti->private;

	WRITE_ONCE(fc->resumed, true);
	noclone_extent_preresume(fc);
	return 0;
}

static void noclone_file_resume(struct dm_target *ti)
{
	struct noclone_file_c *fc = ti->private;

	if (noclone_target_is_first(fc->target))
		noclone_fastpath_attach(fc->target->table);
}

static int noclone_file_message(struct dm_target *ti, unsigned int argc,
				char **argv, char *result, unsigned int maxlen)
{
	struct noclone_file_c *fc = ti->private;

	return noclone_target_answer(fc->target, argc, argv, result, maxlen);
}

/*
 * The disk of the file system, because its limits apply to the file. A zoned one is left out: dm
 * core would map its zones. What dm core asks of a live table are persistent reservations and
 * identifiers, not limits. Those of the disk belong to the file system, and a loop device has none.
 *
 * Without any device a reload would keep the limits of the old table, and a target without one
 * would be one where a reservation succeeds.
 */
static struct block_device *noclone_file_disk(const struct noclone_file_c *fc)
{
	struct block_device *below = fc->below.bdev;

	if (!below || bdev_is_zoned(below) || READ_ONCE(fc->resumed))
		return noclone_no_disk->part0;
	return below;
}

/* All of it is reported, because the file may be anywhere, rounded down to the file's alignment. */
static int noclone_file_iterate_devices(struct dm_target *ti,
					iterate_devices_callout_fn fn,
					void *data)
{
	struct noclone_file_c *fc = ti->private;
	struct dm_dev dev = { .bdev = noclone_file_disk(fc) };
	u32 sectors = max(fc->align >> SECTOR_SHIFT, 1U);

	return fn(ti, &dev, 0, round_down(bdev_nr_sectors(dev.bdev), sectors), data);
}

static void noclone_file_io_hints(struct dm_target *ti,
				  struct queue_limits *limits)
{
	struct noclone_file_c *fc = ti->private;

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
	.presuspend		= noclone_file_presuspend,
	.presuspend_undo	= noclone_file_resume,
	.preresume		= noclone_file_preresume,
	.resume			= noclone_file_resume,
	.status			= noclone_status,
	.message		= noclone_file_message,
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
