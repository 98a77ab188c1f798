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

#include <string.h>

#include "base/util.h"
#include "model/engine.h"
#include "model/facts.h"
#include "model/path.h"
#include "model/uses.h"
#include "system/blockdev.h"
#include "system/device-uses.h"
#include "system/file-lookup.h"
#include "system/file-uses.h"
#include "system/live.h"
#include "system/saved-parts.h"

/**
 * struct look - while a table is looked at
 * @g: what to look at
 * @own: what the live table of the device has already
 * @saved: what saved devices have that are not active
 * @problems: what was found
 */
struct look {
	const struct guard *g;
	struct parts own, saved;
	struct problems *problems;
};

/* What the running device has is nobody else's any more: the saved one is its past. */
static void report_saved(const struct look *l, const struct target *t, const char *what,
			 const struct part *wanted)
{
	const char *said = "";
	unsigned int i;

	for (i = 0; i < l->saved.nr; i++) {
		const struct part *part = &l->saved.part[i];

		if (!part_meets(part, wanted) || !strcmp(part->name, said) ||
		    parts_have_common(&l->own, part, wanted))
			continue;
		said = part->name;
		problem_add(l->problems, PROBLEM_ERROR, t->line,
			    "%s: %s, a saved device that is not active, %s: noclone remove --forget %s gives %s up",
			    what, said, part->missing ? "has this path" : "has data there",
			    said, part->missing ? "it" : "them");
	}
}

/* Does the live table map the first sector already?  Then a signature there is expected. */
static bool leg_was_ours(const struct look *l, const struct part *wanted)
{
	struct part first = *wanted;

	first.range.end = first.range.first + 1;
	return parts_have_common(&l->own, &first, &first);
}

static void guard_leg(const struct look *l, const struct target *t, const struct leg *leg)
{
	_cleanup_facts_ struct device_facts f = { 0 };
	_cleanup_uses_ struct uses uses = { 0 };
	struct use_query query = {
		.facts = &f,
		.first = leg->start,
		.sectors = target_leg_length(t),
		.self = l->g->self,
		.exclusive = l->g->exclusive,
	};
	struct part wanted = { 0 };
	unsigned int i;
	bool known;

	if (blockdev_lookup(leg->device, &f))
		return;
	wanted.range = device_uses_range(&query);
	report_saved(l, t, leg->device, &wanted);
	known = l->g->any_signature || l->g->loaded || leg_was_ours(l, &wanted);
	if (l->g->loaded)
		device_uses_collect_live(&uses, &query);
	else
		device_uses_collect(&uses, &query);
	for (i = 0; i < uses.nr; i++) {
		_cleanup_free_ char *text = use_describe(&uses.use[i]);

		if (uses.use[i].harmless ||
		    (known && uses.use[i].kind == USE_SIGNATURE))
			continue;
		problem_add(l->problems, PROBLEM_ERROR, t->line, "%s: %s",
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

static void guard_file(const struct look *l, const struct target *t)
{
	struct part wanted = { .range = { 0, t->file_start, t->file_start + t->length } };
	_cleanup_file_facts_ struct file_facts f = { 0 };
	_cleanup_free_ char *name = path_encode(t->path), *missing = NULL;
	_cleanup_uses_ struct uses uses = { 0 };
	unsigned int i;

	/* a file that is not there yet may be that of somebody who has lost it */
	if (file_lookup(t->path, false, &f))
		wanted.missing = missing = parts_missing_path(t->path);
	else
		wanted.file = file_facts_id(&f);
	report_saved(l, t, name, &wanted);
	if (wanted.missing)
		return;
	file_uses_collect(&uses, &f, l->g->self,
			  l->g->readonly && t->engine != ENGINE_EXTENT);
	for (i = 0; i < uses.nr; i++) {
		_cleanup_free_ char *text = file_use_problem(&uses.use[i]);

		problem_add(l->problems, PROBLEM_ERROR, t->line, "%s: %s", name,
			    text);
	}
}

static void collect_own(struct parts *own, dev_t self)
{
	_cleanup_free_ char *name = self ? blockdev_mapped_name(self) : NULL;
	_cleanup_live_ struct live live = { 0 };

	if (name && !live_get(name, &live))
		parts_add_table(own, name, &live.table);
}

void guard_table(const struct table *t, const struct guard *g,
		 struct problems *problems)
{
	struct look l = { .g = g, .problems = problems };
	unsigned int i, j;

	collect_own(&l.own, g->self);
	if (g->saved)
		saved_parts_collect(&l.saved);
	for (i = 0; i < t->nr; i++) {
		if (t->targets[i].path)
			guard_file(&l, &t->targets[i]);
		for (j = 0; j < t->targets[i].nr_legs; j++)
			guard_leg(&l, &t->targets[i], &t->targets[i].legs[j]);
	}
	parts_free(&l.own);
	parts_free(&l.saved);
}
