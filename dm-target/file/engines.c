// SPDX-License-Identifier: GPL-2.0-only
/*
 * noclone-file: the engines that go through a file system.  Each says how it
 * calls it; what they have in common is in cmd.c.
 */
#include "file.h"

#include <linux/uio.h>

/* Not every file system promises to return instead of blocking. */
static ssize_t noclone_direct_attempt(struct noclone_cmd *cmd,
				      struct iov_iter *iter)
{
	if (!(cmd->file->file->f_mode & FMODE_NOWAIT))
		return -EAGAIN;
	noclone_cmd_prepare(cmd, IOCB_DIRECT | IOCB_NOWAIT, true);
	return noclone_cmd_call(cmd, iter);
}

static ssize_t noclone_direct_block(struct noclone_cmd *cmd,
				    struct iov_iter *iter)
{
	noclone_cmd_prepare(cmd, IOCB_DIRECT, true);
	return noclone_cmd_call(cmd, iter);
}

/* Asynchronous direct I/O: what the device is told, the disk has been told. */
const struct noclone_engine noclone_engine_direct = {
	.name			= "direct",
	.direct			= true,
	.attempts_writes	= true,
	.admit			= noclone_workers_init,
	.dismiss		= noclone_workers_exit,
	.map			= noclone_cmd_map,
	.attempt		= noclone_direct_attempt,
	.block			= noclone_direct_block,
};

/* The page has come: called with the page's wait queue locked. */
static int noclone_page_has_come(struct wait_queue_entry *entry,
				 unsigned int mode, int sync, void *key)
{
	struct wait_page_queue *wait = container_of(entry,
						    struct wait_page_queue,
						    wait);
	struct noclone_cmd *cmd = container_of(wait, struct noclone_cmd, wait);

	if (!wake_page_match(wait, key))
		return 0;
	list_del_init(&entry->entry);
	noclone_file_count(cmd->file, NOCLONE_FILE_WAITED);
	/* Attempt it again */
	noclone_cmd_complete(cmd, -EIOCBQUEUED);
	return 1;
}

/*
 * "Add support for async buffered reads" (v5.9): a page that is being read
 * calls back, and no thread waits for it.
 */
static ssize_t noclone_buffered_attempt(struct noclone_cmd *cmd,
					struct iov_iter *iter)
{
	if (!noclone_calls_back(cmd->file->file))
		return -EAGAIN;
	noclone_cmd_prepare(cmd, IOCB_WAITQ, true);
	cmd->wait.wait.func = noclone_page_has_come;
	cmd->wait.wait.private = NULL;
	cmd->wait.wait.flags = 0;
	INIT_LIST_HEAD(&cmd->wait.wait.entry);
	cmd->iocb.ki_waitq = &cmd->wait;
	return noclone_cmd_call(cmd, iter);
}

static ssize_t noclone_sync_block(struct noclone_cmd *cmd,
				  struct iov_iter *iter)
{
	noclone_cmd_prepare(cmd, 0, false);
	return noclone_cmd_call(cmd, iter);
}

/* Through the page cache. Writes copy, and are done one after another. */
const struct noclone_engine noclone_engine_buffered = {
	.name		= "buffered",
	.admit		= noclone_workers_init,
	.dismiss	= noclone_workers_exit,
	.map		= noclone_cmd_map,
	.attempt	= noclone_buffered_attempt,
	.block		= noclone_sync_block,
};

/* The reference: a blocking call for each command, through the page cache. */
const struct noclone_engine noclone_engine_sync = {
	.name		= "sync",
	.admit		= noclone_workers_init,
	.dismiss	= noclone_workers_exit,
	.map		= noclone_cmd_map,
	.block		= noclone_sync_block,
};

#ifdef NOCLONE_DEBUG
static ssize_t noclone_null_attempt(struct noclone_cmd *cmd,
				    struct iov_iter *iter)
{
	size_t bytes = iov_iter_count(iter);

	return iov_iter_rw(iter) == READ ? iov_iter_zero(bytes, iter) : bytes;
}

/* What the workers alone cost. */
const struct noclone_engine noclone_engine_null = {
	.name			= "null",
	.attempts_writes	= true,
	.admit			= noclone_workers_init,
	.dismiss		= noclone_workers_exit,
	.map			= noclone_cmd_map,
	.attempt		= noclone_null_attempt,
	.block			= noclone_null_attempt,
};
#endif
