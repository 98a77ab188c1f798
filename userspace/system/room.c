// SPDX-License-Identifier: GPL-2.0-only
/* The room that a mapped device can grow into. */
#include "system/room.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/read.h"
#include "base/util.h"
#include "model/name.h"
#include "system/blockdev.h"
#include "system/devmap.h"
#include "system/file-lookup.h"
#include "system/identity.h"
#include "system/live.h"
#include "system/parts.h"

static int room_refuse(const char *name, int r)
{
	log_err("%s: %s", name, strerror(-r));
	return r;
}

/* All parts of disks that mapped devices have, or saved ones that are not active. */
static void room_add_live(const char *name, void *data)
{
	_cleanup_table_ struct table t = { 0 };

	live_table(name, &t);
	parts_add_table(data, name, &t);
}

static void room_add_partition(struct parts *parts, dev_t disk, const char *name)
{
	_cleanup_free_ char *start = xasprintf("%s/start", name);
	_cleanup_free_ char *size = xasprintf("%s/size", name);
	_cleanup_free_ char *first = blockdev_attribute(disk, start);
	_cleanup_free_ char *sectors = blockdev_attribute(disk, size);
	struct disk_range range = { .disk = disk };
	uint64_t length;

	if (!first || !sectors || !parse_u64(first, &range.first) ||
	    !parse_u64(sectors, &length))
		return;
	range.end = range.first + length;
	GROW(parts->part, parts->nr);
	parts->part[parts->nr++] = (struct part) { .name = xstrdup(name), .range = range };
}

/* A leg on a partition has that partition for itself. */
static void room_add_partitions(struct parts *parts, const struct device_facts *f)
{
	_cleanup_free_ char *base = blockdev_sysfs(f->devno, "");
	DIR *dir = f->disk == f->devno ? opendir(base) : NULL;
	struct dirent *entry;

	while (dir && (entry = readdir(dir)))
		room_add_partition(parts, f->disk, entry->d_name);
	if (dir)
		closedir(dir);
}

/* Sectors after @end of the device; @next: set to the name of what ends them, or NULL. */
static uint64_t room_behind(const struct device_facts *f, uint64_t end, char **next)
{
	const uint64_t from = f->offset + end;
	uint64_t to = f->offset + f->sectors;
	_cleanup_parts_ struct parts parts = { 0 };
	const char *by = NULL;
	unsigned int i;

	if (from >= to)
		return 0;
	devmap_for_each(room_add_live, &parts);
	parts_add_saved(&parts);
	room_add_partitions(&parts, f);
	for (i = 0; i < parts.nr; i++) {
		const struct part *p = &parts.part[i];

		if (p->range.disk != f->disk || p->range.end <= from ||
		    p->range.first >= to)
			continue;
		to = MAX(p->range.first, from);
		by = p->name;
	}
	*next = by ? xstrdup(by) : NULL;
	return to - from;
}

/* The leg with the least room decides. */
static int room_find_behind_legs(struct room *r, const struct target *last)
{
	uint64_t least = UINT64_MAX;
	unsigned int i;

	for (i = 0; i < last->nr_legs; i++) {
		const struct leg *leg = &last->legs[i];
		_cleanup_facts_ struct device_facts f = { 0 };
		_cleanup_free_ char *next = NULL;
		int e = blockdev_lookup(leg->device, &f);
		uint64_t sectors;

		if (e)
			return room_refuse(leg->device, e);
		sectors = room_behind(&f, leg->start + target_leg_length(last), &next);
		r->resize.block = MAX(r->resize.block, (uint64_t)f.logical_block);
		if (sectors >= least)
			continue;
		least = sectors;
		free(r->next);
		r->next = next;
		next = NULL;
	}
	r->resize.free = resize_legs_room(last, least);
	return 0;
}

static int room_complete_spec(struct room *r, struct leg_spec *spec)
{
	_cleanup_facts_ struct device_facts f = { 0 };
	int e = blockdev_lookup(spec->device, &f);
	uint64_t rest;

	if (e)
		return room_refuse(spec->device, e);
	rest = spec->start < f.sectors ? f.sectors - spec->start : 0;
	if (!rest || spec->length > rest) {
		log_err("%s: it ends before the part that is asked for", spec->device);
		return -ENOSPC;
	}
	r->resize.block = MAX(r->resize.block, (uint64_t)f.logical_block);
	if (!spec->length)
		spec->length = rest;
	free(spec->device);
	spec->device = xstrdup(f.path);
	return 0;
}

/* Without max the file grows as far as its file system lets it. */
static int room_find_in_file(struct room *r, const struct target *last, bool is_max)
{
	_cleanup_file_facts_ struct file_facts f = { 0 };
	_cleanup_free_ char *name = path_encode(last->path);
	uint64_t end = last->file_start + last->length, sectors, block = SECTOR_SIZE;
	int e = file_lookup(last->path, false, &f);

	if (e)
		return room_refuse(name, e);
	if (last->engine == ENGINE_DIRECT || last->engine == ENGINE_EXTENT)
		block = MAX(block, (uint64_t)f.align);
	if (last->engine == ENGINE_EXTENT)
		block = MAX(block, (uint64_t)sysconf(_SC_PAGESIZE));
	sectors = f.bytes / block * block >> SECTOR_SHIFT;
	r->file_bytes = f.bytes;
	r->resize.block = block;
	r->resize.free = !is_max ? TABLE_MAX_SECTORS : sectors > end ? sectors - end : 0;
	return 0;
}

int room_find(struct room *r, const struct target *last, struct leg_spec *specs,
	      unsigned int nr, bool is_max)
{
	unsigned int i;
	int e = last->path ? room_find_in_file(r, last, is_max) :
			     room_find_behind_legs(r, last);

	for (i = 0; i < nr && !e; i++)
		e = room_complete_spec(r, &specs[i]);
	r->resize.leg = specs;
	r->resize.nr_legs = nr;
	return e;
}

void room_check_signatures(const struct target *last, uint64_t more,
			   struct problems *problems)
{
	unsigned int i;

	for (i = 0; i < last->nr_legs && more; i++) {
		const struct leg *leg = &last->legs[i];
		_cleanup_facts_ struct device_facts f = { 0 };
		_cleanup_free_ char *type = NULL, *label = NULL;
		int e = blockdev_lookup(leg->device, &f);

		if (!e)
			e = identity_probe(&f, leg->start + target_leg_length(last), more,
					   &type, &label);
		if (e && f.path)
			problem_add(problems, PROBLEM_ERROR, 0,
				    "%s: the part that is to be added %s: %s", f.path,
				    e > 0 ? "holds a signature" : "cannot be read",
				    e > 0 ? type : strerror(-e));
	}
}

void room_free(struct room *r)
{
	free(r->next);
}
