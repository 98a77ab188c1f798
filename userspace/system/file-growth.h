/* SPDX-License-Identifier: GPL-2.0-only */
/* Growing the file of a running noclone-file target. */
#ifndef NOCLONE_FILE_GROWTH_H
#define NOCLONE_FILE_GROWTH_H

#include <stdbool.h>
#include <stdint.h>

#include "model/file-id.h"

/**
 * enum growth_kind - what the new part of the file is
 * @GROWTH_RESERVED: its blocks are allocated and read as zeroes
 * @GROWTH_WRITTEN: its blocks are written, as the engine extent needs it
 * @GROWTH_SPARSE: a hole
 */
enum growth_kind {
	GROWTH_RESERVED,
	GROWTH_WRITTEN,
	GROWTH_SPARSE,
};

/**
 * struct growth - a file that grows
 * @path: where it is
 * @id: which file is to be there
 * @bytes: size that it is to have; 0: nothing is to be done
 * @kind: what the new part is
 * @old_bytes: set to its size before
 * @grown: it was grown, which growth_undo() undoes
 */
struct growth {
	const char *path;
	struct file_id id;
	uint64_t bytes;
	enum growth_kind kind;
	uint64_t old_bytes;
	bool grown;
};

/*
 * A file that is pinned is waited for some seconds: the kernel unpins it in the
 * background.
 *
 * Context: stop_hold(); fails with -EINTR if a stop is requested.
 * Return: 0, or a negative errno after a message; then it is as it was.
 */
int growth_apply(struct growth *g);
/* Cut it to its old size, unless it has got another one since. */
void growth_undo(struct growth *g);
/* The command line that does the same, more or less: a new string, or NULL. */
char *growth_words(const struct growth *g, uint64_t old_bytes);

#endif /* NOCLONE_FILE_GROWTH_H */
