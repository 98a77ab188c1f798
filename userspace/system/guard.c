// SPDX-License-Identifier: GPL-2.0-only
/*
 * A table may use a device if nothing else uses the same sectors: no mount, no
 * swap, no holder, no loop device, no opener that is exclusive or may write, no signature.
 *
 * Several mapped devices may share a disk, each with its own sectors, as LVM
 * does.  So a holder whose table can be read and that maps other sectors is
 * harmless, and so is the failing exclusive open that it causes.  A signature in the
 * sectors of such a holder is its own.  Any other signature may belong to the whole device, as
 * LVM's does: sectors without a holder may be in use.  For a saved device, its file says which of
 * them were there when it was saved.
 */

#include <errno.h>
#include <fcntl.h>
#include <linux/major.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/util.h"
#include "model/name.h"
#include "model/saved.h"
#include "model/table.h"
#include "system/lookup.h"
#include "system/devmap.h"
#include "system/content.h"
#include "system/saved-file.h"
#include "system/users.h"

/* A writer that ends within five seconds does not keep a saved device away. */
#define WRITER_TRIES	20
#define WRITER_WAIT_US	250000

/* Parts of disks and files. */

/*
 * A target that runs has the inode that it was made with, whatever its path names by now.  The
 * folder of a file that is missing may have been moved since, and be found by a link.
 */
static struct part guard_file_part(const struct target *t)
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
			part = guard_file_part(target);
		else if (blockdev_range(target->legs[i].device, target->legs[i].start,
					target_leg_length(target), &part.range))
			continue;
		part.name = xstrdup(name);
		GROW(parts->part, parts->nr);
		parts->part[parts->nr++] = part;
	}
}

static bool guard_same_place(const struct part *a, const struct part *b)
{
	if (a->missing || b->missing)
		return a->missing && b->missing && !strcmp(a->missing, b->missing);
	return a->file.known ? file_id_same(&a->file, &b->file) :
			       !b->file.known && a->range.disk == b->range.disk;
}

/* The first sector of @wanted that the parts do not have; its end if they have all. */
static uint64_t guard_first_other(const struct parts *parts, const struct part *wanted)
{
	uint64_t at = wanted->range.first;
	unsigned int i = 0;

	/* the part with the first sector of the rest takes its sectors away, in any order */
	while (at < wanted->range.end && i < parts->nr) {
		const struct part *p = &parts->part[i++];

		if (!guard_same_place(p, wanted) || at < p->range.first || at >= p->range.end ||
		    !part_counts(p))
			continue;
		at = p->range.end;
		i = 0;
	}
	return at;
}

static bool guard_have_all(const struct parts *parts, const struct part *wanted)
{
	return guard_first_other(parts, wanted) >= wanted->range.end;
}

bool parts_have_sector(const struct parts *parts, const struct device_facts *f, uint64_t sector)
{
	const struct part part = { .range = facts_range(f, sector, 1) };

	return sector < f->sectors && guard_have_all(parts, &part);
}

/*
 * A saved device that is not active holds nothing, and a leg that is not its first one may
 * have no signature either: that its data are there is known by its file only.
 */
static void guard_add_saved_one(struct parts *parts, const char *name, bool said)
{
	const struct saved_file *file = saved_file_get(name);
	_cleanup_free_ char *path = saved_path(name);
	unsigned int i = parts->nr;

	if (file->damage && !said)
		log_warn("%s is damaged, and its device may have more than is known: noclone check %s",
			 path, path);
	parts_add_table(parts, name, &file->saved.table);
	for (; file->saved.uuid && i < parts->nr; i++)
		parts->part[i].saved = xstrdup(file->saved.uuid);
}

bool part_counts(const struct part *part)
{
	_cleanup_free_ char *active = part->saved ? devmap_name_of_uuid(part->saved) : NULL;

	return !active;
}

void parts_add_saved(struct parts *parts)
{
	_cleanup_names_ struct names names = { 0 };
	static bool said;
	unsigned int i;

	saved_file_names(&names);
	for (i = 0; i < names.nr; i++)
		guard_add_saved_one(parts, names.name[i], said);
	/* they are looked at again before the table runs */
	said = true;
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

/**
 * struct look - while a table is looked at
 * @g: what to look at
 * @findings: what was found
 * @own: what the live table of the device has already, or the table of a saved device
 * @saved: what saved devices have that are not active
 * @knows_saved: @saved is filled in
 * @writers: processes
 * @t: the target that is looked at
 * @leg: its leg that is looked at
 * @name: the name of that leg, or of its file
 * @part: that part of it
 * @f: the device of the leg
 */
struct look {
	const struct guard *g;
	struct findings *findings;
	struct parts own, saved;
	bool knows_saved;
	struct uses writers;
	const struct target *t;
	const struct leg *leg;
	const char *name;
	struct part part;
	struct device_facts f;
};

#define guard_report(l, fmt, ...) \
	finding_at((l)->findings, FINDING_ERROR, (l)->t->line, "%s: " fmt, (l)->name, ##__VA_ARGS__)

static void guard_report_use(const struct look *l, const struct use *use, const char *more)
{
	_cleanup_free_ char *text = use_describe(use), *remedy = use_remedy(use);

	guard_report(l, "%s%s%s%s%s", text, more, remedy ? ": " : "", remedy ? remedy : "",
		     use->kind == USE_HOLDER && !l->t->path ? ", or use another disk" : "");
}

/* The table of a running device takes precedence over its saved one, which is its past. */
static void guard_report_saved(const struct look *l)
{
	const char *said = "";
	unsigned int i;

	for (i = 0; i < l->saved.nr; i++) {
		const struct part *part = &l->saved.part[i];
		_cleanup_free_ char *forget = NULL;
		struct part common = l->part;

		common.range.first = MAX(part->range.first, common.range.first);
		common.range.end = MIN(part->range.end, common.range.end);
		if (!guard_same_place(part, &common) || guard_have_all(&l->own, &common) ||
		    !strcmp(part->name, said) || !part_counts(part))
			continue;
		said = part->name;
		forget = name_noclone("remove --forget", said);
		guard_report(l, "%s, a saved device that is not active, has %s: %s gives that up",
			     said, part->missing ? "this path" : "data there", forget);
	}
}

/* Return: have its signature or its errors been said? */
static bool guard_report_uses(const struct look *l, const struct use_query *query)
{
	_cleanup_uses_ struct uses uses = { 0 };
	bool said = false;
	unsigned int i;

	device_uses_collect(&uses, query);
	for (i = 0; i < uses.nr; i++) {
		const struct use *use = &uses.use[i];

		/* the check of its signatures has said why a leg cannot be read */
		if (use->harmless || (use->kind == USE_UNREADABLE && l->g->activates))
			continue;
		guard_report_use(l, use, "");
		said |= use->kind == USE_SIGNATURE || use->kind == USE_UNREADABLE;
	}
	return said;
}

/* May the process with this device open write to the leg? */
static bool guard_is_writer(const struct look *l, dev_t devno)
{
	_cleanup_facts_ struct device_facts f = { 0 };
	struct disk_range range;

	/* a new table may get any part of the device later; a saved one keeps its legs */
	if (!l->g->activates)
		return device_uses_share(&l->f, devno);
	if (blockdev_lookup_number(devno, &f))
		return false;
	range = facts_range(&f, 0, f.sectors);
	return disk_ranges_meet(&range, &l->part.range);
}

/* One that has the disk of a partition counts, too.  Without its server, a disk is gone. */
static void guard_report_writers(const struct look *l)
{
	unsigned int i;

	for (i = 0; i < l->writers.nr; i++) {
		const struct use *w = &l->writers.use[i];

		if (guard_is_writer(l, w->devno))
			guard_report(l, "open in %s, which may write%s", w->by,
				     major(w->devno) == NBD_MAJOR ? ", or serve it" : ": end it");
	}
}

/* Saved devices matter at the first signature that has no other owner. */
static bool guard_saved_has(struct look *l, uint64_t sector)
{
	if (!l->knows_saved)
		parts_add_saved(&l->saved);
	l->knows_saved = true;
	return parts_have_sector(&l->saved, &l->f, sector);
}

/* The table, a holder, a loop device, or a saved device has the sector of the device. */
static bool guard_has_owner(struct look *l, uint64_t sector)
{
	return sector < l->f.sectors &&
	       (parts_have_sector(&l->own, &l->f, sector) ||
		device_uses_hold(&l->f, sector, l->g->self) || guard_saved_has(l, sector));
}

static void guard_report_foreign(const struct look *l, const char *text)
{
	const char *check = l->findings->check;

	l->findings->check = CHECK_SIGNATURE;
	guard_report(l, "%s, which may have all of the device, and was not on it when this device was saved (\"noclone activate --force\" and then \"noclone save\" accept it)",
		     text);
	l->findings->check = check;
}

static void guard_say_signature(struct look *l, const char *type)
{
	const struct use use = { .kind = USE_SIGNATURE, .by = (char *)type };
	const char *more = ", which may have all of the device: use a volume or partition of it, or another device";
	_cleanup_free_ char *text = use_describe(&use);

	if (!l->g->activates)
		guard_report_use(l, &use, more);
	else if (saved_disk_is_known(l->leg->disk))
		guard_report_foreign(l, text);
	else
		finding_at(l->findings, FINDING_WARNING, l->t->line,
			   "%s: %s, which may have all of the device; the file of this device does not record whether it was there: \"noclone save\" does that",
			   l->name, text);
}

/*
 * The GPT of a disk whose first sectors were overwritten has a backup at the end, and its partitions
 * have their data. A saved device is not asked: the backup may be older than its data.
 */
static void guard_report_backup(struct look *l)
{
	_cleanup_content_ struct content c = { 0 };

	if (!l->g->activates && !content_read_gpt_backup(&l->f, &c) && c.nr &&
	    !guard_has_owner(l, c.signature[0].sector))
		guard_report(l, "its GPT was overwritten, but the backup at its end may be good: restore it with sgdisk, or \"wipefs --all %s\" removes it",
			     l->name);
}

/* Look at the whole device, but not at sectors that surely have an owner. */
static void guard_report_signature(struct look *l)
{
	_cleanup_content_ struct content c = { 0 };
	int r = content_read_all(&l->f, &c);
	unsigned int i;

	for (i = 0; i < c.nr; i++) {
		_cleanup_free_ char *words = signature_words(&c.signature[i]);

		if ((l->g->activates && saved_disk_has(l->leg->disk, words)) ||
		    guard_has_owner(l, c.signature[i].sector))
			continue;
		guard_say_signature(l, c.signature[i].type);
		return;
	}
	if (!r && !c.nr)
		guard_report_backup(l);
	/* the legs of a saved device have been read by then */
	if (r < 0 && r != -EACCES && !l->g->activates)
		guard_report_use(l, &(struct use) { .kind = USE_UNREADABLE, .by = c.problem }, "");
}

/* The kernel permits a writable mapped device on a read-only leg. */
static void guard_check_writable(const struct look *l, const char *wrong)
{
	if (wrong && !l->g->readonly && !l->g->loaded)
		finding_at(l->findings, FINDING_ERROR, l->t->line, "%s: %s, or use --readonly",
			   l->name, wrong);
}

/* From the start, sectors have the expected signature that the live table maps already. */
static void guard_leg_uses(struct look *l, uint64_t start)
{
	struct use_query query = {
		.facts = &l->f,
		.first = start,
		.sectors = target_leg_length(l->t),
		.self = l->g->self,
		.live = l->g->loaded,
		.exclusive = l->g->exclusive,
		.known = l->g->any_signature || l->g->loaded ? UINT64_MAX :
			 guard_first_other(&l->own, &l->part) - l->part.range.first,
	};
	_cleanup_free_ char *silence = l->g->any_signature ? content_silence(l->f.path) : NULL;
	bool said;

	if (silence)
		guard_report_use(l, &(struct use) { .kind = USE_UNREADABLE, .by = silence }, "");
	said = guard_report_uses(l, &query);
	if (l->g->any_signature || l->g->loaded ||
	    (query.known >= query.sectors && !l->g->activates))
		return;
	guard_report_writers(l);
	if (!said && query.sectors != l->f.sectors)
		guard_report_signature(l);
	else if (!said && !query.known)
		guard_report_backup(l);
}

static void guard_leg(struct look *l, const struct leg *leg)
{
	/* that there are no such sectors is for others to say */
	if (!blockdev_lookup(leg->device, &l->f) && leg->start < l->f.sectors) {
		l->name = leg->device;
		l->part = (struct part) {
			.range = facts_range(&l->f, leg->start, target_leg_length(l->t)),
		};
		guard_check_writable(l, l->f.readonly ? "it is read-only: blockdev --setrw" : NULL);
		l->leg = leg;
		if (!l->g->activates)
			guard_report_saved(l);
		guard_leg_uses(l, leg->start);
	}
	facts_free(&l->f);
}

/* A running device has accepted the writers of its part before; a saved one has no writer yet. */
static void guard_report_file_writers(const struct look *l, const struct file_facts *f)
{
	const enum finding_level level = l->g->readonly ? FINDING_WARNING : FINDING_ERROR;
	_cleanup_uses_ struct uses writers = { 0 };
	bool counted = false;
	unsigned int i;

	if (l->g->loaded || (!l->g->activates && guard_have_all(&l->own, &l->part)))
		return;
	for (i = 0; i < l->own.nr && !l->g->activates; i++)
		counted |= file_id_same(&l->own.part[i].file, &f->id);
	file_writers_find(&writers, f, counted);
	for (i = 0; i < writers.nr; i++)
		finding_at(l->findings, level, l->t->line, "%s: open in %s, which may write: end it",
			   l->name, writers.use[i].by);
}

/* A file that is not there yet may be one that was lost. */
static void guard_file(struct look *l)
{
	_cleanup_free_ char *name = path_encode(l->t->path);
	_cleanup_file_facts_ struct file_facts f = { 0 };
	_cleanup_uses_ struct uses uses = { 0 };
	unsigned int i;

	l->name = name;
	l->part = guard_file_part(l->t);
	if (!l->g->activates)
		guard_report_saved(l);
	free(l->part.missing);
	if (file_lookup(l->t->path, false, &f)) {
		/* who uses it is not known */
		if (f.silence)
			guard_report(l, "cannot be read: %s", f.silence);
		return;
	}
	guard_check_writable(l, f.immutable ? "File is immutable: chattr -i" :
			     f.append_only ? "File is append-only: chattr -a" :
			     f.readonly ? "File cannot be opened for writing: remount its file system, or chmod" : NULL);
	file_uses_collect(&uses, &f, l->g->self,
			  l->g->readonly && l->t->engine != ENGINE_EXTENT);
	for (i = 0; i < uses.nr; i++)
		guard_report_use(l, &uses.use[i], "");
	/* a device or swap area that has the file counts as its writer */
	if (!uses.nr)
		guard_report_file_writers(l, &f);
}

static void guard_collect_own(struct parts *own, dev_t self)
{
	_cleanup_free_ char *name = self ? blockdev_mapped_name(self) : NULL;
	_cleanup_live_ struct live live = { 0 };

	if (name && !live_get(name, &live))
		parts_add_table(own, name, &live.table);
}

static bool guard_any_writes(struct look *l, const struct table *t)
{
	struct target *target = NULL;
	bool found = false;
	unsigned int i, j;

	while (!found && (target = table_next_leg(t, target, &i))) {
		if (target->path || blockdev_lookup(target->legs[i].device, &l->f))
			continue;
		l->part.range = facts_range(&l->f, target->legs[i].start,
					    target_leg_length(target));
		for (j = 0; j < l->writers.nr && !found; j++)
			found = guard_is_writer(l, l->writers.use[j].devno);
		facts_free(&l->f);
	}
	return found;
}

/* At boot, programs that look at disks, and a few that change their partitions, come and go. */
static void guard_find_writers(struct look *l, const struct table *t)
{
	unsigned int tries = l->g->activates ? WRITER_TRIES : 0;

	openers_find(&l->writers, 0, true);
	while (tries-- && guard_any_writes(l, t)) {
		usleep(WRITER_WAIT_US);
		uses_free(&l->writers);
		openers_find(&l->writers, 0, true);
	}
}

void guard_table(const struct table *t, const struct guard *g,
		 struct findings *findings)
{
	struct look l = { .g = g, .findings = findings };
	struct target *target = NULL;
	unsigned int i;

	guard_collect_own(&l.own, g->self);
	if (g->activates)
		parts_add_table(&l.own, "", t);
	if (g->saved)
		parts_add_saved(&l.saved);
	l.knows_saved = g->saved;
	if (!g->any_signature && !g->loaded)
		guard_find_writers(&l, t);
	while ((target = table_next_leg(t, target, &i))) {
		l.t = target;
		if (target->path)
			guard_file(&l);
		else
			guard_leg(&l, &target->legs[i]);
	}
	parts_free(&l.own);
	parts_free(&l.saved);
	uses_free(&l.writers);
}
