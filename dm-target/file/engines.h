/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * noclone-file: an engine is a way to do the I/O of a file.
 */
#ifndef DM_NOCLONE_ENGINES_H
#define DM_NOCLONE_ENGINES_H

#include <linux/types.h>

#include "../include/dm-noclone.h"

struct bio;
struct iov_iter;
struct noclone_cmd;
struct noclone_file_c;

enum noclone_engine_id {
#define X(name, word, text) NOCLONE_ENGINE_##name,
	NOCLONE_ENGINES(X)
#undef X
	NOCLONE_NR_ENGINES
};

extern const char * const noclone_engine_word[NOCLONE_NR_ENGINES];

struct noclone_engine {
	enum noclone_engine_id id;
	bool direct;		/* bypasses the page cache: I/O has to be aligned */
	bool pins;		/* bypasses the file system: the file must not move on its disk */
	bool nowait_writes;	/* @nowait makes sense for writes, too */
	/*
	 * A dm target's .map. Never sleeps, never fails for want of memory, and
	 * does not call the file system.
	 */
	int (*map)(struct noclone_file_c *fc, struct bio *bio);
	/*
	 * Begin a read or write, without blocking if possible, because other
	 * commands wait for the same worker. Returns as kiocb functions do;
	 * -EAGAIN leads to @blocking. May be NULL.
	 */
	ssize_t (*nowait)(struct noclone_cmd *cmd, struct iov_iter *iter);
	/*
	 * The same from a worker that may block. Both may return -EIOCBQUEUED
	 * and end the command later, from any context, by
	 * noclone_cmd_complete().
	 */
	ssize_t (*blocking)(struct noclone_cmd *cmd, struct iov_iter *iter);
};

extern const struct noclone_engine noclone_engine_direct;
extern const struct noclone_engine noclone_engine_buffered;
extern const struct noclone_engine noclone_engine_sync;
extern const struct noclone_engine noclone_engine_null;

#endif /* DM_NOCLONE_ENGINES_H */
