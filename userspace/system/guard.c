// SPDX-License-Identifier: GPL-2.0-only
/*
 * A table may use a device if nothing else uses the same sectors: no mount, no
 * swap, no holder, no exclusive opener, no signature.
 *
 * Several mapped devices may share a disk, each with its own sectors, as LVM
 * does.  So a holder whose table can be read and that maps other sectors is
 * harmless, and so is the failing exclusive open that it causes.
 */
#include "system/guard.h"

#include "base/util.h"
#include "model/facts.h"
#include "model/path.h"
#include "model/uses.h"
#include "system/blockdev.h"
#include "system/device-uses.h"
#include "system/file-lookup.h"
#include "system/file-uses.h"
#include "system/live.h"
#include "system/saved-parts.h"

/* Does the live table map the first sector already?  Then a signature there is expected. */
static bool leg_was_ours(const struct use_query *q)
{
	struct disk_range range = device_uses_range(q);
	_cleanup_free_ char *name = q->self ? blockdev_mapped_name(q->self) : NULL;

	range.end = range.first + 1;
	return name && device_uses_maps_now(name, &range);
}

static bool maps(const struct target *t, const void *data)
{
	const struct saved_part *part = data;

	return t->path && file_id_same(&t->id, &part->file);
}

/* What the running device has is nobody else's any more: the saved one is its past. */
static bool is_ours(const struct saved_part *part, const struct disk_range *range, dev_t self)
{
	_cleanup_free_ char *name = self ? blockdev_mapped_name(self) : NULL;
	struct disk_range first = *range, last = *range;
	_cleanup_live_ struct live live = { 0 };

	first.first = MAX(range->first, part->range.first);
	first.end = first.first + 1;
	last.end = MIN(range->end, part->range.end);
	last.first = last.end - 1;
	if (!name)
		return false;
	if (part->file.known)
		return !live_get(name, &live) && table_any(&live.table, maps, part);
	return device_uses_maps_now(name, &first) && device_uses_maps_now(name, &last);
}

static void report_saved(const struct target *t, const char *what,
			 const struct saved_part *part, const struct disk_range *range,
			 dev_t self, struct problems *problems)
{
	if (part && !is_ours(part, range, self))
		problem_add(problems, PROBLEM_ERROR, t->line,
			    "%s: %s, a saved device that is not active, has data there: noclone remove --forget %s gives them up",
			    what, part->name, part->name);
}

static void guard_leg(const struct target *t, const struct leg *leg,
		      const struct guard *g, const struct saved_parts *saved,
		      struct problems *problems)
{
	_cleanup_facts_ struct device_facts f = { 0 };
	_cleanup_uses_ struct uses uses = { 0 };
	struct use_query query = {
		.facts = &f,
		.first = leg->start,
		.sectors = target_leg_length(t),
		.self = g->self,
		.exclusive = g->exclusive,
	};
	struct disk_range range;
	unsigned int i;
	bool known;

	if (blockdev_lookup(leg->device, &f))
		return;
	range = device_uses_range(&query);
	report_saved(t, leg->device, saved_parts_find(saved, &range, NULL), &range, g->self,
		     problems);
	known = g->any_signature || g->loaded || leg_was_ours(&query);
	if (g->loaded)
		device_uses_collect_live(&uses, &query);
	else
		device_uses_collect(&uses, &query);
	for (i = 0; i < uses.nr; i++) {
		_cleanup_free_ char *text = use_describe(&uses.use[i]);

		if (uses.use[i].harmless ||
		    (known && uses.use[i].kind == USE_SIGNATURE))
			continue;
		problem_add(problems, PROBLEM_ERROR, t->line, "%s: %s",
			    leg->device, text);
	}
}

/* Who uses the file, and how to change that. */
static char *file_use_problem(const struct use *use)
{
	if (use->kind == USE_SWAP)
		return xasprintf("File is in use as swap space: swapoff %s first",
				 use->by);
	if (str_starts(use->by, "/dev/loop"))
		return xasprintf("File is in use by a loop device: losetup --detach %s first",
				 use->by);
	return xasprintf("File is in use by another noclone-file device: %s",
			 use->by);
}

static void guard_file(const struct target *t, dev_t self,
		       const struct saved_parts *saved, struct problems *problems)
{
	const struct disk_range range = { 0, t->file_start, t->file_start + t->length };
	_cleanup_file_facts_ struct file_facts f = { 0 };
	_cleanup_free_ char *name = path_encode(t->path);
	_cleanup_uses_ struct uses uses = { 0 };
	struct file_id id;
	unsigned int i;

	if (file_lookup(t->path, false, &f))
		return;
	id = file_facts_id(&f);
	report_saved(t, name, saved_parts_find(saved, &range, &id), &range, self, problems);
	file_uses_collect(&uses, &f, self);
	for (i = 0; i < uses.nr; i++) {
		_cleanup_free_ char *text = file_use_problem(&uses.use[i]);

		problem_add(problems, PROBLEM_ERROR, t->line, "%s: %s", name,
			    text);
	}
}

void guard_table(const struct table *t, const struct guard *g,
		 struct problems *problems)
{
	_cleanup_saved_parts_ struct saved_parts saved = { 0 };
	unsigned int i, j;

	if (g->saved)
		saved_parts_collect(&saved);
	for (i = 0; i < t->nr; i++) {
		if (t->targets[i].path)
			guard_file(&t->targets[i], g->self, &saved, problems);
		for (j = 0; j < t->targets[i].nr_legs; j++)
			guard_leg(&t->targets[i], &t->targets[i].legs[j], g, &saved,
				  problems);
	}
}
