/* SPDX-License-Identifier: GPL-2.0-only */
/* Plan the table of a mapped device that grows. */
#ifndef NOCLONE_RESIZE_H
#define NOCLONE_RESIZE_H

#include <stdint.h>

#include "model/plan.h"
#include "model/table-target.h"
#include "model/table.h"

enum resize_how {
	RESIZE_TO,	/* SIZE */
	RESIZE_MORE,	/* +SIZE */
	RESIZE_MAX,	/* max */
};

struct resize_size {
	enum resize_how how;
	uint64_t sectors;
};

/* Parse the size that a user gave: SIZE, +SIZE or max. Return: NULL, or what is wrong with it. */
const char *resize_parse(struct resize_size *size, const char *text);

/**
 * struct resize_room - how the last target of a table can grow
 * @free: the largest number of sectors that can be added to the target
 * @block: the bytes of the smallest I/O to all old and new devices below
 * @leg: devices for the growth, each with its length; if there are any, the last target stays
 *	unchanged
 * @nr_legs: the number of these devices
 */
struct resize_room {
	uint64_t free;
	uint64_t block;
	const struct leg_spec *leg;
	unsigned int nr_legs;
};

/*
 * Return: the number of sectors by which a linear or striped target can grow, in whole chunks.
 * @least sectors are free behind the leg with the least room.
 */
uint64_t resize_legs_room(const struct target *t, uint64_t least);
/* Return: why a table cannot be resized, a new string, or NULL. */
char *resize_objection(const struct table *t);

/**
 * resize_table - make the new table
 * @old: a live table that resize_objection() accepts
 * @size: the requested size, which is rounded up to whole stripes or blocks
 * @room: how the last target can grow
 * @new: filled with the new table; equal to @old if @old already has the size
 *
 * No sector of the old table changes its place.
 *
 * Return: NULL, or what is wrong, a new string.
 */
char *resize_table(const struct table *old, const struct resize_size *size,
		   const struct resize_room *room, struct table *new);

#endif /* NOCLONE_RESIZE_H */
