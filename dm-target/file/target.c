// SPDX-License-Identifier: GPL-2.0-only
/*
 * noclone-file: a file as a block device.  What dm core asks of a target; see
 * file/file.h for the rest.
 */
#include "file.h"
#include "../include/noclone-path.h"

#include <linux/magic.h>
#include <linux/module.h>
#include <linux/slab.h>

static const struct noclone_engine * const noclone_engines[NOCLONE_NR_ENGINES] = {
	[NOCLONE_ENGINE_DIRECT]		= &noclone_engine_direct,
	[NOCLONE_ENGINE_EXTENT]		= &noclone_engine_extent,
	[NOCLONE_ENGINE_BUFFERED]	= &noclone_engine_buffered,
	[NOCLONE_ENGINE_SYNC]		= &noclone_engine_sync,
#ifdef NOCLONE_DEBUG
	[NOCLONE_ENGINE_NOIO]		= &noclone_engine_null,
#endif
};

static const char * const noclone_file_counter_word[] = {
#define X(name, word, text) [NOCLONE_FILE_##name] = word,
	NOCLONE_FILE_COUNTERS(X)
#undef X
};

static const struct noclone_engine *noclone_engine_find(const char *name)
{
	unsigned int i;

	for (i = 0; i < NOCLONE_NR_ENGINES; i++)
		if (noclone_engines[i] &&
		    !strcasecmp(noclone_engines[i]->name, name))
			return noclone_engines[i];
	return NULL;
}

static int noclone_file_option(struct noclone_file *f, struct dm_arg_set *as,
			       unsigned int *nr)
{
	const char *word = dm_shift_arg(as);

	(*nr)--;
	if (!strcasecmp(word, NOCLONE_OPT_NO_FASTPATH)) {
		f->no_fastpath = true;
		return 0;
	}
	if (strcasecmp(word, NOCLONE_OPT_ENGINE)) {
		f->ti->error = NOCLONE_ERR_FILE_OPTION;
		return -EINVAL;
	}
	if (!*nr) {
		f->ti->error = NOCLONE_ERR_NO_ENGINE;
		return -EINVAL;
	}
	(*nr)--;
	f->asked = noclone_engine_find(dm_shift_arg(as));
	if (!f->asked) {
		f->ti->error = NOCLONE_ERR_ENGINE;
		return -EINVAL;
	}
	return 0;
}

static int noclone_file_options(struct noclone_file *f, struct dm_arg_set *as)
{
	static const struct dm_arg args[] = {
		{0, 3, NOCLONE_ERR_FILE_NR_OPTIONS},
	};
	struct dm_target *ti = f->ti;
	unsigned int nr = 0;
	int r = 0;

	if (as->argc && dm_read_arg(args, as, &nr, &ti->error))
		return -EINVAL;
	if (as->argc != nr) {
		ti->error = NOCLONE_ERR_FILE_OPTION_COUNT;
		return -EINVAL;
	}
	while (nr && !r)
		r = noclone_file_option(f, as, &nr);
	return r;
}

static int noclone_file_place(struct noclone_file *f, char **argv)
{
	unsigned long long start;

	f->path = kstrdup(argv[0], GFP_KERNEL);
	if (!f->path) {
		f->ti->error = "Not enough memory for the path";
		return -ENOMEM;
	}
	if (!noclone_path_decode(f->path)) {
		f->ti->error = NOCLONE_ERR_PATH_ESCAPE;
		return -EINVAL;
	}
	/* Such a position in bytes is not negative */
	if (kstrtoull(argv[1], 10, &start) ||
	    start > (LLONG_MAX >> SECTOR_SHIFT) - f->ti->len) {
		f->ti->error = NOCLONE_ERR_START;
		return -EINVAL;
	}
	f->start = start;
	return 0;
}

static void noclone_file_dtr(struct dm_target *ti)
{
	struct noclone_file *f = ti->private;

	/* First: the workers may be looking at the lines */
	f->asked->dismiss(f);
	if (f->line) {
		/* dm has not opened the disk below */
		f->line->nr_legs = 0;
		noclone_target_free(f->line);
	}
	noclone_backing_close(f);
	free_percpu(f->counters);
	kfree(f->path);
	kfree(f);
}

/* What the workers do, unless bios go to the disk below. */
static void noclone_file_set_ops(struct noclone_file *f)
{
	struct dm_target *ti = f->ti;

	ti->private = f;
	ti->num_flush_bios = 1;
	ti->num_discard_bios = 1;
	ti->num_write_zeroes_bios = 1;
	ti->per_io_data_size = sizeof(struct noclone_cmd);
	/* or clones know no cgroup, and the workers could not charge it */
	ti->needs_bio_set_dev = true;
	/*
	 * Also if the disk below needs none: where a block is may only be in the
	 * file system's journal, and direct may stand in for extent.
	 */
	ti->flush_supported = true;
	if (!f->asked->pins)
		ti->discards_supported = !!f->file->f_op->fallocate;
}

static struct noclone_file *noclone_file_alloc(struct dm_target *ti)
{
	struct noclone_file *f = kzalloc(sizeof(*f), GFP_KERNEL);

	if (!f)
		return NULL;
	f->ti = ti;
	f->asked = noclone_engines[0];
	noclone_extent_init(f);
	f->counters = alloc_percpu(struct noclone_file_counters);
	if (f->counters)
		return f;
	kfree(f);
	return NULL;
}

/**
 * noclone_file_add_line - let the fast path know a line
 * @f: a line with its file
 * @extents: where on @f->below the line is; NULL: its workers take the bios
 *
 * Return: 0 or -ENOMEM with ti->error set.
 */
int noclone_file_add_line(struct noclone_file *f,
			  const struct noclone_extent *extents)
{
	struct noclone_target *t = noclone_target_alloc(f->ti, 1);

	if (!t)
		return -ENOMEM;
	f->line = t;
	t->file = f;
	t->no_fastpath = f->no_fastpath;
	noclone_layout_init(&t->layout, f->ti->begin, 1, 0);
	if (extents) {
		t->leg[0].bdev = f->below.bdev;
		t->leg[0].dev = &f->below;
		t->nr_legs = 1;
	}
	if (!noclone_table_add(t, extents, f->extents))
		return 0;
	return noclone_refuse(f, -ENOMEM, "Not enough memory for the table");
}

static int noclone_file_construct(struct noclone_file *f, unsigned int argc,
				  char **argv)
{
	struct dm_arg_set as = { .argc = argc, .argv = argv };
	int r;

	dm_consume_args(&as, 2);
	r = noclone_file_options(f, &as);
	f->engine = f->asked ? f->asked : noclone_engines[0];
	f->asked = f->engine;
	if (!r)
		r = noclone_file_place(f, argv);
	if (!r)
		r = noclone_backing_open(f);
	if (!r)
		r = f->asked->admit(f);
	if (!r && !f->line)
		r = noclone_file_add_line(f, NULL);
	return r;
}

/*
 * Construct a line:
 *	<path> <start sector> [<#words> [engine <engine>] [no_fastpath]]
 */
static int noclone_file_ctr(struct dm_target *ti, unsigned int argc,
			    char **argv)
{
	struct noclone_file *f;
	int r;

	if (argc < 2) {
		ti->error = NOCLONE_ERR_FILE_ARGS;
		return -EINVAL;
	}
	f = noclone_file_alloc(ti);
	if (!f) {
		ti->error = "Not enough memory";
		return -ENOMEM;
	}
	ti->private = f;
	r = noclone_file_construct(f, argc, argv);
	if (r)
		noclone_file_dtr(ti);
	else
		noclone_file_set_ops(f);
	return r;
}

static int noclone_file_map(struct dm_target *ti, struct bio *bio)
{
	struct noclone_file *f = ti->private;

	return f->engine->map(f, bio);
}

static void noclone_file_presuspend(struct dm_target *ti)
{
	struct noclone_file *f = ti->private;

	noclone_fastpath_detach(f->line->nd);
}

static int noclone_file_preresume(struct dm_target *ti)
{
	noclone_extent_preresume(ti->private);
	return 0;
}

static void noclone_file_resume(struct dm_target *ti)
{
	struct noclone_file *f = ti->private;

	noclone_fastpath_attach(f->line->table);
}

static int noclone_file_message(struct dm_target *ti, unsigned int argc,
				char **argv, char *result, unsigned int maxlen)
{
	struct noclone_file *f = ti->private;

	return noclone_target_message(f->line, argc, argv);
}

/* To ask the file system may mean to ask a server, but xfs keeps its own count. */
static unsigned long long noclone_file_allocated(struct noclone_file *f)
{
	const struct inode *inode = file_inode(f->file);
	struct kstat st = { };

	if (inode->i_sb->s_magic != XFS_SUPER_MAGIC)
		return inode->i_blocks;
	vfs_getattr(&f->file->f_path, &st, STATX_BLOCKS, AT_STATX_DONT_SYNC);
	return st.blocks;
}

static void noclone_file_info(struct noclone_file *f, char *result,
			      unsigned int maxlen)
{
	const struct inode *inode = file_inode(f->file);
	unsigned int i;
	size_t sz = 0;

	DMEMIT("engine %s 20 align %u memalign %u align_from %s size %llu allocated %llu extents %u refused %s",
	       f->engine->name, f->align, f->memalign, f->align_from,
	       (unsigned long long)i_size_read(inode) >> SECTOR_SHIFT,
	       noclone_file_allocated(f), f->extents,
	       f->refused ? f->refused : "-");
	DMEMIT(" device %u:%u inode %llu links %u", MAJOR(f->st_dev),
	       MINOR(f->st_dev), f->st_ino, inode->i_nlink);
	DMEMIT(" %u", 2 * NOCLONE_FILE_NR_COUNTERS);
	for (i = 0; i < NOCLONE_FILE_NR_COUNTERS; i++)
		DMEMIT(" %s %lu", noclone_file_counter_word[i],
		       noclone_file_counter(f, i));
	DMEMIT(" ");
	noclone_emit_state(f->line, result, maxlen, sz);
}

static size_t noclone_file_emit_path(const struct noclone_file *f, char *result,
				     unsigned int maxlen, size_t sz)
{
	char to[NOCLONE_PATH_GROWTH];
	const char *from;

	for (from = f->path; *from; from++)
		DMEMIT("%.*s", noclone_path_encode(*from, to), to);
	return sz;
}

static void noclone_file_table(struct noclone_file *f, char *result,
			       unsigned int maxlen)
{
	bool given = f->asked != noclone_engines[0];
	size_t sz = noclone_file_emit_path(f, result, maxlen, 0);

	DMEMIT(" %llu", (unsigned long long)f->start);
	if (given || f->no_fastpath)
		DMEMIT(" %u" , 2 * given + f->no_fastpath);
	if (given)
		DMEMIT(" " NOCLONE_OPT_ENGINE " %s", f->asked->name);
	if (f->no_fastpath)
		DMEMIT(" " NOCLONE_OPT_NO_FASTPATH);
}

static void noclone_file_ima(struct noclone_file *f, char *result,
			     unsigned int maxlen)
{
	size_t sz = 0;

	DMEMIT_TARGET_NAME_VERSION(f->ti->type);
	DMEMIT(",path=");
	sz = noclone_file_emit_path(f, result, maxlen, sz);
	DMEMIT(",start=%llu,engine=%s;", (unsigned long long)f->start,
	       f->asked->name);
}

/*
 * INFO: see include/dm-noclone.h
 * TABLE: the constructor's arguments
 */
static void noclone_file_status(struct dm_target *ti, status_type_t type,
				unsigned int status_flags, char *result,
				unsigned int maxlen)
{
	switch (type) {
	case STATUSTYPE_INFO:
		noclone_file_info(ti->private, result, maxlen);
		break;
	case STATUSTYPE_TABLE:
		noclone_file_table(ti->private, result, maxlen);
		break;
	case STATUSTYPE_IMA:
		noclone_file_ima(ti->private, result, maxlen);
		break;
	}
}

/*
 * The disk below is the file system's, not dm's: but its limits are the
 * file's. The whole of it is shown, for the file may be anywhere; not the end of a
 * disk that is no multiple of the file's blocks. Also where its limits do not
 * matter: without a disk, a reload would keep the limits of the old table. A zoned
 * one cannot be shown: dm core would want to map its zones.
 */
static int noclone_file_iterate_devices(struct dm_target *ti,
					iterate_devices_callout_fn fn,
					void *data)
{
	struct noclone_file *f = ti->private;
	u32 sectors = max(f->align >> SECTOR_SHIFT, 1U);

	if (!f->below.bdev || bdev_is_zoned(f->below.bdev))
		return 0;
	return fn(ti, &f->below, 0,
		  round_down(bdev_nr_sectors(f->below.bdev), sectors), data);
}

static void noclone_file_io_hints(struct dm_target *ti,
				  struct queue_limits *limits)
{
	struct noclone_file *f = ti->private;

	if (!f->asked->direct || !f->below.bdev)
		noclone_forget_limits(limits);
	limits->logical_block_size = max(limits->logical_block_size, f->align);
	limits->physical_block_size = max(limits->physical_block_size,
					  limits->logical_block_size);
	limits->io_min = max(limits->io_min, limits->physical_block_size);
	limits->io_opt = round_down(limits->io_opt,
				    limits->physical_block_size);
	limits->dma_alignment = max(limits->dma_alignment, f->memalign - 1);
	if (!f->asked->pins)
		noclone_file_limits(limits, i_blocksize(file_inode(f->file)),
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
	.status			= noclone_file_status,
	.message		= noclone_file_message,
	.iterate_devices	= noclone_file_iterate_devices,
	.io_hints		= noclone_file_io_hints,
};
