// SPDX-License-Identifier: GPL-2.0-only
/*
 * The table of a mapped device that is to be larger or smaller.
 *
 * No sector of the old table changes its place: the last target gets longer, or targets
 * are added after it, or the end is cut off.  So the data stays for everybody who
 * knows the first sectors only.
 */
#include "model/resize.h"

#include <string.h>

#include "base/size.h"
#include "model/problems.h"
#include "model/table-parse.h"
#include "model/table-print.h"

const char *resize_parse(struct resize_size *size, const char *text)
{
	const char *wrong;

	*size = (struct resize_size) { .how = RESIZE_TO };
	if (!strcmp(text, "max")) {
		size->how = RESIZE_MAX;
		return NULL;
	}
	if (*text == '+' || *text == '-')
		size->how = *text++ == '+' ? RESIZE_MORE : RESIZE_LESS;
	wrong = size_parse(text, &size->sectors);
	if (!wrong && !size->sectors)
		wrong = size->how == RESIZE_TO ? "a device cannot have the size 0" :
			"0 changes nothing";
	return wrong;
}

uint64_t resize_legs_room(const struct target *t, const uint64_t *free)
{
	uint64_t least = UINT64_MAX, total;
	unsigned int i;

	for (i = 0; i < t->nr_legs; i++)
		least = MIN(least, free[i]);
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
		return xstrdup("it has no table: \"noclone reload\" gives it one");
	for (i = 0; i < t->nr; i++)
		if (t->targets[i].kind == TARGET_OTHER || !t->targets[i].understood)
			return xasprintf("it has a target of type %s, of which only dmsetup knows how to change the size",
					 t->targets[i].type);
	return NULL;
}

static void copy_target(const struct target *t, struct table *to)
{
	_cleanup_problems_ struct problems ignored = { 0 };
	_cleanup_free_ char *params = target_params(t, false, NULL, NULL);

	table_add(to, t->start, t->length, t->type, params, &ignored);
	to->targets[to->nr - 1].id = t->id;
}

void table_copy(const struct table *from, struct table *to)
{
	unsigned int i;

	for (i = 0; i < from->nr; i++)
		copy_target(&from->targets[i], to);
}

/* Sectors of which the length of a target is a multiple. */
static uint64_t unit_of(const struct target *t, uint64_t block)
{
	if (t->kind == TARGET_STRIPED)
		return (uint64_t)t->chunk * t->nr_legs;
	return MAX(block >> SECTOR_SHIFT, 1U);
}

static char *too_much(uint64_t wanted, uint64_t possible, const char *end)
{
	_cleanup_free_ char *want = size_format(wanted);
	_cleanup_free_ char *can = size_format(possible);

	return xasprintf("it would have to grow by %s, and %s %s", want, can, end);
}

/* The new size before it is rounded. */
static char *wanted_size(const struct resize_size *size, uint64_t old,
			 uint64_t most, uint64_t *sectors)
{
	_cleanup_free_ char *has = size_format(old);

	*sectors = size->sectors;
	switch (size->how) {
	case RESIZE_TO:
		break;
	case RESIZE_MAX:
		*sectors = old + most;
		break;
	case RESIZE_MORE:
		if (__builtin_add_overflow(old, size->sectors, sectors))
			*sectors = UINT64_MAX;
		break;
	case RESIZE_LESS:
		if (size->sectors >= old)
			return xasprintf("nothing would be left: it has %s", has);
		*sectors = old - size->sectors;
	}
	return *sectors > TABLE_MAX_SECTORS ?
	       xstrdup("that is larger than a device can be") : NULL;
}

static uint64_t round_up(uint64_t n, uint64_t unit)
{
	return (n + unit - 1) / unit * unit;
}

/* Rounded up, so that nothing is lost that was to be kept. */
static void cut(const struct table *old, uint64_t sectors, uint64_t block,
		struct table *new)
{
	struct target *last;
	unsigned int i;

	for (i = 0; i < old->nr && old->targets[i].start < sectors; i++)
		copy_target(&old->targets[i], new);
	last = &new->targets[new->nr - 1];
	last->length = MIN(last->length, round_up(sectors - last->start,
						  unit_of(last, block)));
}

/* What a leg gives in whole blocks. */
static uint64_t leg_sectors(const struct resize_room *room, unsigned int i)
{
	uint64_t unit = MAX(room->block >> SECTOR_SHIFT, 1U);

	return room->leg[i].sectors / unit * unit;
}

static uint64_t most_growth(const struct resize_room *room)
{
	uint64_t total = 0;
	unsigned int i;

	for (i = 0; i < room->nr_legs; i++)
		total += leg_sectors(room, i);
	return room->nr_legs ? total : room->free;
}

static void add_legs(struct table *t, uint64_t end, const struct resize_room *room)
{
	const struct target first = t->targets[0];
	unsigned int i;

	for (i = 0; i < room->nr_legs && table_sectors(t) < end; i++) {
		uint64_t at = table_sectors(t);
		uint64_t used = MIN(end - at, leg_sectors(room, i));
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

static const char *room_words(const struct target *last, const struct resize_room *room)
{
	if (room->nr_legs)
		return "is what the given devices have";
	if (last->kind == TARGET_STRIPED)
		return "is what follows its legs in whole stripes and nothing else uses: max takes that";
	return "is what follows its end and nothing else uses: max takes that, or give another device as DEV[:START]";
}

static char *grow(const struct table *old, uint64_t sectors,
		  const struct resize_room *room, struct table *new)
{
	const struct target *last = &old->targets[old->nr - 1];
	uint64_t has = table_sectors(old), most = most_growth(room), end;
	uint64_t unit = room->nr_legs ? MAX(room->block >> SECTOR_SHIFT, 1U) :
					unit_of(last, room->block);

	end = has + round_up(sectors - has, unit);
	if (end - has > most)
		return too_much(end - has, most, room_words(last, room));
	table_copy(old, new);
	if (room->nr_legs)
		add_legs(new, end, room);
	else
		new->targets[new->nr - 1].length += end - has;
	return NULL;
}

char *resize_table(const struct table *old, const struct resize_size *size,
		   const struct resize_room *room, struct table *new)
{
	uint64_t has = table_sectors(old), sectors;
	char *wrong = wanted_size(size, has, most_growth(room), &sectors);

	if (wrong)
		return wrong;
	if (sectors > has)
		return grow(old, sectors, room, new);
	cut(old, sectors, room->block, new);
	return NULL;
}
