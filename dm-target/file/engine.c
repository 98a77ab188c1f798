// SPDX-License-Identifier: GPL-2.0-only
/*
 * noclone-file: the engines that use the file system, and their calls of it.
 */
#include "engine.h"
#include "file-cmd.h"
#include "submit.h"

#include <linux/uio.h>

const char * const noclone_engine_word[NOCLONE_NR_ENGINES] = {
#define X(name, word, text) [NOCLONE_ENGINE_##name] = word,
	NOCLONE_ENGINES(X)
#undef X
};

/* Without FMODE_NOWAIT a file system may block in spite of IOCB_NOWAIT. */
static ssize_t noclone_engine_direct_nowait(struct noclone_cmd *cmd,
					    struct iov_iter *iter)
{
	if (!(cmd->fc->file->f_mode & FMODE_NOWAIT))
		return -EAGAIN;
	noclone_cmd_prepare(cmd, IOCB_DIRECT | IOCB_NOWAIT, true);
	return noclone_cmd_call(cmd, iter);
}

static ssize_t noclone_engine_direct_blocking(struct noclone_cmd *cmd,
					      struct iov_iter *iter)
{
	noclone_cmd_prepare(cmd, IOCB_DIRECT, true);
	return noclone_cmd_call(cmd, iter);
}

/*
 * The engine direct makes asynchronous direct I/O: completion means that the lower disk completed
 * it.
 */
const struct noclone_engine noclone_engine_direct = {
	.id			= NOCLONE_ENGINE_DIRECT,
	.direct			= true,
	.nowait_writes		= true,
	.map			= noclone_submit_clone,
	.nowait			= noclone_engine_direct_nowait,
	.blocking		= noclone_engine_direct_blocking,
};

/*
 * Repeat a read that has waited for a page. This is the wake function in the wait queue of the
 * page: it is called when the page has been read, and the wait queue is locked.
 */
static int noclone_engine_page_read(struct wait_queue_entry *entry,
				    unsigned int mode, int sync, void *key)
{
	struct wait_page_queue *wait = container_of(entry,
						    struct wait_page_queue,
						    wait);
	struct noclone_cmd *cmd = container_of(wait, struct noclone_cmd, wait);

	if (!wake_page_match(wait, key))
		return 0;
	list_del_init(&entry->entry);
	noclone_cmd_count(cmd->fc, NOCLONE_FILE_WAITED);
	/* Repeat the call */
	noclone_cmd_complete(cmd, -EIOCBQUEUED);
	return 1;
}

/*
 * Read through the page cache. With IOCB_WAITQ no thread waits for a page: when the page has been
 * read, noclone_engine_page_read() is called.
 */
static ssize_t noclone_engine_buffered_nowait(struct noclone_cmd *cmd,
					      struct iov_iter *iter)
{
	if (!noclone_compat_async_buffered_reads(cmd->fc->file))
		return -EAGAIN;
	noclone_cmd_prepare(cmd, IOCB_WAITQ, true);
	cmd->wait.wait.func = noclone_engine_page_read;
	cmd->wait.wait.private = NULL;
	cmd->wait.wait.flags = 0;
	INIT_LIST_HEAD(&cmd->wait.wait.entry);
	cmd->iocb.ki_waitq = &cmd->wait;
	return noclone_cmd_call(cmd, iter);
}

static ssize_t noclone_engine_sync_blocking(struct noclone_cmd *cmd,
					    struct iov_iter *iter)
{
	noclone_cmd_prepare(cmd, 0, false);
	return noclone_cmd_call(cmd, iter);
}

/*
 * The engine buffered has no nowait_writes: its writes only copy to the page cache, under the
 * inode lock, so they are executed one by one.
 */
const struct noclone_engine noclone_engine_buffered = {
	.id		= NOCLONE_ENGINE_BUFFERED,
	.map		= noclone_submit_clone,
	.nowait		= noclone_engine_buffered_nowait,
	.blocking	= noclone_engine_sync_blocking,
};

#ifdef NOCLONE_DEBUG
/* The engine sync, for comparison: it makes a blocking call for each command. */
const struct noclone_engine noclone_engine_sync = {
	.id		= NOCLONE_ENGINE_SYNC,
	.map		= noclone_submit_clone,
	.blocking	= noclone_engine_sync_blocking,
};

static ssize_t noclone_engine_null_rw(struct noclone_cmd *cmd,
				      struct iov_iter *iter)
{
	size_t bytes = iov_iter_count(iter);

	return iov_iter_rw(iter) == READ ? iov_iter_zero(bytes, iter) : bytes;
}

/* The engine null, for measurements: without I/O, only the workers cost time. */
const struct noclone_engine noclone_engine_null = {
	.id			= NOCLONE_ENGINE_NOIO,
	.nowait_writes		= true,
	.map			= noclone_submit_clone,
	.nowait			= noclone_engine_null_rw,
	.blocking		= noclone_engine_null_rw,
};
#endif
