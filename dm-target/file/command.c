// SPDX-License-Identifier: GPL-2.0-only
/*
 * noclone-file: a bio on its way through a file system, from the first call to
 * completion. Bios become commands in submit.c; worker.c decides when and where
 * they are executed. No function here allocates.
 */
#include "command.h"
#include "pin.h"
#include "../inflight.h"
#include "../target.h"

#include <linux/falloc.h>
#include <linux/slab.h>

/* Commands that skip the nowait attempt after a failed one, which costs time twice */
#define NOCLONE_NOWAIT_BACKOFF	32

/* Pages in one write of zeroes; their bio_vecs are on the stack */
#define NOCLONE_ZERO_PAGES	16

struct kmem_cache *noclone_cmd_slab;

/* Give the bio back to its submitter, or the clone to dm core. Frees @cmd. */
static void noclone_cmd_end(struct noclone_cmd *cmd, blk_status_t status)
{
	struct noclone_dev *nd = cmd->nd;
	struct bio *bio = cmd->bio;

	if (unlikely(status))
		noclone_cmd_count(cmd->fc, NOCLONE_FILE_ERRORS);
	this_cpu_inc(cmd->fc->counters->ended);
	bio->bi_status = status;
	if (!nd) {
		bio_endio(bio);
		return;
	}

	if (cmd->accounted)
		noclone_compat_end_io_acct(bio->bi_bdev, bio_op(bio), 1,
					   bio_sectors(bio), cmd->start, jiffies);
	kmem_cache_free(noclone_cmd_slab, cmd);
	bio_endio(bio);
	/* The device may go away from here on */
	noclone_inflight_put(nd);
}

/* Only submitters of REQ_NOWAIT bios may see BLK_STS_AGAIN. */
static void noclone_cmd_end_errno(struct noclone_cmd *cmd, int error)
{
	noclone_cmd_end(cmd, error == -EAGAIN ? BLK_STS_IOERR :
			errno_to_blk_status(error));
}

/*
 * The file system has done less than requested. If it does nothing more, the file ends
 * here, because it has been truncated. Zeroes would look like data that was written there.
 */
static void noclone_cmd_go_on(struct noclone_cmd *cmd)
{
	if (!cmd->result) {
		noclone_cmd_end(cmd, BLK_STS_IOERR);
		return;
	}
	noclone_cmd_count(cmd->fc, NOCLONE_FILE_SHORT);
	cmd->fc->requeue(cmd, false);
}

/* File systems without IOCB_NOWAIT return -EOPNOTSUPP. */
static bool noclone_cmd_would_block(const struct noclone_cmd *cmd)
{
	return cmd->nowait && (cmd->result == -EAGAIN ||
			       cmd->result == -EOPNOTSUPP);
}

/* Does the write itself have IOCB_DSYNC? */
static bool noclone_cmd_is_dsync(const struct noclone_cmd *cmd)
{
	return (cmd->bio->bi_opf & REQ_FUA) && (cmd->fc->fua == NOCLONE_FUA_DSYNC ||
						cmd->fc->fua == NOCLONE_FUA_DSYNC_FSYNC);
}

/* Does fsync() or fdatasync() follow the data? noclone_cmd_do() calls it. */
static bool noclone_cmd_syncs(const struct noclone_cmd *cmd)
{
	return (cmd->bio->bi_opf & REQ_FUA) && (cmd->fc->fua == NOCLONE_FUA_FSYNC ||
						cmd->fc->fua == NOCLONE_FUA_FDATASYNC ||
						cmd->fc->fua == NOCLONE_FUA_DSYNC_FSYNC);
}

/*
 * Each struct file reports an error of the page cache once: a flush beside a FUA write may have
 * got that of its data.
 */
static int noclone_cmd_lost(const struct noclone_cmd *cmd)
{
	if (likely(!(cmd->bio->bi_opf & REQ_FUA)))
		return 0;
	return filemap_check_wb_err(cmd->fc->file->f_mapping, cmd->since);
}

/*
 * The sync of a FUA write has failed. Earlier writes may be lost with its data, so the next flush
 * has to fail as well: a sync that is tried again may succeed.
 */
static void noclone_cmd_note_error(const struct noclone_cmd *cmd, int error)
{
	errseq_set(&cmd->fc->backing->fua_errors, error);
}

/* Can a sync fail with @error? A file system gives the others before it writes anything. */
static bool noclone_cmd_is_sync_error(int error)
{
	switch (error) {
	case -EAGAIN:
	case -EDQUOT:
	case -EFBIG:
	case -EINVAL:
	case -ENOMEM:
	case -ENOSPC:
	case -EOPNOTSUPP:
		return false;
	default:
		/* A flush of a disk also fails with -ENOLINK, -EREMOTEIO, -ETIMEDOUT and others */
		return true;
	}
}

/* A call has failed. With IOCB_DSYNC, it may have been the sync in it. */
static void noclone_cmd_fail(struct noclone_cmd *cmd)
{
	if (unlikely((cmd->iocb.ki_flags & IOCB_DSYNC) &&
		     noclone_cmd_is_sync_error(cmd->result)))
		noclone_cmd_note_error(cmd, cmd->result);
	noclone_cmd_end_errno(cmd, cmd->result);
}

/* Continue or end a command after a call. Context: any. */
static void noclone_cmd_next(struct noclone_cmd *cmd)
{
	struct bio *bio = cmd->bio;

	if (cmd->begun_write) {
		cmd->begun_write = false;
		kiocb_end_write(&cmd->iocb);
	}

	if (cmd->result == -EIOCBQUEUED) {
		cmd->fc->requeue(cmd, true);
	} else if (noclone_cmd_would_block(cmd)) {
		WRITE_ONCE(cmd->fc->nowait_backoff[op_is_write(bio_op(bio))],
			   NOCLONE_NOWAIT_BACKOFF);
		cmd->fc->requeue(cmd, false);
	} else if (cmd->result < 0) {
		noclone_cmd_fail(cmd);
	} else {
		cmd->done += cmd->result;
		if (unlikely(cmd->done < bio->bi_iter.bi_size))
			noclone_cmd_go_on(cmd);
		else if (unlikely(noclone_cmd_syncs(cmd)))
			cmd->fc->requeue(cmd, false);
		else
			noclone_cmd_end_errno(cmd, noclone_cmd_lost(cmd));
	}
}

static void noclone_cmd_put(struct noclone_cmd *cmd)
{
	if (atomic_dec_and_test(&cmd->refs))
		noclone_cmd_next(cmd);
}

/*
 * A call that returned -EIOCBQUEUED has ended, with bytes, a negative errno, or
 * -EIOCBQUEUED to have it repeated. The caller may still be inside the file
 * system: the last reference goes on. Context: any.
 */
void noclone_cmd_complete(struct noclone_cmd *cmd, long result)
{
	cmd->result = result;
	noclone_cmd_put(cmd);
}

static void noclone_cmd_ki_complete(struct kiocb *iocb, long result)
{
	noclone_cmd_complete(container_of(iocb, struct noclone_cmd, iocb),
			     result);
}

/* kiocb_start_write() without waiting for the file system to be thawed. */
static bool noclone_cmd_try_start_write(struct super_block *sb)
{
	if (!sb_start_write_trylock(sb))
		return false;
	/* Another thread may release it: lockdep must not expect that here */
	__sb_writers_release(sb, SB_FREEZE_WRITE);
	return true;
}

/* A file that was pinned until now may still be marked: see pin.c. */
static bool noclone_cmd_may_write(struct noclone_cmd *cmd)
{
	struct noclone_backing *b = cmd->fc->backing;

	if ((cmd->iocb.ki_flags & IOCB_NOWAIT) && READ_ONCE(b->marked))
		return false;
	noclone_pin_unmark(b);
	return true;
}

static bool noclone_cmd_begin_write(struct noclone_cmd *cmd)
{
	if (!(cmd->iocb.ki_flags & IOCB_NOWAIT))
		kiocb_start_write(&cmd->iocb);
	else if (!noclone_cmd_try_start_write(file_inode(cmd->fc->file)->i_sb))
		return false;
	cmd->begun_write = true;
	return true;
}

/* Byte offset in the file */
static loff_t noclone_cmd_pos(const struct noclone_cmd *cmd)
{
	struct noclone_file_c *fc = cmd->fc;

	return to_bytes(fc->start +
			dm_target_offset(fc->ti, cmd->bio->bi_iter.bi_sector));
}

/* Fill in the kiocb of a read or write. @async: the call may complete later. */
void noclone_cmd_prepare(struct noclone_cmd *cmd, int flags, bool async)
{
	struct bio *bio = cmd->bio;

	if (op_is_write(bio_op(bio)))
		flags |= IOCB_WRITE;
	if (noclone_cmd_is_dsync(cmd))
		flags |= IOCB_DSYNC;

	cmd->iocb = (struct kiocb) {
		.ki_filp	= cmd->fc->file,
		.ki_pos		= noclone_cmd_pos(cmd) + cmd->done,
		.ki_flags	= flags,
		.ki_ioprio	= bio->bi_ioprio,
		.ki_complete	= async ? noclone_cmd_ki_complete : NULL,
	};
}

/* Call the file system. Return: as ->read_iter and ->write_iter. */
ssize_t noclone_cmd_call(struct noclone_cmd *cmd, struct iov_iter *iter)
{
	const struct file_operations *fop = cmd->iocb.ki_filp->f_op;

	if (!(cmd->iocb.ki_flags & IOCB_WRITE))
		return fop->read_iter(&cmd->iocb, iter);
	if (!noclone_cmd_may_write(cmd) || !noclone_cmd_begin_write(cmd))
		return -EAGAIN;
	return fop->write_iter(&cmd->iocb, iter);
}

/* bi_io_vec of a clone is its parent's, so bi_iter may begin anywhere in it. */
static void noclone_cmd_iter(struct noclone_cmd *cmd, struct iov_iter *iter)
{
	struct bio *bio = cmd->bio;
	struct bvec_iter from = bio->bi_iter, at;
	unsigned int nr = 0;
	struct bio_vec bv;

	bio_advance_iter(bio, &from, cmd->done);
	__bio_for_each_bvec(bv, bio, at, from)
		nr++;
	iov_iter_bvec(iter, op_is_write(bio_op(bio)) ? ITER_SOURCE : ITER_DEST,
		      __bvec_iter_bvec(bio->bi_io_vec, from), nr, from.bi_size);
	/*
	 * Bytes already consumed of the first bvec. The field of bvec_iter has
	 * another name since Linux 7.3.
	 */
	iter->iov_offset = mp_bvec_iter_offset(bio->bi_io_vec, from) -
			   iter->bvec->bv_offset;
}

static void noclone_cmd_rw(struct noclone_cmd *cmd, bool nowait)
{
	const struct noclone_engine *engine = cmd->fc->engine;
	struct iov_iter iter;
	ssize_t r;

	noclone_cmd_iter(cmd, &iter);
	cmd->nowait = nowait;
	atomic_set(&cmd->refs, 2);
	r = nowait ? engine->nowait(cmd, &iter) : engine->blocking(cmd, &iter);
	if (r == -EIOCBQUEUED) {
		noclone_cmd_put(cmd);
	} else {
		cmd->result = r;
		noclone_cmd_next(cmd);
	}
}

/*
 * Only an attempt shows whether a file system supports an operation. If not, withdraw it, as
 * the loop driver does: submitters then do without, or write zeroes.
 */
static void noclone_cmd_offer_no_more(struct noclone_cmd *cmd)
{
	struct mapped_device *md = dm_table_get_md(cmd->fc->ti->table);
	struct queue_limits *limits = &dm_disk(md)->queue->limits;

	if (bio_op(cmd->bio) == REQ_OP_DISCARD) {
		limits->max_hw_discard_sectors = 0;
		limits->max_discard_sectors = 0;
	} else {
		limits->max_write_zeroes_sectors = 0;
	}
}

static int noclone_cmd_fallocate(struct noclone_cmd *cmd)
{
	struct bio *bio = cmd->bio;
	int r, mode = FALLOC_FL_PUNCH_HOLE;

	if (bio_op(bio) == REQ_OP_WRITE_ZEROES &&
	    (bio->bi_opf & REQ_NOUNMAP))
		mode = FALLOC_FL_ZERO_RANGE;
	noclone_pin_unmark(cmd->fc->backing);
	r = vfs_fallocate(cmd->fc->file, mode | FALLOC_FL_KEEP_SIZE,
			  noclone_cmd_pos(cmd), bio->bi_iter.bi_size);
	if (r == -EOPNOTSUPP)
		noclone_cmd_offer_no_more(cmd);
	return r;
}

/* Write zeroes as data; the next pages are another call. Context: may block. */
static void noclone_cmd_write_zeroes(struct noclone_cmd *cmd)
{
	unsigned int left = cmd->bio->bi_iter.bi_size - cmd->done;
	struct bio_vec pages[NOCLONE_ZERO_PAGES];
	struct iov_iter iter;
	unsigned int i;

	for (i = 0; i < NOCLONE_ZERO_PAGES; i++)
		pages[i] = (struct bio_vec) { .bv_page = ZERO_PAGE(0),
					      .bv_len = PAGE_SIZE };
	iov_iter_bvec(&iter, ITER_SOURCE, pages, NOCLONE_ZERO_PAGES,
		      min_t(size_t, left, NOCLONE_ZERO_PAGES * PAGE_SIZE));
	noclone_cmd_prepare(cmd, IOCB_DIRECT, false);
	cmd->nowait = false;
	cmd->result = noclone_cmd_call(cmd, &iter);
	noclone_cmd_next(cmd);
}

/*
 * While the engine direct stands in for one that pins the file, the file must not get holes or
 * unwritten extents: the next table, perhaps at the next boot, would be refused.
 */
static void noclone_cmd_keep_blocks(struct noclone_cmd *cmd)
{
	/* A discard may do nothing */
	if (bio_op(cmd->bio) == REQ_OP_DISCARD)
		noclone_cmd_end(cmd, BLK_STS_OK);
	else
		noclone_cmd_write_zeroes(cmd);
}

static int noclone_cmd_report(errseq_t *errors, errseq_t since, errseq_t *reported)
{
	int error = errseq_check_and_advance(errors, &since);

	if (error)
		WRITE_ONCE(*reported, since);
	return error;
}

/*
 * Only ext4 gets fdatasync(): f2fs sends no flush then, if only blocks that were there before have
 * been written.
 */
static int noclone_cmd_sync_range(struct noclone_file_c *fc, loff_t first, loff_t last)
{
	int r = vfs_fsync_range(fc->file, first, last, fc->fua == NOCLONE_FUA_FDATASYNC);

	if (!r && fc->needs_flush)
		r = blkdev_issue_flush(file_inode(fc->file)->i_sb->s_bdev);
	return r;
}

/*
 * File systems without ->fsync() are read-only or very simple; a loop device ignores that, too. FUA
 * writes and other flushes at the same time may have got the error of a write before this flush,
 * so each flush compares with the errors that were reported when it began. An error that only
 * ->fsync() returns is not among those of the page cache: see noclone_cmd_note_error().
 */
static int noclone_cmd_fsync(struct noclone_file_c *fc)
{
	struct noclone_backing *b = fc->backing;
	errseq_t since = READ_ONCE(b->reported), fua_since = READ_ONCE(b->fua_reported);
	int r = fc->file->f_op->fsync ? noclone_cmd_sync_range(fc, 0, LLONG_MAX) : 0;
	int lost = noclone_cmd_report(&fc->file->f_mapping->wb_err, since, &b->reported);
	int told = noclone_cmd_report(&b->fua_errors, fua_since, &b->fua_reported);

	lost = lost ? lost : told;
	return r ? r : lost;
}

static void noclone_cmd_flush(struct noclone_cmd *cmd)
{
	struct file *file = cmd->fc->file;
	struct bio *bio = cmd->bio;
	int r = noclone_cmd_fsync(cmd->fc);

	if (unlikely(IS_VERITY(file_inode(file))))
		noclone_target_queue(&cmd->fc->settle);
	if (r || !bio->bi_iter.bi_size) {
		noclone_cmd_end_errno(cmd, r);
		return;
	}
	/* The data follows */
	bio->bi_opf &= ~REQ_PREFLUSH;
	noclone_cmd_rw(cmd, false);
}

/* The data of a FUA write has been written. */
static void noclone_cmd_sync(struct noclone_cmd *cmd)
{
	loff_t end = noclone_cmd_pos(cmd) + cmd->done;
	int r = noclone_cmd_sync_range(cmd->fc, end - cmd->done, end - 1);

	if (unlikely(r))
		noclone_cmd_note_error(cmd, r);
	noclone_cmd_end_errno(cmd, r ? r : noclone_cmd_lost(cmd));
}

/*
 * Execute a command, for a worker. @nowait: a read or write, do not block. The
 * command may be gone on return.
 */
void noclone_cmd_do(struct noclone_cmd *cmd, bool nowait)
{
	struct bio *bio = cmd->bio;

	if (bio->bi_opf & REQ_PREFLUSH)
		noclone_cmd_flush(cmd);
	else if (cmd->done && cmd->done == bio->bi_iter.bi_size)
		noclone_cmd_sync(cmd);
	else if (bio_op(bio) == REQ_OP_READ || bio_op(bio) == REQ_OP_WRITE)
		noclone_cmd_rw(cmd, nowait);
	else if (cmd->fc->requested->pins)
		noclone_cmd_keep_blocks(cmd);
	else
		noclone_cmd_end_errno(cmd, noclone_cmd_fallocate(cmd));
}

/* A cache with a constructor is exempt from init_on_alloc. */
static void noclone_cmd_ctor(void *object)
{
}

int __init noclone_cmd_init(void)
{
	noclone_cmd_slab = kmem_cache_create("dm_noclone_cmd",
					     sizeof(struct noclone_cmd), 0,
					     SLAB_HWCACHE_ALIGN,
					     noclone_cmd_ctor);
	return noclone_cmd_slab ? 0 : -ENOMEM;
}

void noclone_cmd_exit(void)
{
	kmem_cache_destroy(noclone_cmd_slab);
}
