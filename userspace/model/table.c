// SPDX-License-Identifier: GPL-2.0-only
/* Tables as data: building them, and common queries. */
#include "model/table.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* The engines of noclone-file. */
#define ENGINE_INFO(enumerator, word, meaning)	{ word, meaning },

static const struct {
	const char *name, *meaning;
} engines[NR_ENGINES] = {
	NOCLONE_ENGINES(ENGINE_INFO)
};

const char *engine_name(enum file_engine engine)
{
	return engines[engine].name;
}

const char *engine_meaning(enum file_engine engine)
{
	return engines[engine].meaning;
}

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
	target->legs[target->nr_legs].device = xstrdup(device);
	target->legs[target->nr_legs++].start = start;
}

void table_free(struct table *t)
{
	unsigned int i, j;

	for (i = 0; i < t->nr; i++) {
		struct target *target = &t->targets[i];

		for (j = 0; j < target->nr_legs; j++)
			free(target->legs[j].device);
		free(target->legs);
		free(target->path);
		free(target->type);
		free(target->params);
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

bool table_any(const struct table *t, target_test test, const void *data)
{
	unsigned int i;

	for (i = 0; i < t->nr; i++)
		if (test(&t->targets[i], data))
			return true;
	return false;
}

static bool table_is_noclone(const struct target *target, const void *data __unused)
{
	return target_is_noclone(target);
}

bool table_has_noclone(const struct table *t)
{
	return table_any(t, table_is_noclone, NULL);
}

static bool table_is_known(const struct target *target, const void *data __unused)
{
	return target->kind != TARGET_OTHER || target_is_noclone(target);
}

bool table_can_be_fast(const struct table *t)
{
	return table_any(t, table_is_known, NULL);
}

static bool table_is_on_file(const struct target *target, const void *data __unused)
{
	return target->path;
}

bool table_has_file(const struct table *t)
{
	return table_any(t, table_is_on_file, NULL);
}

const char *target_stock_type(const struct target *target)
{
	bool same = !target_is_noclone(target) || target->kind == TARGET_FILE;

	return target->type + (same ? 0 : strlen("noclone-"));
}

void table_rename_devices(struct table *t, device_namer namer)
{
	unsigned int i, j;

	for (i = 0; i < t->nr; i++)
		for (j = 0; j < t->targets[i].nr_legs; j++) {
			struct leg *leg = &t->targets[i].legs[j];
			char *name = namer(leg->device, NULL);

			free(leg->device);
			leg->device = name;
		}
}
