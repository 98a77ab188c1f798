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
 * @action: the planned change: the file is kept, created or extended
 * @facts: facts about the file after the change
 * @source: a source of facts: for the file at @path, if the file has to be changed, it gives
 *	@facts; for other files and for devices, it gives the facts of the running system
 * @fd: the open file: for writing during the change, and for reading after the change; -1 if the
 *	file is not open
 * @old_bytes: the size of the file before the change
 * @leased: this process holds a write lease of the file, see backing_take_lease()
 * @changed: this process has created or extended the file, and backing_undo() undoes this
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
 * backing_plan - decide how the file has to be changed; the function does not change the file
 * @b: filled in
 * @req: the request, with the path that the user gave
 * @self: the mapped device that gets the table, which may already use the file; 0 for a new device
 */
int backing_plan(struct backing *b, const struct file_request *req, dev_t self);

/* Does the plan create the file? A new file cannot contain the data of a saved device. */
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
 * Context: The caller has called stop_hold(). If a signal has arrived, the function returns -EINTR.
 * Return: 0, or a negative errno after a message. If this function or a later step fails, the
 * caller calls backing_undo().
 */
int backing_apply(struct backing *b);
/*
 * Undo the change: remove the file if backing_apply() has created it, and cut the file to its old
 * size if backing_apply() has extended it.
 */
void backing_undo(struct backing *b);
void backing_free(struct backing *b);

#define _cleanup_backing_ __attribute__((cleanup(backing_free)))

#endif /* NOCLONE_BACKING_H */
