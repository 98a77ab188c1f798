// SPDX-License-Identifier: GPL-2.0-only
/* Parts of disks and parts of files, with the devices that own them. */
#include "system/parts.h"

#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "model/facts.h"
#include "model/table-target.h"
#include "model/table.h"
#include "system/blockdev.h"
#include "system/devmap.h"
#include "system/file-lookup.h"

/*
 * Make the part for the backing file of a target. A target of a live table has the inode of its
 * file, and this inode counts even if the path leads to another file now. If the file is missing,
 * the part gets the path without symbolic links. If the folder of the file was moved, and a
 * symbolic link stands in its old place, the old path and the new path then give the same part.
 */
struct part part_of_file(const struct target *t)
{
	struct part part = {
		.range = { 0, t->legs->start, t->legs->start + t->length },
		.file = t->id,
	};
	_cleanup_file_facts_ struct file_facts f = { 0 };

	if (part.file.known)
		return part;
	if (!file_lookup(t->path, false, &f)) {
		part.file = f.id;
		return part;
	}
	part.missing = f.silence ? NULL : file_real_path(t->path);
	if (!part.missing)
		part.missing = xstrdup(t->path);
	return part;
}

void parts_add_table(struct parts *parts, const char *name, const struct table *t)
{
	struct target *target = NULL;
	unsigned int i;

	while ((target = table_next_leg(t, target, &i))) {
		struct part part = { 0 };

		if (target->path)
			part = part_of_file(target);
		else if (blockdev_range(target->legs[i].device, target->legs[i].start,
					target_leg_length(target), &part.range))
			continue;
		part.name = xstrdup(name);
		GROW(parts->part, parts->nr);
		parts->part[parts->nr++] = part;
	}
}

bool part_same_place(const struct part *a, const struct part *b)
{
	if (a->missing || b->missing)
		return a->missing && b->missing && !strcmp(a->missing, b->missing);
	return a->file.known ? file_id_same(&a->file, &b->file) :
			       !b->file.known && a->range.disk == b->range.disk;
}

uint64_t parts_first_other(const struct parts *parts, const struct part *wanted)
{
	uint64_t at = wanted->range.first;
	unsigned int i = 0;

	/* begin again after each part that advances @at, because the parts are not sorted */
	while (at < wanted->range.end && i < parts->nr) {
		const struct part *p = &parts->part[i++];

		if (!part_same_place(p, wanted) || at < p->range.first || at >= p->range.end ||
		    !part_counts(p))
			continue;
		at = p->range.end;
		i = 0;
	}
	return at;
}

bool parts_have_all(const struct parts *parts, const struct part *wanted)
{
	return parts_first_other(parts, wanted) >= wanted->range.end;
}

bool parts_have_sector(const struct parts *parts, const struct device_facts *f, uint64_t sector)
{
	const struct part part = { .range = facts_range(f, sector, 1) };

	return sector < f->sectors && parts_have_all(parts, &part);
}

bool part_counts(const struct part *part)
{
	_cleanup_free_ char *active = part->saved ? devmap_name_of_uuid(part->saved) : NULL;

	return !active;
}

void parts_free(struct parts *parts)
{
	unsigned int i;

	for (i = 0; i < parts->nr; i++) {
		free(parts->part[i].name);
		free(parts->part[i].saved);
		free(parts->part[i].missing);
	}
	free(parts->part);
}
