// SPDX-License-Identifier: GPL-2.0-only
/* Tables as data: build them, answer common questions, and compare mappings. */
#include "model/table.h"

#include <stdlib.h>
#include <string.h>

#include "dm-noclone.h"
#include "model/table-target.h"

static const struct {
	const char *name;
	enum target_kind kind;
	bool stock;
} types[] = {
	{ NOCLONE_LINEAR_NAME,	TARGET_LINEAR,	false },
	{ NOCLONE_STRIPED_NAME,	TARGET_STRIPED,	false },
	{ NOCLONE_FILE_NAME,	TARGET_FILE,	false },
	{ "linear",		TARGET_LINEAR,	true },
	{ "striped",		TARGET_STRIPED,	true },
};

struct target *table_add_target(struct table *t, uint64_t start,
				uint64_t length, const char *type)
{
	struct target *target;
	unsigned int i;

	GROW(t->targets, t->nr);
	target = &t->targets[t->nr++];
	memset(target, 0, sizeof(*target));
	target->line = t->nr;
	target->start = start;
	target->length = length;
	target->type = xstrdup(type);
	target->params = xstrdup("");
	target->understood = true;
	for (i = 0; i < ARRAY_SIZE(types); i++) {
		if (strcmp(type, types[i].name))
			continue;
		target->kind = types[i].kind;
		target->stock = types[i].stock;
	}
	return target;
}

struct target *table_next_leg(const struct table *t, struct target *target, unsigned int *leg)
{
	size_t i = target ? target - t->targets : 0;

	for (*leg = target ? *leg + 1 : 0; i < t->nr; i++, *leg = 0)
		if (*leg < t->targets[i].nr_legs)
			return &t->targets[i];
	return NULL;
}

void table_free(struct table *t)
{
	struct target *target = NULL;
	unsigned int i;

	while ((target = table_next_leg(t, target, &i))) {
		free(target->legs[i].device);
		free(target->legs[i].signature);
		free(target->legs[i].disk);
	}
	for (i = 0; i < t->nr; i++) {
		free(t->targets[i].legs);
		free(t->targets[i].type);
		free(t->targets[i].params);
		free(t->targets[i].secret);
	}
	free(t->targets);
	memset(t, 0, sizeof(*t));
}

uint64_t table_sectors(const struct table *t)
{
	const struct target *last;

	if (!t->nr)
		return 0;
	last = &t->targets[t->nr - 1];
	return last->start + last->length;
}

static bool table_any(const struct table *t, bool (*test)(const struct target *target))
{
	unsigned int i;

	for (i = 0; i < t->nr; i++)
		if (test(&t->targets[i]))
			return true;
	return false;
}

bool table_has_noclone(const struct table *t)
{
	return table_any(t, target_is_noclone);
}

static bool table_is_stock(const struct target *target)
{
	return target->stock;
}

bool table_has_stock(const struct table *t)
{
	return table_any(t, table_is_stock);
}

bool table_can_be_fast(const struct table *t)
{
	return table_has_noclone(t) || table_has_stock(t);
}

static bool table_is_on_file(const struct target *target)
{
	return target->path;
}

bool table_has_file(const struct table *t)
{
	return table_any(t, table_is_on_file);
}

const struct target *table_hidden(const struct table *t)
{
	unsigned int i;

	for (i = 0; i < t->nr; i++)
		if (t->targets[i].secret)
			return &t->targets[i];
	return NULL;
}

void table_rename_devices(struct table *t, device_namer namer)
{
	struct target *target = NULL;
	unsigned int i;

	while ((target = table_next_leg(t, target, &i))) {
		char *old = target->legs[i].device;

		if (target->path)
			continue;
		target->legs[i].device = namer(old);
		free(old);
	}
}

/* The functions below compare the mappings of two tables. */

/*
 * The targets @a and @b of two tables both have the sector @sector. Do both targets map this
 * sector, and each following sector that both targets have, to the same place?
 */
static bool table_compare_targets(const struct target *a, const struct target *b, uint64_t sector)
{
	_cleanup_free_ char *ours = NULL, *theirs = NULL;

	if (!a->path != !b->path || file_id_differs(&a->id, &b->id))
		return false;
	/*
	 * a single leg has all sectors of its target in order, so it is enough to compare the
	 * places of @sector
	 */
	if (a->understood && b->understood && a->nr_legs == 1 && b->nr_legs == 1)
		return sector - a->start + a->legs->start == sector - b->start + b->legs->start &&
		       (file_id_same(&a->id, &b->id) || !strcmp(a->legs->device, b->legs->device));
	ours = target_arguments(a, true, NULL);
	theirs = target_arguments(b, true, NULL);
	return a->start == b->start && !strcmp(ours, theirs) &&
	       !strcmp(target_stock_type(a), target_stock_type(b));
}

/*
 * Compare the mappings of two tables, target by target. If a target of each table maps a sector to
 * the same place, both targets map all sectors to the same places up to the end of the target that
 * ends first.
 */
bool table_same_mapping(const struct table *t, const struct table *other)
{
	unsigned int i = 0, j = 0;
	uint64_t sector = 0;

	while (i < t->nr && j < other->nr) {
		const struct target *a = &t->targets[i], *b = &other->targets[j];
		uint64_t a_end = a->start + a->length, b_end = b->start + b->length;

		if (!table_compare_targets(a, b, sector))
			return false;
		sector = MIN(a_end, b_end);
		i += sector == a_end;
		j += sector == b_end;
	}
	return true;
}
