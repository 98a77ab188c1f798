// SPDX-License-Identifier: GPL-2.0-only
/*
 * noclone-file: how bios become commands.  Most come as they are, by the fast
 * path: the owner's bio is not remapped, only handed over, and nothing in it is
 * changed before it ends.  The rest comes from dm core as clones, with memory
 * for the command from dm core's mempool; so does all that the fast path has no
 * memory for.
 */
#include "file.h"
#include "../inflight.h"
#include "../io.h"

#include <linux/slab.h>

static struct kmem_cache *noclone_cmd_cache;

/**
 * struct noclone_plug - commands of one plug and line
 * @cb: block layer's part
 * @newest: first of a list that ends with @oldest
 * @oldest: likewise
 */
struct noclone_plug {
	struct blk_plug_cb cb;
	struct noclone_cmd *newest;
	struct noclone_cmd *oldest;
};

static void noclone_unplug(struct blk_plug_cb *cb, bool from_schedule)
{
	struct noclone_plug *plug = container_of(cb, struct noclone_plug, cb);

	noclone_lane_add(cb->data, plug->newest, plug->oldest);
	kfree(plug);
}

/* Without a plug, or without memory for ours, it goes at once. */
static void noclone_cmd_plug(struct noclone_cmd *cmd)
{
	struct blk_plug_cb *cb = blk_check_plugged(noclone_unplug, cmd->file,
						   sizeof(struct noclone_plug));
	struct noclone_plug *plug;

	if (!cb) {
		noclone_lane_add(cmd->file, cmd, cmd);
		return;
	}
	plug = container_of(cb, struct noclone_plug, cb);
	cmd->llist.next = plug->newest ? &plug->newest->llist : NULL;
	plug->newest = cmd;
	if (!plug->oldest)
		plug->oldest = cmd;
}

static bool noclone_cmd_is_rw(struct bio *bio)
{
	return (bio_op(bio) == REQ_OP_READ || bio_op(bio) == REQ_OP_WRITE) &&
	       !(bio->bi_opf & REQ_PREFLUSH);
}

/* Racy and exact enough: a guess about the next few commands. */
static bool noclone_cmd_may_attempt(struct noclone_cmd *cmd, struct bio *bio)
{
	bool write = op_is_write(bio_op(bio));
	struct noclone_file *f = cmd->file;
	int doubt = READ_ONCE(f->doubt[write]);

	if (!noclone_cmd_is_rw(bio) || !f->engine->attempt ||
	    (write && !f->engine->attempts_writes))
		return false;
	if (unlikely(doubt > 0))
		WRITE_ONCE(f->doubt[write], doubt - 1);
	return doubt <= 0;
}

static enum noclone_file_counter noclone_cmd_kind(struct bio *bio)
{
	switch (bio_op(bio)) {
	case REQ_OP_READ:
		return NOCLONE_FILE_READS;
	case REQ_OP_DISCARD:
		return NOCLONE_FILE_DISCARDS;
	case REQ_OP_WRITE_ZEROES:
		return NOCLONE_FILE_ZEROES;
	default:
		return bio->bi_iter.bi_size ? NOCLONE_FILE_WRITES :
			NOCLONE_FILE_FLUSHES;
	}
}

static void noclone_cmd_submit(struct noclone_cmd *cmd, struct noclone_file *f,
			       struct bio *bio)
{
	cmd->file = f;
	cmd->bio = bio;
	cmd->done = 0;
	cmd->begun_write = false;
	noclone_file_count(f, NOCLONE_FILE_INFLIGHT);
	noclone_file_count(f, noclone_cmd_kind(bio));
	if (likely(noclone_cmd_may_attempt(cmd, bio)))
		noclone_cmd_plug(cmd);
	else
		noclone_cmd_block(cmd);
}

/**
 * noclone_cmd_map - hand a clone over to the workers
 * @f: line
 * @bio: clone with per-bio data for a struct noclone_cmd
 *
 * Context: any in which bios are submitted; does not sleep.
 * Return: DM_MAPIO_SUBMITTED.
 */
int noclone_cmd_map(struct noclone_file *f, struct bio *bio)
{
	struct noclone_cmd *cmd = dm_per_bio_data(bio, sizeof(*cmd));

	noclone_count(f->line->nd, NOCLONE_CLONES);
	cmd->nd = NULL;
	noclone_cmd_submit(cmd, f, bio);
	return DM_MAPIO_SUBMITTED;
}

/**
 * noclone_file_take - hand an owner's bio over to the workers
 * @f: line that maps the whole of it
 * @nd: mapped device, on which the bio has begun: see noclone_get()
 * @bio: a plain read or write
 *
 * Context: submit_bio; does not sleep and does not start reclaim.
 * Return: false, with nothing done, if there is no memory.
 */
bool noclone_file_take(struct noclone_file *f, struct noclone_dev *nd,
		       struct bio *bio)
{
	struct noclone_cmd *cmd = noclone_slab_alloc(noclone_cmd_cache);

	if (unlikely(!cmd))
		return false;

	cmd->nd = nd;
	cmd->start = jiffies;
	cmd->accounted = noclone_accounts(bio->bi_bdev);
	if (cmd->accounted)
		noclone_start_io_acct(bio->bi_bdev, bio_op(bio),
				      bio_sectors(bio), cmd->start);
	noclone_count(nd, NOCLONE_FAST);
	/* From here on neither bio nor cmd may be touched */
	noclone_cmd_submit(cmd, f, bio);
	return true;
}

/**
 * noclone_cmd_finish - give a bio back to its owner, or a clone to dm core
 * @cmd: gone when this returns
 * @status: how it ended
 *
 * Context: any.
 */
void noclone_cmd_finish(struct noclone_cmd *cmd, blk_status_t status)
{
	struct noclone_dev *nd = cmd->nd;
	struct bio *bio = cmd->bio;

	bio->bi_status = status;
	if (!nd) {
		bio_endio(bio);
		return;
	}
	if (cmd->accounted)
		noclone_end_io_acct(bio->bi_bdev, bio_op(bio), bio_sectors(bio),
				    cmd->start);
	kmem_cache_free(noclone_cmd_cache, cmd);
	bio_endio(bio);
	/* From here on the device may go away */
	noclone_put(nd);
}

/* A constructor exempts the cache from being zeroed on each allocation. */
static void noclone_cmd_ctor(void *object)
{
}

/**
 * noclone_file_init - once per load of the module
 *
 * Return: 0 or -ENOMEM.
 */
int __init noclone_file_init(void)
{
	noclone_cmd_cache = kmem_cache_create("dm_noclone_cmd",
					      sizeof(struct noclone_cmd), 0,
					      SLAB_HWCACHE_ALIGN,
					      noclone_cmd_ctor);
	return noclone_cmd_cache ? 0 : -ENOMEM;
}

/**
 * noclone_file_exit - undo noclone_file_init(); no bio is in flight any more
 */
void noclone_file_exit(void)
{
	kmem_cache_destroy(noclone_cmd_cache);
}
