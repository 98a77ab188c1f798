// SPDX-License-Identifier: GPL-2.0-only
/*
 * noclone-file: bios on their way through a file system.
 *
 * Where commands come from is submit.c's affair; who calls these
 * functions, and when, worker.c's.  Nothing here allocates.
 */
#include "file.h"

#include <linux/falloc.h>

/* Attempts left out after one that would have blocked: they cost time twice */
#define NOCLONE_DOUBT		32

/* From here on the command is gone. */
static void noclone_cmd_end(struct noclone_cmd *cmd, blk_status_t status)
{
	if (unlikely(status))
		noclone_file_count(cmd->file, NOCLONE_FILE_ERRORS);
	this_cpu_inc(cmd->file->counters->ended);
	noclone_cmd_finish(cmd, status);
}

/* An -EAGAIN from below means nothing to an owner who is willing to wait. */
static void noclone_cmd_end_errno(struct noclone_cmd *cmd, int error)
{
	noclone_cmd_end(cmd, error == -EAGAIN ? BLK_STS_IOERR :
			errno_to_blk_status(error));
}

/* The file ends here: what is behind its end reads as zeroes. */
static void noclone_cmd_pad(struct noclone_cmd *cmd)
{
	struct bio *bio = cmd->bio;
	struct bvec_iter from = bio->bi_iter, at;
	struct bio_vec bv;

	noclone_file_count(cmd->file, NOCLONE_FILE_PADDED);
	bio_advance_iter(bio, &from, cmd->done);
	__bio_for_each_segment(bv, bio, at, from)
		memzero_bvec(&bv);
	noclone_cmd_end(cmd, BLK_STS_OK);
}

/* A call has come back with less than was asked for. */
static void noclone_cmd_go_on(struct noclone_cmd *cmd)
{
	struct bio *bio = cmd->bio;

	if (cmd->result) {
		noclone_file_count(cmd->file, NOCLONE_FILE_SHORT);
		noclone_cmd_block(cmd);
	} else if (op_is_write(bio_op(bio))) {
		noclone_cmd_end(cmd, BLK_STS_IOERR);
	} else {
		noclone_cmd_pad(cmd);
	}
}

/* Some file systems do not know how to try: they answer -EOPNOTSUPP. */
static bool noclone_would_block(const struct noclone_cmd *cmd)
{
	return cmd->attempting && (cmd->result == -EAGAIN ||
				   cmd->result == -EOPNOTSUPP);
}

/* What to do after a call; in any context. */
static void noclone_cmd_next(struct noclone_cmd *cmd)
{
	struct bio *bio = cmd->bio;

	if (cmd->begun_write) {
		cmd->begun_write = false;
		kiocb_end_write(&cmd->iocb);
	}

	if (cmd->result == -EIOCBQUEUED) {
		noclone_cmd_retry(cmd);
	} else if (noclone_would_block(cmd)) {
		WRITE_ONCE(cmd->file->doubt[op_is_write(bio_op(bio))],
			   NOCLONE_DOUBT);
		noclone_cmd_block(cmd);
	} else if (cmd->result < 0) {
		noclone_cmd_end_errno(cmd, cmd->result);
	} else {
		cmd->done += cmd->result;
		if (likely(cmd->done == bio->bi_iter.bi_size))
			noclone_cmd_end(cmd, BLK_STS_OK);
		else
			noclone_cmd_go_on(cmd);
	}
}

static void noclone_cmd_put(struct noclone_cmd *cmd)
{
	if (atomic_dec_and_test(&cmd->refs))
		noclone_cmd_next(cmd);
}

/**
 * noclone_cmd_complete - a call that had returned -EIOCBQUEUED has ended
 * @cmd: command
 * @result: bytes, a negative errno, or -EIOCBQUEUED: attempt it again
 *
 * Whoever made the call may still be inside it, so the last of both goes on.
 *
 * Context: any.
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

/* kiocb_start_write() for those who must not wait until it is thawed. */
static bool noclone_try_start_write(struct super_block *sb)
{
	if (!sb_start_write_trylock(sb))
		return false;
	/* Another thread may end it: lockdep must not look for this one */
	__sb_writers_release(sb, SB_FREEZE_WRITE);
	return true;
}

/* A file that was pinned until now may still be marked: see pin.c. */
static bool noclone_cmd_may_write(struct noclone_cmd *cmd)
{
	struct noclone_backing *b = cmd->file->backing;

	if ((cmd->iocb.ki_flags & IOCB_NOWAIT) && READ_ONCE(b->marked))
		return false;
	noclone_unmark(b);
	return true;
}

/* Freezing the file system waits for what has begun and lets nothing begin. */
static bool noclone_cmd_begin_write(struct noclone_cmd *cmd)
{
	if (!(cmd->iocb.ki_flags & IOCB_NOWAIT))
		kiocb_start_write(&cmd->iocb);
	else if (!noclone_try_start_write(file_inode(cmd->file->file)->i_sb))
		return false;
	cmd->begun_write = true;
	return true;
}

/* Where in the file a command begins, in bytes. */
static loff_t noclone_cmd_pos(const struct noclone_cmd *cmd)
{
	struct noclone_file *f = cmd->file;

	return to_bytes(f->start +
			dm_target_offset(f->ti, cmd->bio->bi_iter.bi_sector));
}

/**
 * noclone_cmd_prepare - fill in the file system's part of a command
 * @cmd: a read or write
 * @flags: IOCB_*
 * @async: the call need not wait until all is done
 */
void noclone_cmd_prepare(struct noclone_cmd *cmd, int flags, bool async)
{
	struct bio *bio = cmd->bio;

	if (op_is_write(bio_op(bio)))
		flags |= IOCB_WRITE;
	if (bio->bi_opf & REQ_FUA)
		flags |= IOCB_DSYNC;

	cmd->iocb = (struct kiocb) {
		.ki_filp	= cmd->file->file,
		.ki_pos		= noclone_cmd_pos(cmd) + cmd->done,
		.ki_flags	= flags,
		.ki_ioprio	= bio->bi_ioprio,
		.ki_complete	= async ? noclone_cmd_ki_complete : NULL,
	};
}

/**
 * noclone_cmd_call - call the file system
 * @cmd: prepared
 * @iter: the memory
 *
 * Return: as ->read_iter and ->write_iter.
 */
ssize_t noclone_cmd_call(struct noclone_cmd *cmd, struct iov_iter *iter)
{
	const struct file_operations *fop = cmd->iocb.ki_filp->f_op;

	if (!(cmd->iocb.ki_flags & IOCB_WRITE))
		return fop->read_iter(&cmd->iocb, iter);
	if (!noclone_cmd_may_write(cmd) || !noclone_cmd_begin_write(cmd))
		return -EAGAIN;
	return fop->write_iter(&cmd->iocb, iter);
}

/* A clone has no vector of its own: it shows a part of its parent's. */
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
	/* Done of the first vector; that field's name depends on the kernel. */
	iter->iov_offset = mp_bvec_iter_offset(bio->bi_io_vec, from) -
			   iter->bvec->bv_offset;
}

static void noclone_cmd_rw(struct noclone_cmd *cmd, bool attempt)
{
	const struct noclone_engine *engine = cmd->file->engine;
	struct iov_iter iter;
	ssize_t r;

	noclone_cmd_iter(cmd, &iter);
	cmd->attempting = attempt;
	atomic_set(&cmd->refs, 2);
	r = attempt ? engine->attempt(cmd, &iter) : engine->block(cmd, &iter);
	if (r == -EIOCBQUEUED) {
		noclone_cmd_put(cmd);
	} else {
		cmd->result = r;
		noclone_cmd_next(cmd);
	}
}

static int noclone_cmd_fallocate(struct noclone_cmd *cmd)
{
	struct bio *bio = cmd->bio;
	int mode = FALLOC_FL_PUNCH_HOLE;

	if (bio_op(bio) == REQ_OP_WRITE_ZEROES &&
	    (bio->bi_opf & REQ_NOUNMAP))
		mode = FALLOC_FL_ZERO_RANGE;
	noclone_unmark(cmd->file->backing);
	return vfs_fallocate(cmd->file->file, mode | FALLOC_FL_KEEP_SIZE,
			     noclone_cmd_pos(cmd), bio->bi_iter.bi_size);
}

/* A flush; data that came with it is written afterwards. */
static void noclone_cmd_flush(struct noclone_cmd *cmd)
{
	struct bio *bio = cmd->bio;
	int r = vfs_fsync(cmd->file->file, 0);

	if (r || !bio->bi_iter.bi_size) {
		noclone_cmd_end_errno(cmd, r);
		return;
	}
	bio->bi_opf &= ~REQ_PREFLUSH;
	noclone_cmd_rw(cmd, false);
}

/**
 * noclone_cmd_do - make the call that a command asks for
 * @cmd: a command; gone when this returns, unless it goes on elsewhere
 * @attempt: a read or write must not block
 *
 * Context: a worker's.
 */
void noclone_cmd_do(struct noclone_cmd *cmd, bool attempt)
{
	struct bio *bio = cmd->bio;

	if (bio->bi_opf & REQ_PREFLUSH)
		noclone_cmd_flush(cmd);
	else if (bio_op(bio) == REQ_OP_READ || bio_op(bio) == REQ_OP_WRITE)
		noclone_cmd_rw(cmd, attempt);
	else
		noclone_cmd_end_errno(cmd, noclone_cmd_fallocate(cmd));
}
