// SPDX-License-Identifier: GPL-2.0-only
/* Parts of disks and files, and who has them. */
#include "system/parts.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/util.h"
#include "model/facts.h"
#include "system/blockdev.h"
#include "system/devmap.h"
#include "system/file-lookup.h"
#include "system/saved-file.h"

/* @part has no name yet. */
static void parts_add(struct parts *parts, const char *name, struct part part)
{
	part.name = xstrdup(name);
	GROW(parts->part, parts->nr);
	parts->part[parts->nr++] = part;
}

static void parts_add_leg(struct parts *parts, const char *name, const struct target *t,
			  const struct leg *leg)
{
	_cleanup_facts_ struct device_facts f = { 0 };
	const struct use_query q = {
		.facts = &f, .first = leg->start, .sectors = target_leg_length(t),
	};

	if (!blockdev_lookup(leg->device, &f))
		parts_add(parts, name, (struct part) { .range = device_uses_range(&q) });
}

char *parts_missing_path(const char *path)
{
	char *real = file_real_path(path);

	return real ? real : xstrdup(path);
}

/* A target that runs has the inode that it was made with, whatever its path names by now. */
static void parts_add_file(struct parts *parts, const char *name, const struct target *t)
{
	struct part part = {
		.range = { 0, t->file_start, t->file_start + t->length },
		.file = t->id,
	};
	_cleanup_file_facts_ struct file_facts f = { 0 };

	if (!part.file.known && file_lookup(t->path, false, &f))
		part.missing = parts_missing_path(t->path);
	else if (!part.file.known)
		part.file = file_facts_id(&f);
	parts_add(parts, name, part);
}

void parts_add_table(struct parts *parts, const char *name, const struct table *t)
{
	unsigned int i, j;

	for (i = 0; i < t->nr; i++) {
		if (t->targets[i].path)
			parts_add_file(parts, name, &t->targets[i]);
		for (j = 0; j < t->targets[i].nr_legs; j++)
			parts_add_leg(parts, name, &t->targets[i], &t->targets[i].legs[j]);
	}
}

static bool parts_same_place(const struct part *a, const struct part *b)
{
	if (a->missing || b->missing)
		return a->missing && b->missing && !strcmp(a->missing, b->missing);
	return a->file.known ? file_id_same(&a->file, &b->file) :
			       !b->file.known && a->range.disk == b->range.disk;
}

bool part_meets(const struct part *a, const struct part *b)
{
	return parts_same_place(a, b) && a->range.first < b->range.end &&
	       b->range.first < a->range.end;
}

uint64_t parts_end_common(const struct parts *parts, const struct part *a,
			  const struct part *b)
{
	uint64_t at = MAX(a->range.first, b->range.first);
	uint64_t end = MIN(a->range.end, b->range.end);
	unsigned int i = 0;

	/* who has the first sector of the rest takes away what he has, in any order */
	while (at < end && i < parts->nr) {
		const struct part *p = &parts->part[i++];

		if (!parts_same_place(p, a) || at < p->range.first || at >= p->range.end)
			continue;
		at = p->range.end;
		i = 0;
	}
	return at;
}

bool parts_have_common(const struct parts *parts, const struct part *a,
		       const struct part *b)
{
	return parts_end_common(parts, a, b) >= MIN(a->range.end, b->range.end);
}

/*
 * A saved device that is not active holds nothing, and a leg that is not its first one may
 * have no signature either: that its data are there is known by its file only.
 */
static void parts_add_saved_one(const char *name, void *data)
{
	_cleanup_free_ char *active = NULL, *path = saved_path(name);
	_cleanup_saved_ struct saved s = { 0 };
	_cleanup_free_ char *why = saved_file_peek(name, &s);

	if (why)
		log_warn("%s is damaged, and its device may have more than is known: noclone check %s",
			 path, path);
	/* one that is active holds its legs, under any name */
	active = s.uuid ? devmap_name_of_uuid(s.uuid) : NULL;
	if (!active)
		parts_add_table(data, name, &s.table);
}

void parts_add_saved(struct parts *parts)
{
	saved_file_for_each(parts_add_saved_one, parts);
}

void parts_free(struct parts *parts)
{
	unsigned int i;

	for (i = 0; i < parts->nr; i++) {
		free(parts->part[i].name);
		free(parts->part[i].missing);
	}
	free(parts->part);
}
