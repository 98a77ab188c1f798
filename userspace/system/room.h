/* SPDX-License-Identifier: GPL-2.0-only */
/* The room that a mapped device can grow into. */
#ifndef NOCLONE_ROOM_H
#define NOCLONE_ROOM_H

#include "model/plan.h"
#include "model/problems.h"
#include "model/resize.h"

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
			   struct problems *problems);
void room_free(struct room *r);

#define _cleanup_room_ __attribute__((cleanup(room_free)))

#endif /* NOCLONE_ROOM_H */
