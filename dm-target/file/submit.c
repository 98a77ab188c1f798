// SPDX-License-Identifier: GPL-2.0-only
/*
 * noclone-file: make commands of bios. Most bios come from the fast path: the submitter's bio is
 * not remapped but queued, and does not change before it completes. The other bios are clones of dm
 * core. dm core also clones a bio for which the fast path had no memory. A clone has room for its
 * command.
 */
#include "submit.h"
#include "file-cmd.h"
#include "worker.h"
#include "../boundary.h"

#include <linux/blkdev.h>
#include <linux/slab.h>

/* The commands of one target on one plug, the newest first */
struct noclone_submit_batch {
	struct blk_plug_cb cb;
	struct noclone_cmd *newest;
	struct noclone_cmd *oldest;
};

static void noclone_submit_unplug(struct blk_plug_cb *cb, bool from_schedule)
{
	struct noclone_submit_batch *batch = container_of(cb, struct noclone_submit_batch, cb);

	noclone_worker_add(cb->data, batch->newest, batch->oldest);
	kfree(batch);
}

static void noclone_submit_plug(struct noclone_cmd *cmd)
{
	struct blk_plug_cb *cb = blk_check_plugged(noclone_submit_unplug,
						   cmd->fc,
						   sizeof(struct noclone_submit_batch));
	struct noclone_submit_batch *batch;

	/* The task has no plug, or there is no memory for a struct noclone_submit_batch */
	if (!cb) {
		noclone_worker_add(cmd->fc, cmd, cmd);
		return;
	}
	batch = container_of(cb, struct noclone_submit_batch, cb);
	cmd->llist.next = batch->newest ? &batch->newest->llist : NULL;
	batch->newest = cmd;
	if (!batch->oldest)
		batch->oldest = cmd;
}

static bool noclone_submit_is_rw(struct bio *bio)
{
	return (bio_op(bio) == REQ_OP_READ || bio_op(bio) == REQ_OP_WRITE) &&
	       !(bio->bi_opf & REQ_PREFLUSH);
}

/*
 * May a worker try this command without blocking? The backoff counter is a guess about the next
 * few commands, so a race on it does no harm.
 */
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
 * Store the error that the page cache has now in @cmd->since. As long as the error has not been
 * reported, errseq_sample() would store "no error", and each FUA write would fail.
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

/* Queue a clone, whose per-bio data has room for the command. Return: DM_MAPIO_SUBMITTED. */
int noclone_submit_clone(struct noclone_file_c *fc, struct bio *bio)
{
	struct noclone_cmd *cmd = dm_per_bio_data(bio, sizeof(*cmd));

	noclone_count(fc->target->nd, NOCLONE_CLONES);
	cmd->nd = NULL;
	noclone_submit_cmd(cmd, fc, bio);
	return DM_MAPIO_SUBMITTED;
}

/* Queue the submitter's own bio, for struct noclone_target_ops. */
static enum noclone_counter noclone_submit_original(struct noclone_target *t, struct bio *bio)
{
	struct noclone_cmd *cmd = noclone_io_slab_alloc(noclone_cmd_slab);

	if (unlikely(!cmd))
		return NOCLONE_NOMEM;

	cmd->nd = t->nd;
	cmd->start = jiffies;
	cmd->accounted = noclone_compat_accounts_io(bio->bi_bdev);
	if (cmd->accounted)
		noclone_compat_start_io_acct(bio->bi_bdev, bio_op(bio), 1,
					     bio_sectors(bio), cmd->start);
	noclone_count(t->nd, NOCLONE_FAST);
	/* The worker may have ended the bio: neither bio nor cmd may be touched */
	noclone_submit_cmd(cmd, t->fc, bio);
	return NOCLONE_FAST;
}

const struct noclone_target_ops noclone_submit_ops = {
	.submit = noclone_submit_original,
};
