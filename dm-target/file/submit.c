// SPDX-License-Identifier: GPL-2.0-only
/*
 * noclone-file: how bios become commands. Most come from the fast path: the
 * submitter's bio is not remapped but queued, and does not change before
 * it completes. The rest, also without memory, are clones from dm core, with room for the
 * command in the clone.
 */
#include "submit.h"
#include "command.h"
#include "worker.h"
#include "../io.h"
#include "../device-state.h"

#include <linux/blkdev.h>
#include <linux/slab.h>

/* Commands of one plug and target, last first */
struct noclone_plug {
	struct blk_plug_cb cb;
	struct noclone_cmd *newest;
	struct noclone_cmd *oldest;
};

static void noclone_submit_unplug(struct blk_plug_cb *cb, bool from_schedule)
{
	struct noclone_plug *plug = container_of(cb, struct noclone_plug, cb);

	noclone_worker_add(cb->data, plug->newest, plug->oldest);
	kfree(plug);
}

static void noclone_submit_plug(struct noclone_cmd *cmd)
{
	struct blk_plug_cb *cb = blk_check_plugged(noclone_submit_unplug,
						   cmd->fc,
						   sizeof(struct noclone_plug));
	struct noclone_plug *plug;

	/* No plug, or no memory for ours */
	if (!cb) {
		noclone_worker_add(cmd->fc, cmd, cmd);
		return;
	}
	plug = container_of(cb, struct noclone_plug, cb);
	cmd->llist.next = plug->newest ? &plug->newest->llist : NULL;
	plug->newest = cmd;
	if (!plug->oldest)
		plug->oldest = cmd;
}

static bool noclone_submit_is_rw(struct bio *bio)
{
	return (bio_op(bio) == REQ_OP_READ || bio_op(bio) == REQ_OP_WRITE) &&
	       !(bio->bi_opf & REQ_PREFLUSH);
}

/* The counter races; it is only a guess about the next few commands. */
static bool noclone_submit_may_nowait(struct noclone_cmd *cmd, struct bio *bio)
{
	bool write = op_is_write(bio_op(bio));
	struct noclone_file_c *fc = cmd->fc;
	int backoff = READ_ONCE(fc->nowait_backoff[write]);

	if (!noclone_submit_is_rw(bio) || !fc->engine->nowait ||
	    (write && !fc->engine->nowait_writes))
		return false;
	if (unlikely(backoff > 0))
		WRITE_ONCE(fc->nowait_backoff[write], backoff - 1);
	return backoff <= 0;
}

static enum noclone_file_counter noclone_submit_kind(struct bio *bio)
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

/*
 * The error that the page cache has now, in @cmd->since. errseq_sample() would give none until
 * that has been reported, and each FUA write would fail.
 */
static void noclone_submit_sample(struct noclone_cmd *cmd)
{
	cmd->since = 0;
	errseq_check_and_advance(&cmd->fc->file->f_mapping->wb_err, &cmd->since);
}

static void noclone_submit_cmd(struct noclone_cmd *cmd,
			       struct noclone_file_c *fc, struct bio *bio)
{
	cmd->fc = fc;
	cmd->bio = bio;
	cmd->done = 0;
	cmd->begun_write = false;
	if (bio->bi_opf & REQ_FUA)
		noclone_submit_sample(cmd);
	noclone_cmd_count(fc, NOCLONE_FILE_INFLIGHT);
	noclone_cmd_count(fc, noclone_submit_kind(bio));
	if (likely(noclone_submit_may_nowait(cmd, bio)))
		noclone_submit_plug(cmd);
	else
		noclone_worker_block(cmd);
}

/* A clone, with per-bio data for a command. Return: DM_MAPIO_SUBMITTED. */
int noclone_submit_clone(struct noclone_file_c *fc, struct bio *bio)
{
	struct noclone_cmd *cmd = dm_per_bio_data(bio, sizeof(*cmd));

	noclone_count(fc->target->nd, NOCLONE_CLONES);
	cmd->nd = NULL;
	noclone_submit_cmd(cmd, fc, bio);
	return DM_MAPIO_SUBMITTED;
}

/*
 * The submitter's own bio, a plain read or write that lies within the target;
 * noclone_inflight_get() has been called for it. Return: false, with nothing
 * done, if there is no memory.
 */
bool noclone_submit_original(struct noclone_file_c *fc, struct noclone_dev *nd,
			     struct bio *bio)
{
	struct noclone_cmd *cmd = noclone_io_slab_alloc(noclone_cmd_slab);

	if (unlikely(!cmd))
		return false;

	cmd->nd = nd;
	cmd->start = jiffies;
	cmd->accounted = noclone_compat_accounts_io(bio->bi_bdev);
	if (cmd->accounted)
		noclone_compat_start_io_acct(bio->bi_bdev, bio_op(bio), 1,
					     bio_sectors(bio), cmd->start);
	noclone_count(nd, NOCLONE_FAST);
	/* The worker may have ended the bio: neither bio nor cmd may be touched */
	noclone_submit_cmd(cmd, fc, bio);
	return true;
}
