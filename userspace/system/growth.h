/* SPDX-License-Identifier: GPL-2.0-only */
/* Growing the file of a running noclone-file target. */
#ifndef NOCLONE_GROWTH_H
#define NOCLONE_GROWTH_H

#include <stdbool.h>
#include <stdint.h>

#include "model/facts.h"
#include "model/finding.h"
#include "model/plan.h"
#include "model/resize.h"

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

/**
 * struct room - what a table can grow into
 * @resize: for resize_table()
 * @file_bytes: size of the file, if the last target is on one
 * @next: name of the user that ends the room behind a leg, or NULL
 */
struct room {
	struct resize_room resize;
	uint64_t file_bytes;
	char *next;
};

/**
 * room_find - look for it; changes nothing
 * @r: filled in
 * @last: the last target of the live table
 * @specs: devices for the growth; their names become paths, and 0 their real length
 * @nr: how many
 * @is_max: only existing sectors count: a file does not grow
 *
 * Behind a leg the room ends at the next part that a mapped device, a saved device or a
 * partition uses.  It may hold data nevertheless: see room_check_signatures().
 *
 * Return: 0, or a negative errno after a message.
 */
int room_find(struct room *r, const struct target *last, struct leg_spec *specs,
	      unsigned int nr, bool is_max);
/* An error for each leg that has a signature after its end; @more: sectors for each leg. */
void room_check_signatures(const struct target *last, uint64_t more,
			   struct findings *findings);
void room_free(struct room *r);

/**
 * fsadm_plan - will fsadm know what to do?  Changes nothing
 * @device: path
 * @sectors: size that the device is to have
 * @mounted: set: if not, fsadm_check() has to come before the growth
 *
 * Return: 0, or a negative errno after a message.
 */
int fsadm_plan(const char *device, uint64_t sectors, bool *mounted);

/*
 * Check a file system that is not mounted; let it fill its device.
 *
 * Context: stop_hold().
 * Return: 0, or a negative errno after a message.
 */
int fsadm_check(const char *device);
int fsadm_resize(const char *device);
/* The same as command lines that fail where these do: new strings. */
char *fsadm_check_words(const char *device);
char *fsadm_resize_words(const char *device);

/* What makes a file system or the like larger, to be typed: a new string, or NULL. */
char *fsadm_advice(const char *type, const char *device);

#endif /* NOCLONE_GROWTH_H */
