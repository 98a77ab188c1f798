/* SPDX-License-Identifier: GPL-2.0-only */
/* The backing file of a new table: created, grown or filled as requested. */
#ifndef NOCLONE_BACKING_H
#define NOCLONE_BACKING_H

#include "model/facts.h"
#include "model/plan.h"

/**
 * struct backing - a backing file, and what has to be done to it
 * @running: set by the caller: the device has it, and keeps it; only a new part is filled
 * @needed: it has to be changed
 * @req: the request; @req.path is @path
 * @path: the file
 * @action: how it has to be changed
 * @facts: facts about it as they will be then
 * @source: @facts for this file, and the facts of the running system
 * @fd: open for writing while it is changed, then for reading; or -1
 * @old_bytes: its size before
 * @leased: no other process has it open
 * @changed: it was created or grown, which backing_undo() undoes
 */
struct backing {
	bool running;
	bool needed;
	struct file_request req;
	char *path;
	enum backing_action action;
	struct file_facts facts;
	struct facts_source source;
	int fd;
	uint64_t old_bytes;
	bool leased;
	bool changed;
};

/**
 * backing_plan - decide what has to be done; changes nothing
 * @b: filled in
 * @req: the request, with the path as the user gave it
 * @self: mapped device that may be using the file, or 0
 *
 * Return: 0, or a negative errno after a message.
 */
int backing_plan(struct backing *b, const struct file_request *req, dev_t self);

/* Is it made anew, so that nothing that is saved can be in it? */
static inline bool backing_is_new(const struct backing *b)
{
	return b->action == BACKING_CREATE;
}

/* What a shell may do instead of backing_apply(), with " && ": a new string. */
char *backing_words(const struct backing *b);

/**
 * backing_apply - change the file as planned
 * @b: planned
 *
 * Context: stop_hold(); fails with -EINTR if a stop is requested.
 * Return: 0, or a negative errno after a message; call backing_undo() if this
 * or anything later fails.
 */
int backing_apply(struct backing *b);
/* Remove the file if it was created; cut it to its old size if it was grown. */
void backing_undo(struct backing *b);
void backing_free(struct backing *b);

#define _cleanup_backing_ __attribute__((cleanup(backing_free)))

#endif /* NOCLONE_BACKING_H */
