// SPDX-License-Identifier: GPL-2.0-only
/*
 * Make the table of a mapped device that grows.
 *
 * No sector of the old table changes its place: the last target becomes longer, or targets are
 * added behind it. So the data in the old sectors stays the same.
 */
#include "model/resize.h"

#include <string.h>

#include "dm-noclone.h"
#include "base/util.h"
#include "model/table-target.h"
#include "model/table-text.h"
#include "model/table.h"

const char *resize_parse(struct resize_size *size, const char *text)
{
	*size = (struct resize_size) { .how = RESIZE_TO };
	if (!strcmp(text, "max")) {
		size->how = RESIZE_MAX;
		return NULL;
	}
	if (*text == '+') {
		size->how = RESIZE_MORE;
		text++;
	}
	return size_parse(text, &size->sectors) ? : size->sectors ? NULL :
	       size->how == RESIZE_TO ? "a device cannot have the size 0" : "0 changes nothing";
}

uint64_t resize_legs_room(const struct target *t, uint64_t least)
{
	uint64_t total;

	if (t->kind != TARGET_STRIPED)
		return least;
	if (__builtin_mul_overflow(least / t->chunk * t->chunk,
				   (uint64_t)t->nr_legs, &total))
		return UINT64_MAX;
	return total;
}

char *resize_objection(const struct table *t)
{
	unsigned int i;

	if (!t->nr)
		return xstrdup("it has no table: \"noclone reload\" gives the device a table");
	for (i = 0; i < t->nr; i++)
		if (t->targets[i].kind == TARGET_OTHER || !t->targets[i].understood)
			return xasprintf("it has a target of type %s, whose size only dmsetup can change",
					 t->targets[i].type);
	return NULL;
}

/*
 * Return: the unit of growth in sectors. @t: the target that becomes longer, or NULL if new targets
 * are added; @block: the unit of a linear or noclone-file target, or of new targets, in bytes
 */
static uint64_t resize_unit(const struct target *t, uint64_t block)
{
	if (t && t->kind == TARGET_STRIPED)
		return (uint64_t)t->chunk * t->nr_legs;
	return MAX(block >> SECTOR_SHIFT, 1U);
}

static uint64_t resize_round_up(uint64_t n, uint64_t unit)
{
	return (n + unit - 1) / unit * unit;
}

/* Return: the number of sectors that a new target on this leg can have, in whole blocks. */
static uint64_t resize_leg_sectors(const struct resize_room *room, unsigned int i)
{
	uint64_t unit = MAX(room->block >> SECTOR_SHIFT, 1U);

	return room->leg[i].length / unit * unit;
}

static uint64_t resize_most(const struct resize_room *room)
{
	uint64_t total = 0;
	unsigned int i;

	for (i = 0; i < room->nr_legs; i++)
		total += resize_leg_sectors(room, i);
	return room->nr_legs ? total : room->free;
}

/*
 * Return: the requested size in sectors, before it is rounded; UINT64_MAX if +SIZE is too large.
 * @old: the present size; @most: the largest number of sectors that can be added
 */
static uint64_t resize_wanted(const struct resize_size *size, uint64_t old, uint64_t most)
{
	uint64_t sectors;

	if (size->how != RESIZE_MORE)
		return size->how == RESIZE_TO ? size->sectors : old + most;
	return __builtin_add_overflow(old, size->sectors, &sectors) ? UINT64_MAX : sectors;
}

static char *resize_refuse_less(uint64_t has, uint64_t sectors)
{
	_cleanup_free_ char *old = size_format(has), *less = size_format(sectors);

	return xasprintf("it has %s, and \"noclone resize\" only makes a device larger: \"noclone reload\" with a smaller table asks first, and then cuts the device to %s; a backing file keeps its size",
			 old, less);
}

static char *resize_refuse_more(const struct resize_room *room, uint64_t more, bool rounded)
{
	_cleanup_free_ char *want = size_format(more);
	const uint64_t most = resize_most(room);
	_cleanup_free_ char *can = size_format(most);

	if (!most && !room->nr_legs)
		return xasprintf("it would have to grow by %s, but no free sectors follow its last sector: a linear device can also grow on another device, which you give as DEV[:START]",
				 want);
	return xasprintf("it would have to grow by %s%s, but there is only %s %s", want,
			 rounded ? ", rounded up to whole stripes or blocks" : "", can, room->nr_legs ? "on the given devices" :
			 "of free space after its last sector: \"max\" in place of the size takes all this space; a linear device can also grow on another device, which you give as DEV[:START]");
}

static void resize_add_legs(struct table *t, uint64_t end, const struct resize_room *room)
{
	const struct target first = t->targets[0];
	unsigned int i;

	for (i = 0; i < room->nr_legs && table_sectors(t) < end; i++) {
		uint64_t at = table_sectors(t);
		uint64_t used = MIN(end - at, resize_leg_sectors(room, i));
		struct target *target;

		if (!used)
			continue;
		target = table_add_target(t, at, used, first.stock ? "linear" :
							NOCLONE_LINEAR_NAME);
		target->understood = true;
		target->no_fastpath = first.no_fastpath;
		target_add_leg(target, room->leg[i].device, room->leg[i].start);
	}
}

char *resize_table(const struct table *old, const struct resize_size *size,
		   const struct resize_room *room, struct table *new)
{
	const struct target *last = &old->targets[old->nr - 1];
	uint64_t has = table_sectors(old), most = resize_most(room), more;
	uint64_t sectors = resize_wanted(size, has, most);

	if (sectors < has)
		return resize_refuse_less(has, sectors);
	if (sectors > TABLE_MAX_SECTORS)
		return xstrdup("the new size is larger than a device can be");
	more = resize_round_up(sectors - has, resize_unit(room->nr_legs ? NULL : last,
							  room->block));
	if (more > most)
		return resize_refuse_more(room, more, more > sectors - has);
	table_copy(old, new);
	if (room->nr_legs)
		resize_add_legs(new, has + more, room);
	else
		new->targets[new->nr - 1].length += more;
	return NULL;
}
