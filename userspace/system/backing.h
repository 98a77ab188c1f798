/* SPDX-License-Identifier: GPL-2.0-only */
/* Create, extend or fill the backing file of a new table, as requested. */
#ifndef NOCLONE_BACKING_H
#define NOCLONE_BACKING_H

#include "model/facts.h"
#include "model/plan.h"

/**
 * struct backing - a backing file, and the planned change of it
 * @running: set by the caller: the device already uses the file, so only the new part of the file
 *	is filled
 * @needed: the file has to be changed
 * @req: the request; @req.path is @path
 * @path: the path of the file
 * @action: the planned change
 * @facts: facts about the file after the change
 * @source: a source of facts with @facts for this file, and facts of the running system for others
 * @fd: open for writing during the change, and for reading afterwards; or -1
 * @old_bytes: the size of the file before the change
 * @leased: a lease shows that no other process has the file open
 * @changed: the file was created or extended; backing_undo() undoes this
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
 * backing_plan - plan the change of the file, without making it
 * @b: filled in
 * @req: the request, with the path that the user gave
 * @self: the mapped device that may use the file, or 0
 */
int backing_plan(struct backing *b, const struct file_request *req, dev_t self);

/* Is the file a new one, which cannot contain any saved data? */
static inline bool backing_is_new(const struct backing *b)
{
	return b->action == BACKING_CREATE;
}

/*
 * Return: shell commands that do the same as backing_apply(), with " && " behind them, a new
 * string.
 */
char *backing_words(const struct backing *b);

/**
 * backing_apply - change the file as planned
 * @b: the plan
 *
 * Context: stop_hold(). A requested stop ends the function with -EINTR. Return: 0, or a negative
 * errno after a message. The caller calls backing_undo() if this function or a later step fails.
 */
int backing_apply(struct backing *b);
/* Remove a file that was created, and cut an extended file to its old size. */
void backing_undo(struct backing *b);
void backing_free(struct backing *b);

#define _cleanup_backing_ __attribute__((cleanup(backing_free)))

#endif /* NOCLONE_BACKING_H */
