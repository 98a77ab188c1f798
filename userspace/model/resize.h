/* SPDX-License-Identifier: GPL-2.0-only */
/* The table of a mapped device that is to be larger. */
#ifndef NOCLONE_RESIZE_H
#define NOCLONE_RESIZE_H

#include "model/plan.h"
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

/* Read SIZE, +SIZE or max.  Return: NULL, or a sentence saying what is wrong. */
const char *resize_parse(struct resize_size *size, const char *text);

/**
 * struct resize_room - how the last target of a table can grow
 * @free: sectors that it can grow by at most
 * @block: bytes of the smallest I/O to all that is below, old and new
 * @leg: devices for the growth, each with its length; the last target stays then
 * @nr_legs: how many
 */
struct resize_room {
	uint64_t free;
	uint64_t block;
	const struct leg_spec *leg;
	unsigned int nr_legs;
};

/*
 * Sectors by which a linear or striped target can grow, if the leg with the least room
 * has @least sectors after its end: whole chunks.
 */
uint64_t resize_legs_room(const struct target *t, uint64_t least);
/* Why a table cannot be resized: a new string; NULL if it can. */
char *resize_objection(const struct table *t);

/**
 * resize_table - make the new table
 * @old: the live table; resize_objection() has none
 * @size: the requested size; rounded up to whole stripes or blocks
 * @room: how its last target can grow
 * @new: filled; equal to @old if it has that size already
 *
 * No sector of the old table changes its place.
 *
 * Return: NULL, or what is wrong: a new string.
 */
char *resize_table(const struct table *old, const struct resize_size *size,
		   const struct resize_room *room, struct table *new);

#endif /* NOCLONE_RESIZE_H */
