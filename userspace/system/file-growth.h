/* SPDX-License-Identifier: GPL-2.0-only */
/* Growing the file of a running noclone-file target. */
#ifndef NOCLONE_FILE_GROWTH_H
#define NOCLONE_FILE_GROWTH_H

#include <stdbool.h>
#include <stdint.h>

#include "model/facts.h"

/**
 * struct growth - a file that grows
 * @path: where it is
 * @id: which file is to be there
 * @bytes: size that it is to have; 0: nothing is to be done
 * @written: zeroes are written to the new part; else its blocks are reserved
 * @old_bytes: its size before; set again when it grows
 * @grown: it was grown, which growth_undo() undoes
 */
struct growth {
	const char *path;
	struct file_id id;
	uint64_t bytes;
	bool written;
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
/* Cut it to its old size, unless another process has changed that since. */
void growth_undo(struct growth *g);
/* The command line that does the same, more or less: a new string, or NULL. */
char *growth_words(const struct growth *g);

#endif /* NOCLONE_FILE_GROWTH_H */
