// SPDX-License-Identifier: GPL-2.0-only
/*
 * noclone-file: a bio on its way through a file system, from the first call to
 * completion. Bios become commands in submit.c; worker.c decides when and where
 * they are executed. No function here allocates.
 */
#include "file-cmd.h"
#include "pin.h"
#include "../boundary.h"

#include <linux/falloc.h>
#include <linux/slab.h>

/*
 * How many commands skip the nowait attempt after an attempt has failed, because the work of a
 * failed attempt is done twice
 */
#define NOCLONE_NOWAIT_BACKOFF	32

/* The number of pages in one write of zeroes; the bio_vecs of these pages are on the stack */
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
	/* The device may be removed from here on */
	noclone_inflight_put(nd);
}

/*
 * End a command with @error, 0 or a negative errno. Only submitters of REQ_NOWAIT bios may see
 * BLK_STS_AGAIN, so -EAGAIN becomes an I/O error.
 */
static void noclone_cmd_end_errno(struct noclone_cmd *cmd, int error)
{
	noclone_cmd_end(cmd, error == -EAGAIN ? BLK_STS_IOERR :
			errno_to_blk_status(error));
}

/*
 * Continue a command whose call has done less than requested. If a call does nothing at all, the
 * file has been truncated, and the call has reached the end of the file. The command fails then: if
 * it returned zeroes, they would look like data of the file.
 */
static void noclone_cmd_continue(struct noclone_cmd *cmd)
{
	if (!cmd->result) {
		noclone_cmd_end(cmd, BLK_STS_IOERR);
		return;
	}
	noclone_cmd_count(cmd->fc, NOCLONE_FILE_SHORT);
	cmd->fc->requeue(cmd, false);
}

/*
 * Did the call end because it would have blocked? File systems without IOCB_NOWAIT return
 * -EOPNOTSUPP.
 */
static bool noclone_cmd_would_block(const struct noclone_cmd *cmd)
{
	return cmd->nowait && (cmd->result == -EAGAIN ||
			       cmd->result == -EOPNOTSUPP);
}

/* Does the call that writes the data have IOCB_DSYNC? */
static bool noclone_cmd_is_dsync(const struct noclone_cmd *cmd)
{
	return (cmd->bio->bi_opf & REQ_FUA) && (cmd->fc->fua == NOCLONE_FUA_DSYNC ||
						cmd->fc->fua == NOCLONE_FUA_DSYNC_FSYNC);
}

/* Does fsync() or fdatasync() follow the data of the bio? noclone_cmd_do() calls it. */
static bool noclone_cmd_syncs(const struct noclone_cmd *cmd)
{
	return (cmd->bio->bi_opf & REQ_FUA) && (cmd->fc->fua == NOCLONE_FUA_FSYNC ||
						cmd->fc->fua == NOCLONE_FUA_FDATASYNC ||
						cmd->fc->fua == NOCLONE_FUA_DSYNC_FSYNC);
}

/*
 * Has the page cache lost data since this FUA write began? The sync of the write may not report the
 * lost data: each struct file reports an error of the page cache once, and a flush at the same time
 * may have got the error. Return: 0 or a negative errno.
 */
static int noclone_cmd_check_lost(const struct noclone_cmd *cmd)
{
	if (likely(!(cmd->bio->bi_opf & REQ_FUA)))
		return 0;
	return filemap_check_wb_err(cmd->fc->file->f_mapping, cmd->since);
}

/*
 * Record that the sync of a FUA write has failed. Earlier writes may be lost with the data of this
 * write, so the next flush has to fail as well. The file system does not ensure that the flush
 * fails: a sync that is tried again may succeed.
 */
static void noclone_cmd_note_error(const struct noclone_cmd *cmd, int error)
{
	errseq_set(&cmd->fc->backing->fua_errors, error);
}

/*
 * Can @error come from a sync? File systems return the errors that are listed here before they
 * write anything.
 */
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
		/* A flush of a disk can fail with -ENOLINK, -EREMOTEIO, -ETIMEDOUT and others */
		return true;
	}
}

/*
 * End a command whose call has failed. If the call had IOCB_DSYNC, the sync in the call may have
 * failed.
 */
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
			noclone_cmd_continue(cmd);
		else if (unlikely(noclone_cmd_syncs(cmd)))
			cmd->fc->requeue(cmd, false);
		else
			noclone_cmd_end_errno(cmd, noclone_cmd_check_lost(cmd));
	}
}

static void noclone_cmd_put(struct noclone_cmd *cmd)
{
	if (atomic_dec_and_test(&cmd->refs))
		noclone_cmd_next(cmd);
}

/*
 * End a call that returned -EIOCBQUEUED. @result is a number of bytes, a negative errno, or
 * -EIOCBQUEUED to have the call repeated. The task that made the call may still be inside the file
 * system: the command continues when that task and this function have both dropped their
 * reference. Context: any.
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
	/* Another thread may end the write: lockdep must not expect this thread to do it */
	__sb_writers_release(sb, SB_FREEZE_WRITE);
	return true;
}

/*
 * May this call write to the file? A file that was pinned until now may still have the swap-file
 * mark, see pin.c. This function removes the mark, unless the call must not block.
 */
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

/* Return: the byte offset of the bio in the file. */
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

/*
 * Set @iter to the data that is still to be done. A clone shares bi_io_vec with its parent, so
 * bi_iter may begin anywhere in it.
 */
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
	 * Skip the bytes of the first bvec that are done. The field of bvec_iter has another name
	 * since Linux 7.3.
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
 * Withdraw an operation that the file system does not support, as the loop driver does: submitters
 * then do without it, or write zeroes. Whether a file system supports an operation is known only
 * after an attempt.
 */
static void noclone_cmd_withdraw_op(struct noclone_cmd *cmd)
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
		noclone_cmd_withdraw_op(cmd);
	return r;
}

/* Write zeroes as data, with one call for NOCLONE_ZERO_PAGES pages. Context: may block. */
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
 * Execute a discard or write zeroes for a table whose engine pins the file, while the engine direct
 * stands in for it. The file must not get holes or unwritten extents: otherwise the next table,
 * perhaps at the next boot, would be refused.
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
 * Sync a range of the file. Only ext4 gets fdatasync(): fdatasync() of f2fs sends no flush to the
 * disk if no block was added to the file.
 */
static int noclone_cmd_sync_range(struct noclone_file_c *fc, loff_t first, loff_t last)
{
	int r = vfs_fsync_range(fc->file, first, last, fc->fua == NOCLONE_FUA_FDATASYNC);

	if (!r && fc->needs_flush)
		r = blkdev_issue_flush(file_inode(fc->file)->i_sb->s_bdev);
	return r;
}

/*
 * Sync the file for a flush. File systems without ->fsync() are read-only or very simple; their
 * flush succeeds, as does the flush of a loop device. FUA writes and other flushes at the same time
 * may have got the error of a write before this flush, so each flush compares with the errors that
 * were reported when it began. The page cache does not record an error that only ->fsync() returns;
 * noclone_cmd_note_error() records it.
 */
static int noclone_cmd_fsync(struct noclone_file_c *fc)
{
	struct noclone_backing *b = fc->backing;
	errseq_t since = READ_ONCE(b->reported), fua_since = READ_ONCE(b->fua_reported);
	int r = fc->file->f_op->fsync ? noclone_cmd_sync_range(fc, 0, LLONG_MAX) : 0;
	int lost = noclone_cmd_report(&fc->file->f_mapping->wb_err, since, &b->reported);
	int fua_lost = noclone_cmd_report(&b->fua_errors, fua_since, &b->fua_reported);

	lost = lost ? lost : fua_lost;
	return r ? r : lost;
}

static void noclone_cmd_flush(struct noclone_cmd *cmd)
{
	struct file *file = cmd->fc->file;
	struct bio *bio = cmd->bio;
	int r = noclone_cmd_fsync(cmd->fc);

	if (unlikely(IS_VERITY(file_inode(file))))
		noclone_work_queue(&cmd->fc->follow_up);
	if (r || !bio->bi_iter.bi_size) {
		noclone_cmd_end_errno(cmd, r);
		return;
	}
	/* The flush has ended: now write the data of the bio */
	bio->bi_opf &= ~REQ_PREFLUSH;
	noclone_cmd_rw(cmd, false);
}

/* Sync the data of a FUA write after it has been written. */
static void noclone_cmd_sync(struct noclone_cmd *cmd)
{
	loff_t end = noclone_cmd_pos(cmd) + cmd->done;
	int r = noclone_cmd_sync_range(cmd->fc, end - cmd->done, end - 1);

	if (unlikely(r))
		noclone_cmd_note_error(cmd, r);
	noclone_cmd_end_errno(cmd, r ? r : noclone_cmd_check_lost(cmd));
}

/*
 * Execute a command, for a worker. @nowait: a read or write must not block. The command may have
 * been freed when this function returns.
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

/*
 * This constructor does nothing. It exists because a slab cache with a constructor is exempt from
 * init_on_alloc: the kernel does not zero each object.
 */
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
