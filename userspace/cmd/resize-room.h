/* SPDX-License-Identifier: GPL-2.0-only */
/* noclone resize: what there is to grow into. */
#ifndef NOCLONE_RESIZE_ROOM_H
#define NOCLONE_RESIZE_ROOM_H

#include "model/file-id.h"
#include "model/plan.h"
#include "model/problems.h"
#include "model/resize.h"

/**
 * struct growth_room - what there is to grow into
 * @room: as resize_table() needs it
 * @legs: its additional legs
 * @nr_legs: how many
 * @file_bytes: size of the file now, if the last target is on one
 * @next: what ends the room after a leg, or NULL
 */
struct growth_room {
	struct resize_room room;
	struct resize_leg *legs;
	unsigned int nr_legs;
	uint64_t file_bytes;
	char *next;
};

/**
 * room_find - look for it; changes nothing
 * @r: filled in
 * @last: the last target of the live table
 * @specs: additional legs
 * @nr: how many
 * @is_max: only what is there counts: a file does not grow
 *
 * Return: 0, or a negative errno after a message.
 */
int room_find(struct growth_room *r, const struct target *last,
	      const struct leg_spec *specs, unsigned int nr, bool is_max);
/* Has what follows the legs of a target a signature?  @more: sectors for each leg. */
void room_check(const struct target *last, uint64_t more, struct problems *problems);
void room_free(struct growth_room *r);

#define _cleanup_room_ __attribute__((cleanup(room_free)))

#endif /* NOCLONE_RESIZE_ROOM_H */
