// SPDX-License-Identifier: GPL-2.0-only
/*
 * noclone resize: the steps.
 *
 * A larger device gets its file first, its table next, in one suspend and resume, and
 * the file system on it last; a smaller one the other way round.  Until the new table
 * runs, each step can be undone; a file system that does not grow after that can be
 * grown later.
 */
#include <errno.h>
#include <string.h>

#include "base/child.h"
#include "base/log.h"
#include "base/size.h"
#include "base/util.h"
#include "model/facts.h"
#include "model/lint.h"
#include "model/path.h"
#include "model/table-print.h"
#include "model/uses.h"
#include "system/blockdev.h"
#include "system/device-uses.h"
#include "system/file-lookup.h"
#include "system/system-facts.h"
#include "cli/dry-run.h"
#include "cli/load.h"
#include "cli/problem-log.h"
#include "cmd/resize-run.h"
#include "cmd/save.h"

int resize_refuse(const struct resize *r, int error, const char *sentence)
{
	log_err("%s: %s", r->dev.name, sentence);
	return error;
}

void resize_lint(const struct resize *r, struct problems *problems)
{
	const struct self_device self = { true, r->dev.devno };

	lint_table(&r->new, &system_facts, &self, problems);
}

bool resize_is_cycle(const struct resize *r)
{
	const struct self_device self = { true, r->dev.devno };

	return lint_is_cycle(&r->new, &system_facts, &self);
}

int resize_check_files(const struct resize *r, const struct table *live)
{
	unsigned int i;

	for (i = 0; i < live->nr; i++) {
		_cleanup_free_ char *name = NULL, *sentence = NULL;
		const struct target *t = &live->targets[i];
		_cleanup_file_facts_ struct file_facts f = { 0 };
		struct file_id there;

		if (!t->path || file_lookup(t->path, false, &f))
			continue;
		there = file_facts_id(&f);
		if (!file_id_differs(&t->id, &there))
			continue;
		name = path_encode(t->path);
		sentence = xasprintf("%s is another file than the one that the device runs on", name);
		return resize_refuse(r, -ESTALE, sentence);
	}
	return 0;
}

static bool same_table(const struct table *a, const struct table *b)
{
	_cleanup_free_ char *first = table_print(a, false, NULL, NULL);
	_cleanup_free_ char *second = table_print(b, false, NULL, NULL);

	return !strcmp(first, second);
}

/* Between the checks and here may have been minutes of e2fsck. */
static int check_loaded(const char *name, void *data)
{
	_cleanup_table_ struct table now = { 0 };
	const struct resize *r = data;
	struct load_check unused = {
		.known = r->known, .table = &r->new, .saved = true, .readonly = r->dev.readonly,
	};
	int e;

	if (live_table(name, &now) || !same_table(&now, r->running))
		return resize_refuse(r, -EBUSY,
				     "somebody else has changed its table meanwhile: try again");
	e = resize_check_files(r, &r->live.table);
	return e || r->sectors <= r->old_sectors ? e : load_still_unused(name, &unused);
}

/* Only if nobody else has changed the device, or is about to. */
static int swap_table(struct resize *r, const struct table *t)
{
	const struct devmap_check unchanged = { .loaded = check_loaded, .data = r, .alone = true };
	int e = devmap_reload(r->dev.name, t, r->dev.readonly, &unchanged);

	/* the table is running nevertheless */
	r->udev_late |= e == -ETIMEDOUT;
	if (e && e != -ETIMEDOUT)
		return e;
	r->running = t;
	return 0;
}

static int check_grown_file(const struct resize *r)
{
	_cleanup_problems_ struct problems problems = { 0 };

	if (r->growth.bytes)
		resize_lint(r, &problems);
	problems_log_errors(&problems, r->dev.name);
	return load_overridden(r->o, &problems) ? 0 : -EINVAL;
}

static int stop_if_requested(const struct resize *r)
{
	return stop_requested() ? resize_refuse(r, -EINTR, "stopped") : 0;
}

/* If a resume failed half-way, the new table may be there: then the file has to stay. */
static bool has_old_size(const struct resize *r)
{
	_cleanup_table_ struct table t = { 0 };

	return !live_table(r->dev.name, &t) && table_sectors(&t) == r->old_sectors;
}

static void undo(struct resize *r, bool let_go)
{
	_cleanup_free_ char *words = NULL;

	if (!has_old_size(r))
		return;
	growth_undo(&r->growth);
	if (!let_go || !swap_table(r, &r->live.table))
		return;
	words = dry_run_reload(r->o, r->dev.name, r->dev.readonly, &r->live.table);
	log_err("%s runs with the engine direct now; its old table pins its file again: %s",
		r->dev.name, words);
}

/* Up to where the new table runs; a failure leaves the old one, and the old file. */
static int switch_table(struct resize *r)
{
	bool let_go = false;
	int e = stop_if_requested(r);

	if (!e && r->direct.nr) {
		e = swap_table(r, &r->direct);
		let_go = !e;
	}
	if (!e)
		e = growth_apply(&r->growth);
	if (!e)
		e = check_grown_file(r);
	if (!e)
		e = stop_if_requested(r);
	if (!e && r->sectors != r->old_sectors)
		e = swap_table(r, &r->new);
	if (e)
		undo(r, let_go);
	return e;
}

static void report_above(const struct resize *r)
{
	_cleanup_free_ char *advice = opt(r->o, OPT_RESIZEFS) ? NULL :
				      filesystem_advice(&r->fs);
	_cleanup_facts_ struct device_facts f = { 0 };
	_cleanup_uses_ struct uses uses = { 0 };
	struct use_query query = { .facts = &f };
	unsigned int i;

	if (advice)
		log_note("%s: %s", r->dev.name, advice);
	if (blockdev_lookup_number(r->dev.devno, &f))
		return;
	query.sectors = f.sectors;
	device_uses_collect_live(&uses, &query);
	for (i = 0; i < uses.nr; i++)
		if (uses.use[i].kind == USE_HOLDER)
			log_note("%s: %s, which stands on it, keeps its size", r->dev.name,
				 uses.use[i].by);
}

static void report(const struct resize *r)
{
	_cleanup_free_ char *size = size_format(r->sectors);

	log_verbose("%s has %s", r->dev.name, size);
	live_warn_stand_in(r->dev.name);
	if (!r->saved)
		save_hint(r->dev.name, true);
	if (r->sectors > r->old_sectors)
		report_above(r);
	else if (resize_last(&r->live.table)->path)
		log_note("%s: its file keeps its size: truncate(1) makes it smaller",
			 r->dev.name);
}

int resize_run(struct resize *r)
{
	int e = filesystem_run(r->plan.before, r->plan.nr_before);

	if (!e)
		e = switch_table(r);
	if (e) {
		if (r->plan.nr_before && r->sectors < r->old_sectors)
			log_err("%s: if the file system is smaller already, \"resize2fs %s\" gives it its size back",
				r->dev.name, r->fs.device);
		return e;
	}
	report(r);
	/* saved with its old size, it would be too small for the file system at the next boot */
	if (r->saved && r->sectors != r->old_sectors && save_locked(r->o, r->dev.name)) {
		log_err("%s has its new size, but is not saved with it", r->dev.name);
		save_refresh(&r->dev, false);
		return -EIO;
	}
	e = filesystem_run(r->plan.after, r->plan.nr_after);
	if (e)
		log_err("%s: the device has its new size, the file system has not: run that by hand",
			r->dev.name);
	return e || !r->udev_late ? e : -ETIMEDOUT;
}
