/* SPDX-License-Identifier: GPL-2.0-only */
/* Plan the table of a mapped device that grows. */
#ifndef NOCLONE_RESIZE_H
#define NOCLONE_RESIZE_H

#include <stdint.h>

#include "model/plan.h"
#include "model/table-target.h"
#include "model/table.h"

enum resize_how {
	RESIZE_TO,	/* SIZE: the device gets this size */
	RESIZE_MORE,	/* +SIZE: the device grows by this size */
	RESIZE_MAX,	/* max: the device gets all free space */
};

struct resize_size {
	enum resize_how how;
	uint64_t sectors;
};

/* Parse the size that a user gave: SIZE, +SIZE or max. Return: NULL, or what is wrong with it. */
const char *resize_parse(struct resize_size *size, const char *text);

/**
 * struct resize_room - how a table can grow
 * @free: the largest number of sectors that can be added to the last target, if @nr_legs is 0
 * @block: the size in bytes of the smallest I/O that is possible on all devices below, both those
 *	of the old table and those in @leg
 * @leg: the devices on which new targets are made, each with its length; the last target of the old
 *	table then stays unchanged
 * @nr_legs: the number of devices in @leg; if it is 0, the last target becomes longer
 */
struct resize_room {
	uint64_t free;
	uint64_t block;
	const struct leg_spec *leg;
	unsigned int nr_legs;
};

/*
 * Return: the number of sectors by which a linear or striped target can grow; a striped target
 * grows by whole chunks. @least: the number of free sectors behind the leg with the least free
 * space behind it
 */
uint64_t resize_legs_room(const struct target *t, uint64_t least);
/* Return: why a table cannot be resized, a new string, or NULL. */
char *resize_objection(const struct table *t);

/**
 * resize_table - make the table with the new size
 * @old: a live table that resize_objection() accepts
 * @size: the requested size; the growth is rounded up to whole stripes or blocks
 * @room: how the table can grow
 * @new: filled with the new table, which is equal to @old if @old already has the requested size
 *
 * No sector of the old table changes its place.
 *
 * Return: NULL, or why the device cannot get the requested size, a new string.
 */
char *resize_table(const struct table *old, const struct resize_size *size,
		   const struct resize_room *room, struct table *new);

#endif /* NOCLONE_RESIZE_H */
