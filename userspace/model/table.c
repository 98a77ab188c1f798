// SPDX-License-Identifier: GPL-2.0-only
/* Tables as data: building them, common queries, and do two map the same sectors? */
#include "model/table.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "model/name.h"

/* The engines of noclone-file. */
#define ENGINE_INFO(enumerator, word, meaning)	{ word, meaning },

const struct engine engines[NR_ENGINES] = {
	NOCLONE_ENGINES(ENGINE_INFO)
};

bool engine_find(const char *name, enum file_engine *engine)
{
	unsigned int i;

	for (i = 0; i < NR_ENGINES; i++) {
		if (strcasecmp(engines[i].name, name))
			continue;
		*engine = i;
		return true;
	}
	return false;
}

bool engine_is_debug(enum file_engine engine)
{
	return engine == ENGINE_SYNC || engine == ENGINE_NOIO;
}

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

void target_add_leg(struct target *target, const char *device, uint64_t start)
{
	GROW(target->legs, target->nr_legs);
	target->legs[target->nr_legs++] = (struct leg) {
		.device = xstrdup(device), .start = start,
	};
	if (target->kind == TARGET_FILE)
		target->path = target->legs->device;
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

uint64_t target_leg_length(const struct target *target)
{
	return target->nr_legs ? target->length / target->nr_legs : 0;
}

uint64_t table_sectors(const struct table *t)
{
	const struct target *last;

	if (!t->nr)
		return 0;
	last = &t->targets[t->nr - 1];
	return last->start + last->length;
}

bool target_is_zero(const struct target *target)
{
	return !strcmp(target_stock_type(target), "zero");
}

bool target_is_noclone(const struct target *target)
{
	return target->kind == TARGET_OTHER ? !strcmp(target->type, NOCLONE_ZERO_NAME) :
					      !target->stock;
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

const char *target_stock_type(const struct target *target)
{
	bool same = !target_is_noclone(target) || target->kind == TARGET_FILE;

	return target->type + (same ? 0 : strlen("noclone-"));
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

/* Comparing */

/* Do both have that sector, and what follows as long as both last, at the same place? */
static bool table_compare_targets(const struct target *a, const struct target *b, uint64_t sector)
{
	_cleanup_free_ char *ours = NULL, *theirs = NULL;

	if (!a->path != !b->path || file_id_differs(&a->id, &b->id))
		return false;
	/* with one leg they are there in their order */
	if (a->understood && b->understood && a->nr_legs == 1 && b->nr_legs == 1)
		return sector - a->start + a->legs->start == sector - b->start + b->legs->start &&
		       (file_id_same(&a->id, &b->id) || !strcmp(a->legs->device, b->legs->device));
	ours = target_arguments(a, true, NULL);
	theirs = target_arguments(b, true, NULL);
	return a->start == b->start && !strcmp(ours, theirs) &&
	       !strcmp(target_stock_type(a), target_stock_type(b));
}

/* Two tables agree up to the next end of a target if they agree on the sector before. */
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

/*
 * The path of a backing file may have been renamed over or recreated since the
 * device was created, and then the same table maps other data.  So files are
 * compared by inode wherever both are known.
 */
char *move_other_file(const struct table *old, const struct table *new)
{
	unsigned int i, j;

	for (i = 0; i < new->nr; i++)
		for (j = 0; j < old->nr; j++) {
			const struct target *a = &old->targets[j], *b = &new->targets[i];
			_cleanup_free_ char *name = b->path ? path_encode(b->path) : NULL;

			if (a->path && b->path && !strcmp(a->path, b->path) &&
			    file_id_differs(&a->id, &b->id))
				return xasprintf("%s %s", name, b->id.inode ?
						 "is another file now" : "will be a new file");
		}
	return NULL;
}

char *move_describe(const struct table *old, const struct table *new)
{
	_cleanup_free_ char *file = move_other_file(old, new);
	_cleanup_free_ char *from = size_format(table_sectors(old));
	_cleanup_free_ char *to = size_format(table_sectors(new));
	bool shrinks = table_sectors(new) < table_sectors(old);
	const char *other = file;
	struct strbuf b = { 0 };

	if (!other && !table_same_mapping(old, new))
		other = "its sectors move to another place";
	if (shrinks)
		strbuf_add(&b, "shrinks from %s to %s", from, to);
	if (other)
		strbuf_add(&b, "%s%s", shrinks ? ", and " : "", other);
	return b.text;
}
