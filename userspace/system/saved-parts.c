// SPDX-License-Identifier: GPL-2.0-only
/*
 * A saved device that is not active holds nothing, and a leg that is not its first one may
 * have no signature either: that its data are there is known by its file only.
 */
#include "system/saved-parts.h"

#include <stdlib.h>

#include "dm-noclone.h"
#include "base/util.h"
#include "model/facts.h"
#include "model/problems.h"
#include "model/saved.h"
#include "system/blockdev.h"
#include "system/devmap.h"
#include "system/file-lookup.h"
#include "system/saved-file.h"

static struct saved_part *add(struct saved_parts *parts, const char *name)
{
	GROW(parts->part, parts->nr);
	parts->part[parts->nr] = (struct saved_part) { .name = xstrdup(name) };
	return &parts->part[parts->nr++];
}

static void add_leg(struct saved_parts *parts, const char *name, const struct target *t,
		    const struct leg *leg)
{
	_cleanup_facts_ struct device_facts f = { 0 };
	const struct use_query q = {
		.facts = &f, .first = leg->start, .sectors = target_leg_length(t),
	};

	if (!blockdev_lookup(leg->device, &f))
		add(parts, name)->range = device_uses_range(&q);
}

static void add_file(struct saved_parts *parts, const char *name, const struct target *t)
{
	_cleanup_file_facts_ struct file_facts f = { 0 };
	struct saved_part *part;

	if (file_lookup(t->path, false, &f))
		return;
	part = add(parts, name);
	part->range = (struct disk_range) { 0, t->file_start, t->file_start + t->length };
	part->file = file_facts_id(&f);
}

/* Under whatever name: then its holders and its table say what it uses. */
static bool is_active(const char *name, const struct saved *s)
{
	_cleanup_devmap_device_ struct devmap_device dev = { 0 };
	_cleanup_free_ char *uuid = NULL;

	if (!s->uuid)
		return !devmap_info(name, &dev) && saved_is_device(s, dev.uuid);
	uuid = xasprintf("%s%s", NOCLONE_UUID_PREFIX, s->uuid);
	return devmap_has_uuid(s->uuid) || devmap_has_uuid(uuid);
}

static void collect(const char *name, void *data)
{
	_cleanup_problems_ struct problems ignored = { 0 };
	_cleanup_free_ char *text = saved_file_text(name);
	_cleanup_saved_ struct saved s = { 0 };
	unsigned int i, j;

	if (text)
		saved_parse(&s, text, &ignored);
	if (!text || is_active(name, &s))
		return;
	for (i = 0; i < s.table.nr; i++) {
		const struct target *t = &s.table.targets[i];

		if (t->path)
			add_file(data, name, t);
		for (j = 0; j < t->nr_legs; j++)
			add_leg(data, name, t, &t->legs[j]);
	}
}

void saved_parts_collect(struct saved_parts *parts)
{
	saved_file_for_each(collect, parts);
}

const struct saved_part *saved_parts_find(const struct saved_parts *parts,
					  const struct disk_range *range,
					  const struct file_id *file)
{
	unsigned int i;

	for (i = 0; i < parts->nr; i++) {
		const struct saved_part *part = &parts->part[i];

		if (file ? !file_id_same(&part->file, file) :
		    part->file.known || part->range.disk != range->disk)
			continue;
		if (part->range.first < range->end && range->first < part->range.end)
			return part;
	}
	return NULL;
}

void saved_parts_free(struct saved_parts *parts)
{
	unsigned int i;

	for (i = 0; i < parts->nr; i++)
		free(parts->part[i].name);
	free(parts->part);
}
