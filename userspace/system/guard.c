// SPDX-License-Identifier: GPL-2.0-only
/*
 * Check whether a table may use its devices. The table may use a device if its sectors are unused:
 * no mount, no swap, no holder, no loop device, no program that has the device open exclusively, no
 * process that may write, and no signature.
 *
 * Several mapped devices may share a disk if each has its own sectors, as with LVM. So a holder is
 * harmless if its table can be read and maps other sectors. The exclusive open then fails, and this
 * is harmless as well. A signature in the sectors of such a holder belongs to that holder. Any
 * other signature may belong to the whole device, as a signature of LVM does, so sectors without a
 * holder may be in use as well. A saved file records which of these other signatures existed when
 * the device was saved.
 */
#include "system/guard.h"

#include <errno.h>
#include <linux/major.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/util.h"
#include "model/finding.h"
#include "model/name.h"
#include "model/saved.h"
#include "model/table-target.h"
#include "model/table.h"
#include "system/blockdev.h"
#include "system/content.h"
#include "system/file-lookup.h"
#include "system/live.h"
#include "system/parts-saved.h"
#include "system/parts.h"
#include "system/uses.h"

/*
 * Before a saved device becomes active, the check waits at most five seconds for processes that
 * have a leg open for writing.
 */
#define WRITER_TRIES	20
#define WRITER_WAIT_US	250000

/**
 * struct look - the data of one check of a table
 * @g: the options of the check
 * @findings: gets the reports
 * @own: the parts of the live table of @g->self and, if @g->from_saved is set, of the new table
 * @saved: the parts of all saved devices; part_counts() says whether a part counts
 * @knows_saved: @saved is filled in
 * @writers: the processes that may write to any block device
 * @t: the current target
 * @leg: the current leg of @t; not set for a file
 * @name: the device of the leg as the table names it, or the path of the file, for messages
 * @part: the sectors of the disk or file that the leg uses
 * @f: facts about the device of the leg
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

/*
 * Report saved devices whose tables have sectors of this leg or file. A saved device that is active
 * is not reported here, because its live table is found with the other uses of the leg or file.
 */
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
		if (!part_same_place(part, &common) || parts_have_all(&l->own, &common) ||
		    !strcmp(part->name, said) || !part_counts(part))
			continue;
		said = part->name;
		forget = name_noclone("remove --forget", said);
		guard_report(l, "the saved device %s, which is not active, has %s: \"%s\" removes its saved file",
			     said, part->missing ? "this path in its table" : "data in these sectors", forget);
	}
}

/*
 * Report the uses of a leg. uses_collect() finds mounts, swap, holders, loop devices and exclusive
 * users of the device, and a signature in the sectors of the leg. A holder or a loop device that
 * uses only other sectors of the device is harmless.
 *
 * Return: true if a signature in the leg, or a read error, was reported.
 */
static bool guard_report_uses(const struct look *l, const struct use_query *query)
{
	_cleanup_uses_ struct uses uses = { 0 };
	bool said = false;
	unsigned int i;

	uses_collect(&uses, query);
	for (i = 0; i < uses.nr; i++) {
		const struct use *use = &uses.use[i];

		/*
		 * for a saved device, signatures_check() has already reported why a leg cannot be
		 * read
		 */
		if (use->harmless || (use->kind == USE_UNREADABLE && l->g->from_saved))
			continue;
		guard_report_use(l, use, "");
		said |= use->kind == USE_SIGNATURE || use->kind == USE_UNREADABLE;
	}
	return said;
}

/* May a process that has the device @devno open for writing write to the leg? */
static bool guard_is_writer(const struct look *l, dev_t devno)
{
	_cleanup_facts_ struct device_facts f = { 0 };
	struct disk_range range;

	/*
	 * for a new table, a process counts if its device shares any sector with the disk or
	 * partition of the leg, because the mapped device may later get other sectors of this disk
	 * or partition; a saved device keeps its legs, so only the sectors of the leg count
	 */
	if (!l->g->from_saved)
		return uses_share(&l->f, devno);
	if (blockdev_lookup_number(devno, &f))
		return false;
	range = facts_range(&f, 0, f.sectors);
	return facts_ranges_meet(&range, &l->part.range);
}

/*
 * Report processes that may write to the leg. If the leg is on a partition, a process that has the
 * whole disk open also counts. A process that serves the disk, such as the server of an NBD disk,
 * does not count, because the disk cannot work without it.
 */
static void guard_report_writers(const struct look *l)
{
	unsigned int i;

	for (i = 0; i < l->writers.nr; i++) {
		const struct use *w = &l->writers.use[i];

		if (guard_is_writer(l, w->devno))
			guard_report(l, "open in %s, and this process may write to the device%s", w->by,
				     major(w->devno) == NBD_MAJOR ? ", or serve the device" : ": end this process");
	}
}

/*
 * Does the table of a saved device have the sector? The saved files are read only when the first
 * signature without another owner is found.
 */
static bool guard_saved_has(struct look *l, uint64_t sector)
{
	if (!l->knows_saved)
		parts_add_saved(&l->saved);
	l->knows_saved = true;
	return parts_have_sector(&l->saved, &l->f, sector);
}

/*
 * Does the sector belong to the mapped device that gets the table, to a holder, to a loop device or
 * to a saved device?
 */
static bool guard_has_owner(struct look *l, uint64_t sector)
{
	return sector < l->f.sectors &&
	       (parts_have_sector(&l->own, &l->f, sector) ||
		uses_hold(&l->f, sector, l->g->self) || guard_saved_has(l, sector));
}

static void guard_report_foreign(const struct look *l, const char *text)
{
	const char *check = l->findings->check;

	l->findings->check = CHECK_SIGNATURE;
	guard_report(l, "%s; the file system or other data with this signature may fill the whole disk, and the disk did not have the signature when the mapped device was saved (\"noclone activate --force\" and then \"noclone save\" accept the signature)",
		     text);
	l->findings->check = check;
}

static void guard_say_signature(struct look *l, const char *type)
{
	const struct use use = { .kind = USE_SIGNATURE, .by = (char *)type };
	const char *more = "; the file system or other data with this signature may fill the whole device: use another device, or give a partition or logical volume instead of the whole device";
	_cleanup_free_ char *text = use_describe(&use);

	if (!l->g->from_saved)
		guard_report_use(l, &use, more);
	else if (saved_disk_is_known(l->leg->disk))
		guard_report_foreign(l, text);
	else
		finding_at(l->findings, FINDING_WARNING, l->t->line,
			   "%s: %s; the file system or other data with this signature may fill the whole device, and the saved file does not tell whether the signature was there at the last save: \"noclone save\" records the signature",
			   l->name, text);
}

/*
 * If a device has only the backup of a GPT, report this: the first sectors of the device were
 * overwritten, but its partitions may still have their data. A saved device is not checked in this
 * way, because the backup may be older than the data of the saved device.
 */
static void guard_report_backup(struct look *l)
{
	_cleanup_content_ struct content c = { 0 };

	if (!l->g->from_saved && !content_read_gpt_backup(&l->f, &c) && c.nr &&
	    !guard_has_owner(l, c.signature[0].sector))
		guard_report(l, "its GPT was overwritten, but the backup of the GPT at the end of the device may be good: restore the GPT with sgdisk, or remove the backup with \"wipefs --all %s\"",
			     l->name);
}

/*
 * Report the first signature on the whole device that has no owner. A signature has an owner if it
 * is in sectors that certainly belong to a mapped device or loop device, or if the saved file
 * records the signature.
 */
static void guard_report_signature(struct look *l)
{
	_cleanup_content_ struct content c = { 0 };
	int r = content_read_all(&l->f, &c);
	unsigned int i;

	for (i = 0; i < c.nr; i++) {
		_cleanup_free_ char *words = content_signature_words(&c.signature[i]);

		if ((l->g->from_saved && saved_disk_has(l->leg->disk, words)) ||
		    guard_has_owner(l, c.signature[i].sector))
			continue;
		guard_say_signature(l, c.signature[i].type);
		return;
	}
	if (!r && !c.nr)
		guard_report_backup(l);
	/*
	 * for a saved device, signatures_check() has already read the legs and reported the errors
	 */
	if (r < 0 && r != -EACCES && !l->g->from_saved)
		guard_report_use(l, &(struct use) { .kind = USE_UNREADABLE, .by = c.problem }, "");
}

/*
 * Refuse a leg or file that cannot be written, for the reason @wrong, unless the mapped device is
 * read-only. The kernel itself would permit a writable mapped device on it.
 */
static void guard_check_writable(const struct look *l, const char *wrong)
{
	if (wrong && !l->g->readonly && !l->g->recheck)
		finding_at(l->findings, FINDING_ERROR, l->t->line, "%s: %s, or use --readonly",
			   l->name, wrong);
}

/*
 * Return: the number of sectors at the start of the leg in which a signature is expected, because
 * the live table of the device, or the table of the saved device, already has these sectors.
 * UINT64_MAX means that no signature in the leg is reported.
 */
static uint64_t guard_known_sectors(const struct look *l)
{
	if (l->g->any_signature || l->g->recheck)
		return UINT64_MAX;
	return parts_first_other(&l->own, &l->part) - l->part.range.first;
}

/*
 * Look for processes that may write, and for signatures outside of the leg. @query: the query for
 * the uses of the leg; @said: guard_report_uses() has already reported a
 * signature in the leg, or a read error
 */
static void guard_check_rest(struct look *l, const struct use_query *query, bool said)
{
	guard_report_writers(l);
	if (said)
		return;
	if (query->sectors != l->f.sectors)
		guard_report_signature(l);
	else if (!query->known)
		guard_report_backup(l);
}

/*
 * Check a leg. If the live table already has the whole leg, the leg was accepted earlier, so only
 * the uses of the leg are checked. The leg of a saved device is always checked in full, because
 * another program may have used it since it was accepted.
 */
static void guard_leg_uses(struct look *l, uint64_t start)
{
	const struct guard *g = l->g;
	struct use_query query = {
		.facts = &l->f,
		.first = start,
		.sectors = target_leg_length(l->t),
		.self = g->self,
		.live = g->recheck,
		.exclusive = g->exclusive,
		.known = guard_known_sectors(l),
	};
	_cleanup_free_ char *silence = g->any_signature ? content_silence(l->f.path) : NULL;
	bool accepted = query.known >= query.sectors && !g->from_saved, said;

	if (silence)
		guard_report_use(l, &(struct use) { .kind = USE_UNREADABLE, .by = silence }, "");
	said = guard_report_uses(l, &query);
	if (!g->any_signature && !g->recheck && !accepted)
		guard_check_rest(l, &query, said);
}

static void guard_leg(struct look *l, const struct leg *leg)
{
	/*
	 * a leg behind the end of its device is skipped here, because the checks of the table
	 * report it
	 */
	if (!blockdev_lookup(leg->device, &l->f) && leg->start < l->f.sectors) {
		l->name = leg->device;
		l->part = (struct part) {
			.range = facts_range(&l->f, leg->start, target_leg_length(l->t)),
		};
		guard_check_writable(l, l->f.readonly ? "it is read-only: make the device writable with \"blockdev --setrw\"" : NULL);
		l->leg = leg;
		if (!l->g->from_saved)
			guard_report_saved(l);
		guard_leg_uses(l, leg->start);
	}
	facts_free(&l->f);
}

/*
 * Report processes that may write to a file. If the live table already has the sectors of the file,
 * the processes that write were accepted earlier, and are not reported again. For a saved device,
 * no such process was accepted yet.
 */
static void guard_report_file_writers(const struct look *l, const struct file_facts *f)
{
	const enum finding_level level = l->g->readonly ? FINDING_WARNING : FINDING_ERROR;
	_cleanup_uses_ struct uses writers = { 0 };
	bool counted = false;
	unsigned int i;

	if (l->g->recheck || (!l->g->from_saved && parts_have_all(&l->own, &l->part)))
		return;
	for (i = 0; i < l->own.nr && !l->g->from_saved; i++)
		counted |= file_id_same(&l->own.part[i].file, &f->id);
	uses_find_writers(&writers, f, counted);
	for (i = 0; i < writers.nr; i++)
		finding_at(l->findings, level, l->t->line, "%s: open in %s, and this process may write to the file: end this process",
			   l->name, writers.use[i].by);
}

/*
 * Check a backing file. A file that does not exist may be the lost file of a saved device, which
 * guard_report_saved() reports.
 */
static void guard_file(struct look *l)
{
	_cleanup_free_ char *name = name_encode_path(l->t->path);
	_cleanup_file_facts_ struct file_facts f = { 0 };
	_cleanup_uses_ struct uses uses = { 0 };
	unsigned int i;

	l->name = name;
	l->part = part_of_file(l->t);
	if (!l->g->from_saved)
		guard_report_saved(l);
	cleanup_free(&l->part.missing);
	l->part.missing = NULL;
	if (file_lookup(l->t->path, false, &f)) {
		/* if the file system does not answer, it is not known who uses the file */
		if (f.silence)
			guard_report(l, "cannot be read: %s", f.silence);
		return;
	}
	guard_check_writable(l, f.immutable ? "File is immutable: make the file writable with \"chattr -i\"" :
			     f.append_only ? "File is append-only: make the file writable with \"chattr -a\"" :
			     f.readonly ? "File cannot be opened for writing: remount its file system as writable, give write permission with \"chmod\"" : NULL);
	uses_collect_file(&uses, &f, l->g->self,
			  l->g->readonly && l->t->engine != ENGINE_EXTENT);
	for (i = 0; i < uses.nr; i++)
		guard_report_use(l, &uses.use[i], "");
	/*
	 * a device or swap area on the file may itself have the file open for writing, and the
	 * search for writers would report it again, as a process
	 */
	if (!uses.nr)
		guard_report_file_writers(l, &f);
}

static void guard_collect_own(struct parts *own, dev_t self)
{
	_cleanup_free_ char *name = self ? blockdev_mapped_name(self) : NULL;
	_cleanup_live_ struct live live = { 0 };

	if (name && !live_get_number(self, &live))
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

/*
 * Find the processes that may write. At boot, programs have disks open for a moment, to look at
 * them or to change partitions, so the check of a saved device waits for these programs.
 */
static void guard_find_writers(struct look *l, const struct table *t)
{
	unsigned int tries = l->g->from_saved ? WRITER_TRIES : 0;

	uses_find_openers(&l->writers, 0, true);
	while (tries-- && guard_any_writes(l, t)) {
		usleep(WRITER_WAIT_US);
		uses_free(&l->writers);
		uses_find_openers(&l->writers, 0, true);
	}
}

/*
 * The sectors in l.own do not count as used: they are those of the live table of the device and,
 * for a saved device, those of the new table. The sectors in l.saved count as used: they are those
 * of all saved devices that are not active.
 */
void guard_table(const struct table *t, const struct guard *g,
		 struct findings *findings)
{
	struct look l = { .g = g, .findings = findings };
	struct target *target = NULL;
	unsigned int i;

	guard_collect_own(&l.own, g->self);
	if (g->from_saved)
		parts_add_table(&l.own, "", t);
	if (g->saved)
		parts_add_saved(&l.saved);
	l.knows_saved = g->saved;
	if (!g->any_signature && !g->recheck)
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
