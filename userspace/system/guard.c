// SPDX-License-Identifier: GPL-2.0-only
/*
 * A table may use a device if nothing else uses the same sectors: no mount, no
 * swap, no holder, no loop device, no opener that is exclusive or may write, no signature.
 *
 * Several mapped devices may share a disk, each with its own sectors, as LVM
 * does.  So a holder whose table can be read and that maps other sectors is
 * harmless, and so is the failing exclusive open that it causes.  A signature in the
 * sectors of such a holder is its own.  Any other signature may belong to the whole device, as
 * LVM's does: sectors without a holder may be in use.
 */
#include "system/guard.h"

#include <errno.h>
#include <linux/major.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>

#include "base/log.h"
#include "base/util.h"
#include "model/facts.h"
#include "model/name.h"
#include "model/table.h"
#include "system/blockdev.h"
#include "system/devmap.h"
#include "system/file-lookup.h"
#include "system/identity.h"
#include "system/live.h"
#include "system/saved-file.h"
#include "system/users.h"

/* @part has no name yet. */
static void guard_add(struct parts *parts, const char *name, struct part part)
{
	part.name = xstrdup(name);
	GROW(parts->part, parts->nr);
	parts->part[parts->nr++] = part;
}

static void guard_add_leg(struct parts *parts, const char *name, const struct target *t,
			  const struct leg *leg)
{
	_cleanup_facts_ struct device_facts f = { 0 };
	const struct use_query q = {
		.facts = &f, .first = leg->start, .sectors = target_leg_length(t),
	};

	if (!blockdev_lookup(leg->device, &f))
		guard_add(parts, name, (struct part) { .range = device_uses_range(&q) });
}

/* Its folder may have been moved since, and be found by a link: a new string. */
static char *guard_missing_path(const char *path)
{
	char *real = file_real_path(path);

	return real ? real : xstrdup(path);
}

/* A target that runs has the inode that it was made with, whatever its path names by now. */
static void guard_add_file(struct parts *parts, const char *name, const struct target *t)
{
	struct part part = {
		.range = { 0, t->file_start, t->file_start + t->length },
		.file = t->id,
	};
	_cleanup_file_facts_ struct file_facts f = { 0 };

	if (!part.file.known && file_lookup(t->path, false, &f))
		part.missing = guard_missing_path(t->path);
	else if (!part.file.known)
		part.file = file_facts_id(&f);
	guard_add(parts, name, part);
}

void parts_add_table(struct parts *parts, const char *name, const struct table *t)
{
	unsigned int i, j;

	for (i = 0; i < t->nr; i++) {
		if (t->targets[i].path)
			guard_add_file(parts, name, &t->targets[i]);
		for (j = 0; j < t->targets[i].nr_legs; j++)
			guard_add_leg(parts, name, &t->targets[i], &t->targets[i].legs[j]);
	}
}

static bool guard_same_place(const struct part *a, const struct part *b)
{
	if (a->missing || b->missing)
		return a->missing && b->missing && !strcmp(a->missing, b->missing);
	return a->file.known ? file_id_same(&a->file, &b->file) :
			       !b->file.known && a->range.disk == b->range.disk;
}

/* Do the two have any sector in common? */
static bool guard_meets(const struct part *a, const struct part *b)
{
	return guard_same_place(a, b) && a->range.first < b->range.end &&
	       b->range.first < a->range.end;
}

/* The first sector that the two have in common, and the parts do not; the end if none. */
static uint64_t guard_end_common(const struct parts *parts, const struct part *a,
				 const struct part *b)
{
	uint64_t at = MAX(a->range.first, b->range.first);
	uint64_t end = MIN(a->range.end, b->range.end);
	unsigned int i = 0;

	/* the part with the first sector of the rest takes its sectors away, in any order */
	while (at < end && i < parts->nr) {
		const struct part *p = &parts->part[i++];

		if (!guard_same_place(p, a) || at < p->range.first || at >= p->range.end)
			continue;
		at = p->range.end;
		i = 0;
	}
	return at;
}

/* Do the parts together have all sectors that the two have in common? */
static bool guard_have_common(const struct parts *parts, const struct part *a,
			      const struct part *b)
{
	return guard_end_common(parts, a, b) >= MIN(a->range.end, b->range.end);
}

/*
 * A saved device that is not active holds nothing, and a leg that is not its first one may
 * have no signature either: that its data are there is known by its file only.
 */
static void guard_add_saved_one(const char *name, void *data)
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
	saved_file_for_each(guard_add_saved_one, parts);
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

/**
 * struct look - while a table is looked at
 * @g: what to look at
 * @own: what the live table of the device has already
 * @saved: what saved devices have that are not active
 * @writers: processes
 * @findings: what was found
 */
struct look {
	const struct guard *g;
	struct parts own, saved;
	struct openers writers;
	struct findings *findings;
};

/* The table of a running device takes precedence over its saved one, which is its past. */
static void guard_report_saved(const struct look *l, const struct target *t, const char *what,
			       const struct part *wanted)
{
	const char *said = "";
	unsigned int i;

	for (i = 0; i < l->saved.nr; i++) {
		const struct part *part = &l->saved.part[i];

		if (!guard_meets(part, wanted) || !strcmp(part->name, said) ||
		    guard_have_common(&l->own, part, wanted))
			continue;
		said = part->name;
		finding_at(l->findings, FINDING_ERROR, t->line,
			   "%s: %s, a saved device that is not active, %s: noclone remove --forget %s gives %s up",
			   what, said, part->missing ? "has this path" : "has data there",
			   said, part->missing ? "it" : "them");
	}
}

/* One leg, while it is looked at: its device, and its part of that. */
struct leg_look {
	const struct look *l;
	const struct target *t;
	const char *name;
	struct device_facts f;
	struct part part;
};

static void guard_leg_look_free(struct leg_look *leg)
{
	facts_free(&leg->f);
}

/* From the start, the sectors whose signature is expected: the live table maps them already. */
static uint64_t guard_leg_known(const struct leg_look *leg)
{
	const struct part *part = &leg->part;

	if (leg->l->g->any_signature || leg->l->g->loaded)
		return UINT64_MAX;
	return guard_end_common(&leg->l->own, part, part) - part->range.first;
}

static void guard_report_use(const struct leg_look *leg, const struct use *use, const char *more)
{
	_cleanup_free_ char *text = use_describe(use), *remedy = use_remedy(use);

	finding_at(leg->l->findings, FINDING_ERROR, leg->t->line, "%s: %s%s%s%s", leg->name,
		   text, more, remedy ? ": " : "", remedy ? remedy : "");
}

/* Return: have its signature or its errors been said? */
static bool guard_report_uses(const struct leg_look *leg, const struct use_query *query)
{
	_cleanup_uses_ struct uses uses = { 0 };
	bool said = false;
	unsigned int i;

	device_uses_collect(&uses, query);
	for (i = 0; i < uses.nr; i++) {
		const struct use *use = &uses.use[i];

		if (use->harmless)
			continue;
		guard_report_use(leg, use, "");
		said |= use->kind == USE_SIGNATURE || use->kind == USE_UNREADABLE;
	}
	return said;
}

/* Also one that has the disk of a partition.  Without its server, a disk is gone. */
static void guard_report_writers(const struct leg_look *leg)
{
	unsigned int i;

	for (i = 0; i < leg->l->writers.nr; i++) {
		const struct opener *w = &leg->l->writers.opener[i];

		if (device_uses_share(&leg->f, w->devno))
			finding_at(leg->l->findings, FINDING_ERROR, leg->t->line,
				   "%s: open in %s, which may write%s", leg->name, w->by,
				   major(w->devno) == NBD_MAJOR ? ", or serve it" : ": end it");
	}
}

/* The live table, a holder, a loop device, or a saved device has the sector of the device. */
static bool guard_has_owner(uint64_t sector, void *data)
{
	const struct leg_look *leg = data;
	struct part part = {
		.range = { leg->f.disk, leg->f.offset + sector, leg->f.offset + sector + 1 },
	};

	return sector < leg->f.sectors &&
	       (guard_have_common(&leg->l->own, &part, &part) ||
		guard_have_common(&leg->l->saved, &part, &part) ||
		device_uses_hold(&leg->f, sector, leg->l->g->self));
}

/* Of the whole device, but not in what others have of it. */
static void guard_report_signature(struct leg_look *leg)
{
	_cleanup_free_ char *type = NULL;
	int r = identity_find(&leg->f, guard_has_owner, leg, &type);

	if (r > 0)
		guard_report_use(leg, &(struct use) { USE_SIGNATURE, type, false },
				 ", which may have all of the device: use a volume or partition of it, or another device");
	else if (r < 0 && r != -EACCES)
		guard_report_use(leg, &(struct use) { USE_UNREADABLE, strerror(-r), false }, "");
}

static void guard_leg(const struct look *l, const struct target *t, const struct leg *leg)
{
	__attribute__((cleanup(guard_leg_look_free))) struct leg_look look = {
		.l = l, .t = t, .name = leg->device,
	};
	struct use_query query = {
		.facts = &look.f,
		.first = leg->start,
		.sectors = target_leg_length(t),
		.self = l->g->self,
		.live = l->g->loaded,
		.exclusive = l->g->exclusive,
	};
	bool said;

	/* that there are no such sectors is for others to say */
	if (blockdev_lookup(leg->device, &look.f) || leg->start >= look.f.sectors)
		return;
	look.part.range = device_uses_range(&query);
	guard_report_saved(l, t, leg->device, &look.part);
	query.known = guard_leg_known(&look);
	said = guard_report_uses(&look, &query);
	if (query.known >= query.sectors)
		return;
	guard_report_writers(&look);
	if (!said && query.sectors != look.f.sectors)
		guard_report_signature(&look);
}

/* Who uses the file, and how to change that. */
static char *guard_file_use_problem(const struct use *use)
{
	if (use->kind == USE_SWAP)
		return xasprintf("File is in use as swap space: swapoff %s first",
				 use->by);
	if (use->kind == USE_LOOP)
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

	/* a file that is not there yet may be one that was lost */
	if (file_lookup(t->path, false, &f))
		wanted.missing = missing = guard_missing_path(t->path);
	else
		wanted.file = file_facts_id(&f);
	guard_report_saved(l, t, name, &wanted);
	if (wanted.missing)
		return;
	file_uses_collect(&uses, &f, l->g->self,
			  l->g->readonly && t->engine != ENGINE_EXTENT);
	for (i = 0; i < uses.nr; i++) {
		_cleanup_free_ char *text = guard_file_use_problem(&uses.use[i]);

		finding_at(l->findings, FINDING_ERROR, t->line, "%s: %s", name,
			   text);
	}
}

static void guard_collect_own(struct parts *own, dev_t self)
{
	_cleanup_free_ char *name = self ? blockdev_mapped_name(self) : NULL;
	_cleanup_live_ struct live live = { 0 };

	if (name && !live_get(name, &live))
		parts_add_table(own, name, &live.table);
}

void guard_table(const struct table *t, const struct guard *g,
		 struct findings *findings)
{
	struct look l = { .g = g, .findings = findings };
	unsigned int i, j;

	guard_collect_own(&l.own, g->self);
	if (g->saved)
		parts_add_saved(&l.saved);
	if (!g->any_signature && !g->loaded)
		openers_find(&l.writers, true);
	for (i = 0; i < t->nr; i++) {
		if (t->targets[i].path)
			guard_file(&l, &t->targets[i]);
		for (j = 0; j < t->targets[i].nr_legs; j++)
			guard_leg(&l, &t->targets[i], &t->targets[i].legs[j]);
	}
	parts_free(&l.own);
	parts_free(&l.saved);
	openers_free(&l.writers);
}
