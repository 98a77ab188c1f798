/* SPDX-License-Identifier: GPL-2.0-only */
/* The file under a new table: made, made longer, or written out for it. */
#ifndef NOCLONE_BACKING_H
#define NOCLONE_BACKING_H

#include "model/facts.h"
#include "model/plan-file.h"

/**
 * struct backing - a file, and what becomes of it
 * @wanted: there is something to be done
 * @req: what was asked for; @req.path is @path
 * @path: the file
 * @action: what has to be done
 * @facts: what will be known about it
 * @source: gives @facts for the file and the running system's for the rest
 * @fd: the file while it is being changed, then for reading only; or -1
 * @old_bytes: its size before
 * @changed: it was made or has grown, which backing_undo() undoes
 */
struct backing {
	bool wanted;
	struct file_request req;
	char *path;
	enum file_action action;
	struct file_facts facts;
	struct facts_source source;
	int fd;
	uint64_t old_bytes;
	bool changed;
};

/**
 * backing_plan - look, and decide; changes nothing
 * @b: filled in
 * @req: what is asked for; its path as the user gave it
 * @self: dm device that may be using the file, or 0
 *
 * Return: 0, or a negative errno after a message.
 */
int backing_plan(struct backing *b, const struct file_request *req, dev_t self);
/* Log what backing_apply() would do. */
void backing_announce(const struct backing *b);

/**
 * backing_apply - do it
 * @b: planned
 *
 * Context: stop_hold(); ends early if a stop is wanted.
 * Return: 0, or a negative errno after a message; backing_undo() in any case
 * of failure, now or later.
 */
int backing_apply(struct backing *b);
/* Remove the file if it was made; cut it to its old size if it has grown. */
void backing_undo(struct backing *b);
void backing_free(struct backing *b);

#define _cleanup_backing_ __attribute__((cleanup(backing_free)))

#endif /* NOCLONE_BACKING_H */
