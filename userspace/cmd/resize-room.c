// SPDX-License-Identifier: GPL-2.0-only
/* noclone resize: what there is to grow into. */
#include "cmd/resize-room.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/util.h"
#include "model/path.h"
#include "system/blockdev.h"
#include "system/file-lookup.h"
#include "system/free-room.h"
#include "system/identity.h"

static int refuse(const char *name, int r)
{
	log_err("%s: %s", name, strerror(-r));
	return r;
}

/* Behind each leg of a linear or striped target. */
static int find_behind_legs(struct growth_room *r, const struct target *last)
{
	uint64_t *free_sectors = xzalloc(last->nr_legs * sizeof(*free_sectors));
	uint64_t least = UINT64_MAX;
	unsigned int i;
	int e = 0;

	for (i = 0; i < last->nr_legs && !e; i++) {
		const struct leg *leg = &last->legs[i];
		_cleanup_facts_ struct device_facts f = { 0 };
		char *next = NULL;

		e = blockdev_lookup(leg->device, &f);
		if (e) {
			refuse(leg->device, e);
			break;
		}
		free_sectors[i] = free_room(&f, leg->start + target_leg_length(last), &next);
		r->room.block = MAX(r->room.block, (uint64_t)f.logical_block);
		if (free_sectors[i] < least) {
			least = free_sectors[i];
			free(r->next);
			r->next = next;
		} else {
			free(next);
		}
	}
	if (!e)
		r->room.free = resize_legs_room(last, free_sectors);
	free(free_sectors);
	return e;
}

static int find_leg(struct growth_room *r, const struct leg_spec *spec)
{
	_cleanup_facts_ struct device_facts f = { 0 };
	int e = blockdev_lookup(spec->device, &f);
	uint64_t rest;

	if (e)
		return refuse(spec->device, e);
	rest = spec->start < f.sectors ? f.sectors - spec->start : 0;
	if (!rest || spec->length > rest) {
		log_err("%s: it ends before the part that is asked for", spec->device);
		return -ENOSPC;
	}
	r->room.block = MAX(r->room.block, (uint64_t)f.logical_block);
	GROW(r->legs, r->nr_legs);
	r->legs[r->nr_legs++] = (struct resize_leg) {
		xstrdup(f.path), spec->start, spec->length ? spec->length : rest,
	};
	return 0;
}

/* In a file, up to its end; or as far as it can grow, which shows when it does. */
static int find_in_file(struct growth_room *r, const struct target *last, bool is_max)
{
	_cleanup_file_facts_ struct file_facts f = { 0 };
	_cleanup_free_ char *name = path_encode(last->path);
	int e = file_lookup(last->path, false, &f);
	uint64_t end = last->file_start + last->length, sectors;

	if (e)
		return refuse(name, e);
	r->file_bytes = f.bytes;
	r->room.block = SECTOR_SIZE;
	if (last->engine == ENGINE_DIRECT || last->engine == ENGINE_EXTENT)
		r->room.block = MAX(r->room.block, (uint64_t)f.align);
	if (last->engine == ENGINE_EXTENT)
		r->room.block = MAX(r->room.block, (uint64_t)sysconf(_SC_PAGESIZE));
	sectors = f.bytes / r->room.block * r->room.block >> SECTOR_SHIFT;
	if (!is_max)
		r->room.free = TABLE_MAX_SECTORS;
	else if (sectors > end)
		r->room.free = sectors - end;
	return 0;
}

int room_find(struct growth_room *r, const struct target *last,
	      const struct leg_spec *specs, unsigned int nr, bool is_max)
{
	unsigned int i;
	int e = last->path ? find_in_file(r, last, is_max) : find_behind_legs(r, last);

	for (i = 0; i < nr && !e; i++)
		e = find_leg(r, &specs[i]);
	r->room.leg = r->legs;
	r->room.nr_legs = r->nr_legs;
	return e;
}

void room_check(const struct target *last, uint64_t more, struct problems *problems)
{
	unsigned int i;

	for (i = 0; i < last->nr_legs && more; i++) {
		const struct leg *leg = &last->legs[i];
		_cleanup_facts_ struct device_facts f = { 0 };
		_cleanup_free_ char *type = NULL, *label = NULL;
		int e = blockdev_lookup(leg->device, &f);

		if (e)
			continue;
		e = identity_probe(&f, leg->start + target_leg_length(last), more, &type,
				   &label);
		if (e)
			problem_add(problems, PROBLEM_ERROR, 0,
				    "%s: the part that is to be added %s: %s", f.path,
				    e > 0 ? "holds a signature" : "cannot be read",
				    e > 0 ? type : strerror(-e));
	}
}

void room_free(struct growth_room *r)
{
	unsigned int i;

	for (i = 0; i < r->nr_legs; i++)
		free((char *)r->legs[i].device);
	free(r->legs);
	free(r->next);
}
