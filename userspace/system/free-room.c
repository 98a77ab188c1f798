// SPDX-License-Identifier: GPL-2.0-only
/*
 * How much room there is on a disk after a part of it: up to the next part that a
 * mapped device or a partition has.  What is in between may hold data nevertheless; to
 * look for a signature there is left to the caller.
 */
#include "system/free-room.h"

#include <dirent.h>
#include <stdlib.h>

#include "base/read.h"
#include "base/util.h"
#include "model/table.h"
#include "system/blockdev.h"
#include "system/devmap.h"
#include "system/live.h"
#include "system/saved-parts.h"

/* @from and @to are sectors of the whole disk: the room found so far. */
struct search {
	const struct device_facts *device;
	uint64_t from, to;
	char **next;
};

/* Somebody has this part of the disk. */
static void taken(struct search *s, uint64_t first, uint64_t end, const char *by)
{
	uint64_t at = MAX(first, s->from);

	if (end <= s->from || at >= s->to)
		return;
	s->to = at;
	free(*s->next);
	*s->next = xstrdup(by);
}

static void take_leg(struct search *s, const struct target *t, const struct leg *leg,
		     const char *name)
{
	_cleanup_facts_ struct device_facts f = { 0 };
	uint64_t first;

	if (blockdev_lookup(leg->device, &f) || f.disk != s->device->disk)
		return;
	first = f.offset + leg->start;
	taken(s, first, first + target_leg_length(t), name);
}

static void take_mapped(const char *name, void *data)
{
	_cleanup_table_ struct table t = { 0 };
	unsigned int i, j;

	live_table(name, &t);
	for (i = 0; i < t.nr; i++)
		for (j = 0; j < t.targets[i].nr_legs; j++)
			take_leg(data, &t.targets[i], &t.targets[i].legs[j], name);
}

static void take_saved(struct search *s)
{
	_cleanup_parts_ struct parts saved = { 0 };
	unsigned int i;

	saved_parts_collect(&saved);
	for (i = 0; i < saved.nr; i++)
		if (saved.part[i].range.disk == s->device->disk)
			taken(s, saved.part[i].range.first, saved.part[i].range.end,
			      saved.part[i].name);
}

/* Of a whole disk.  A leg on a partition has that partition for itself. */
static void take_partitions(struct search *s)
{
	_cleanup_free_ char *base = blockdev_sysfs(s->device->devno, "");
	DIR *dir = s->device->disk == s->device->devno ? opendir(base) : NULL;
	struct dirent *entry;

	while (dir && (entry = readdir(dir))) {
		_cleanup_free_ char *start = xasprintf("%s/%s/start", base, entry->d_name);
		_cleanup_free_ char *size = xasprintf("%s/%s/size", base, entry->d_name);
		_cleanup_free_ char *first = read_line_of(start), *sectors = read_line_of(size);
		uint64_t at, length;

		if (first && sectors && parse_u64(first, &at) && parse_u64(sectors, &length))
			taken(s, at, at + length, entry->d_name);
	}
	if (dir)
		closedir(dir);
}

uint64_t free_room(const struct device_facts *f, uint64_t end, char **next)
{
	struct search s = {
		.device = f,
		.from = f->offset + end,
		.to = f->offset + f->sectors,
		.next = next,
	};

	*next = NULL;
	if (s.from >= s.to)
		return 0;
	devmap_for_each(take_mapped, &s);
	take_saved(&s);
	take_partitions(&s);
	return s.to - s.from;
}
