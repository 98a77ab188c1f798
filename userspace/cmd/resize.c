// SPDX-License-Identifier: GPL-2.0-only
/*
 * noclone resize: a running device grows.
 *
 * All that can be known to fail is found before anything changes.  Then its file grows, its
 * new table replaces the old one in one suspend and resume, and the file system on it comes
 * last.  Until the new table runs, each step can be undone; a file system that does not grow
 * after that can be grown later.
 */
#include <errno.h>
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/child.h"
#include "base/log.h"
#include "base/size.h"
#include "base/util.h"
#include "model/facts.h"
#include "model/lint.h"
#include "model/name.h"
#include "model/plan.h"
#include "model/resize.h"
#include "model/table.h"
#include "system/blockdev.h"
#include "system/devmap.h"
#include "system/file-lookup.h"
#include "system/growth.h"
#include "system/guard.h"
#include "system/identity.h"
#include "system/live.h"
#include "system/users.h"
#include "cli/load.h"
#include "cli/output.h"
#include "cli/select.h"
#include "cmd/cmd.h"
#include "cmd/saved-update.h"

/**
 * struct resize - one run
 * @o: options
 * @dev: the device
 * @node: path of it
 * @live: its table
 * @new: the table that it is to get
 * @direct: @live with the engine direct, if the file is pinned and has to grow; else empty
 * @running: the table of these that is in use: another one is that of another process
 * @old_sectors: its size
 * @sectors: size that it is to get
 * @room: what it grows into
 * @growth: its file
 * @mounted: the file system on it is, with --resizefs
 * @udev_late: done, but udev has not confirmed it
 * @update: its file as a saved device, locked until the end, but for a dry run
 * @findings: what --force has overridden
 */
struct resize {
	const struct options *o;
	struct devmap_device dev;
	char *node;
	struct live live;
	struct table new, direct;
	const struct table *running;
	uint64_t old_sectors, sectors;
	struct room room;
	struct growth growth;
	bool mounted;
	bool udev_late;
	struct saved_update update;
	struct findings findings;
};

static void resize_free(struct resize *r)
{
	devmap_device_free(&r->dev);
	free(r->node);
	live_free(&r->live);
	table_free(&r->new);
	table_free(&r->direct);
	room_free(&r->room);
	findings_free(&r->findings);
	saved_update_end(&r->update);
}

static const struct target *resize_last(const struct table *t)
{
	return &t->targets[t->nr - 1];
}

/* Log a sentence about the device.  Return: @error. */
static int resize_refuse(const struct resize *r, int error, const char *sentence)
{
	log_err("%s: %s", r->dev.name, sentence);
	return error;
}

static bool resize_grows(const struct resize *r)
{
	return r->sectors > r->old_sectors;
}

/* The facts of before may be old by the time that the lock is there. */
static int resize_lock(struct resize *r)
{
	_cleanup_free_ char *name = xstrdup(r->dev.name);
	int e = saved_update_begin(&r->update, r->o, name, r->dev.uuid);

	if (e)
		return e;
	devmap_device_free(&r->dev);
	r->dev = (struct devmap_device) { 0 };
	return select_device(name, &r->dev);
}

static int resize_find(struct resize *r, const char *word)
{
	_cleanup_free_ char *resume = NULL, *why = NULL, *why_loaded = NULL;
	int e = select_device(word, &r->dev);

	if (!e)
		e = resize_lock(r);
	if (!e)
		e = select_check_owner(r->o, &r->dev);
	if (e)
		return e;
	resume = name_command("resume", r->dev.name);
	why = xasprintf("it is suspended; to resume it: %s", resume);
	why_loaded = xasprintf("another process has loaded a table: \"dmsetup clear %s\" drops that",
			       r->dev.name);
	if (r->dev.suspended)
		return resize_refuse(r, -EBUSY, why);
	if (r->dev.inactive_table)
		return resize_refuse(r, -EBUSY, why_loaded);
	/* without udev there may be no other node */
	r->node = xasprintf("/dev/mapper/%s", r->dev.name);
	if (access(r->node, F_OK)) {
		free(r->node);
		r->node = xasprintf("/dev/dm-%u", minor(r->dev.devno));
	}
	return 0;
}

/* Is each path of the live table that of the file in use?  A new table opens them again. */
static int resize_check_files(const struct resize *r)
{
	unsigned int i;

	for (i = 0; i < r->live.table.nr; i++) {
		_cleanup_free_ char *name = NULL, *sentence = NULL;
		const struct target *t = &r->live.table.targets[i];
		_cleanup_file_facts_ struct file_facts f = { 0 };
		struct file_id found;

		if (!t->path || file_lookup(t->path, false, &f))
			continue;
		found = file_facts_id(&f);
		if (!file_id_differs(&t->id, &found))
			continue;
		name = path_encode(t->path);
		sentence = xasprintf("%s is another file than the one that the device runs on", name);
		return resize_refuse(r, -ESTALE, sentence);
	}
	return 0;
}

static int resize_look(struct resize *r, const char *word)
{
	_cleanup_free_ char *why = NULL;
	int e = resize_find(r, word) ? : select_live(r->dev.name, &r->live);

	if (e)
		return e;
	r->running = &r->live.table;
	why = resize_objection(&r->live.table);
	if (why)
		return resize_refuse(r, -EOPNOTSUPP, why);
	r->old_sectors = table_sectors(&r->live.table);
	return resize_check_files(r);
}

/* The engine extent pins the file, so the device has to run without it for a moment. */
static void resize_plan_direct(struct resize *r)
{
	unsigned int i;

	table_copy(&r->live.table, &r->direct);
	for (i = 0; i < r->direct.nr; i++) {
		struct target *t = &r->direct.targets[i];

		if (!t->path || t->engine != ENGINE_EXTENT)
			continue;
		t->engine = ENGINE_DIRECT;
		/* it is the default, which the kernel does not name when it prints the table */
		t->engine_given = false;
	}
}

static void resize_plan_growth(struct resize *r)
{
	const struct target *last = resize_last(&r->new);
	uint64_t block = r->room.resize.block;
	uint64_t bytes = (last->file_start + last->length) << SECTOR_SHIFT;

	bytes = (bytes + block - 1) / block * block;
	if (bytes <= r->room.file_bytes)
		return;
	r->growth = (struct growth) {
		.path = resize_last(&r->live.table)->path,
		.id = resize_last(&r->live.table)->id,
		.bytes = bytes,
		.old_bytes = r->room.file_bytes,
		.written = opt(r->o, OPT_ALLOCATE) || last->engine == ENGINE_EXTENT,
	};
	if (last->engine == ENGINE_EXTENT)
		resize_plan_direct(r);
}

static int resize_plan_table(struct resize *r, const struct resize_size *size,
			     const struct plan_request *added)
{
	const struct target *last = resize_last(&r->live.table);
	_cleanup_free_ char *why = NULL;
	int e;

	if (added->nr_legs && last->kind != TARGET_LINEAR)
		return resize_refuse(r, -EINVAL, "devices can be added to a linear one only: reload gives it another table");
	e = room_find(&r->room, last, added->legs, added->nr_legs, size->how == RESIZE_MAX);
	if (e)
		return e;
	why = resize_table(&r->live.table, size, &r->room.resize, &r->new);
	if (why && r->room.next && !added->nr_legs)
		log_err("%s: %s; after it comes %s", r->dev.name, why, r->room.next);
	else if (why)
		resize_refuse(r, -ENOSPC, why);
	if (why)
		return -ENOSPC;
	r->sectors = table_sectors(&r->new);
	if (last->path && resize_grows(r))
		resize_plan_growth(r);
	table_rename_devices(&r->new, identity_path);
	return 0;
}

/* The type of what is on the device: a new string, or NULL. */
static char *resize_contents(const struct resize *r)
{
	_cleanup_facts_ struct device_facts f = { 0 };
	_cleanup_free_ char *label = NULL;
	char *type = NULL;

	if (!blockdev_lookup_number(r->dev.devno, &f))
		identity_probe(&f, 0, f.sectors, &type, &label);
	return type;
}

static int resize_plan_filesystem(struct resize *r)
{
	_cleanup_free_ char *type = NULL, *advice = NULL;
	int e;

	if (!opt(r->o, OPT_RESIZEFS))
		return 0;
	e = fsadm_plan(r->node, r->sectors, &r->mounted);
	if (!e || e == -ENOENT || e == -EINTR)
		return e;
	type = resize_contents(r);
	advice = type ? fsadm_advice(type, r->node) : NULL;
	log_err("%s: leave --resizefs out%s%s", r->dev.name,
		advice ? ", and afterwards: " : "", advice ? advice : "");
	return e;
}

static void resize_check_leg(struct resize *r, const char *device, uint32_t block)
{
	_cleanup_facts_ struct device_facts f = { 0 };

	if (blockdev_lookup(device, &f))
		return;
	if (f.readonly && !r->dev.readonly)
		finding_at(&r->findings, FINDING_ERROR, 0, "%s is read-only", device);
	/* a file system that was made for smaller ones may not even be mounted again */
	if (f.logical_block > block)
		finding_at(&r->findings, FINDING_ERROR, 0,
			   "%s has logical blocks of %u bytes, %s of %u: what is on that may not be usable any more",
			   device, f.logical_block, r->dev.name, block);
}

static void resize_check_new_legs(struct resize *r)
{
	_cleanup_facts_ struct device_facts f = { 0 };
	unsigned int i, j;

	if (r->new.nr == r->live.table.nr || blockdev_lookup_number(r->dev.devno, &f))
		return;
	for (i = r->live.table.nr; i < r->new.nr; i++)
		for (j = 0; j < r->new.targets[i].nr_legs; j++)
			resize_check_leg(r, r->new.targets[i].legs[j].device,
					 f.logical_block);
}

/* May it have all that the new table adds? */
static int resize_check(struct resize *r)
{
	const struct target *last = resize_last(&r->live.table);
	const struct target *same = &r->new.targets[r->live.table.nr - 1];
	const struct guard guard = {
		.self = r->dev.devno, .saved = true, .readonly = r->dev.readonly,
	};

	bool cycle = false;

	if (!resize_grows(r))
		return 0;
	guard_table(&r->new, &guard, &r->findings);
	resize_check_new_legs(r);
	room_check_signatures(last, target_leg_length(same) - target_leg_length(last),
			      &r->findings);
	/* a file has to be as large as the new table needs it */
	if (!r->growth.bytes)
		cycle = lint_table(&r->new, &system_facts, r->dev.devno, &r->findings);
	findings_log(&r->findings, r->dev.name, FINDING_ERROR);
	if (cycle)
		return resize_refuse(r, -ELOOP, "refused: a device cannot be built on itself");
	return load_overridden(r->o, &r->findings) ? 0 : -EPERM;
}

static void resize_add_step(struct strbuf *b, char *step)
{
	if (step)
		strbuf_add(b, "%s%s", b->len ? "\n" : "", step);
	free(step);
}

static char *resize_reload_words(const struct resize *r, const struct table *t)
{
	return dry_run_reload(r->o, r->dev.name, r->dev.readonly, t);
}

/* As shell commands, a line each. */
static char *resize_steps(const struct resize *r)
{
	_cleanup_free_ char *load = resize_reload_words(r, &r->new);
	const bool fs = opt(r->o, OPT_RESIZEFS);
	struct strbuf b = { 0 };

	if (fs && !r->mounted)
		resize_add_step(&b, fsadm_check_words(r->node));
	if (r->direct.nr)
		resize_add_step(&b, resize_reload_words(r, &r->direct));
	resize_add_step(&b, growth_words(&r->growth));
	if (resize_grows(r))
		resize_add_step(&b, xasprintf("%s%s", load, saved_update_words(&r->update)));
	if (fs)
		resize_add_step(&b, fsadm_resize_words(r->node));
	return b.len ? strbuf_take(&b) : xstrdup("");
}

static void resize_print_json(const struct resize *r, const char *steps)
{
	_cleanup_free_ char *table = table_print(&r->new, false, identity_loadable, NULL);
	struct json_object *out = output_new("resize");

	output_add_bool(out, "dry_run", true);
	output_add_string(out, "name", r->dev.name);
	output_add_number(out, "old_sectors", r->old_sectors);
	output_add_number(out, "sectors", r->sectors);
	json_object_object_add(out, "table", output_lines(table));
	output_add_findings(out, &r->findings, FINDING_OK);
	json_object_object_add(out, "steps", output_lines(steps));
	output_print(out);
	json_object_put(out);
}

/* A step that fails must not be followed by the next one, also in a shell. */
static void resize_print_steps(const struct resize *r)
{
	_cleanup_free_ char *steps = resize_steps(r);
	char *line, *save = NULL;
	const char *and = "";

	if (opt(r->o, OPT_JSON)) {
		resize_print_json(r, steps);
		return;
	}
	for (line = strtok_r(steps, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		printf("%s%s", and, line);
		and = " &&\n";
	}
	if (*and)
		printf("\n");
}

static bool resize_same_table(const struct table *a, const struct table *b)
{
	_cleanup_free_ char *first = table_print(a, false, NULL, NULL);
	_cleanup_free_ char *second = table_print(b, false, NULL, NULL);

	return !strcmp(first, second);
}

/* Between the checks and here may have been minutes of e2fsck. */
static int resize_check_loaded(const char *name, void *data)
{
	_cleanup_table_ struct table now = { 0 };
	const struct resize *r = data;
	struct load_check unused = {
		.known = &r->findings, .table = &r->new, .saved = true,
		.readonly = r->dev.readonly,
	};
	int e;

	if (live_table(name, &now) || !resize_same_table(&now, r->running))
		return resize_refuse(r, -EBUSY,
				     "another process has changed its table meanwhile: try again");
	e = resize_check_files(r);
	return e ? e : load_still_unused(name, &unused);
}

/* Only if no other process has changed the device, or is about to. */
static int resize_swap_table(struct resize *r, const struct table *t)
{
	const struct devmap_check unchanged = {
		.loaded = resize_check_loaded, .data = r, .alone = true,
	};
	int e = devmap_reload(r->dev.name, t, r->dev.readonly, &unchanged);

	/* the table is running nevertheless */
	r->udev_late |= e == -ETIMEDOUT;
	if (e && e != -ETIMEDOUT)
		return e;
	r->running = t;
	return 0;
}

static int resize_check_grown_file(const struct resize *r)
{
	_cleanup_findings_ struct findings findings = { 0 };

	if (r->growth.bytes)
		lint_table(&r->new, &system_facts, r->dev.devno, &findings);
	findings_log(&findings, r->dev.name, FINDING_ERROR);
	return load_overridden(r->o, &findings) ? 0 : -EINVAL;
}

static int resize_stop_if_requested(const struct resize *r)
{
	return stop_requested() ? resize_refuse(r, -EINTR, "stopped") : 0;
}

/* If a resume failed half-way, the new table may run: then the file has to stay. */
static bool resize_has_old_size(const struct resize *r)
{
	_cleanup_table_ struct table t = { 0 };

	return !live_table(r->dev.name, &t) && table_sectors(&t) == r->old_sectors;
}

static void resize_undo(struct resize *r)
{
	_cleanup_free_ char *words = NULL;

	if (!resize_has_old_size(r))
		return;
	growth_undo(&r->growth);
	if (r->running != &r->direct || !resize_swap_table(r, &r->live.table))
		return;
	words = resize_reload_words(r, &r->live.table);
	log_err("%s runs with the engine direct now; its old table pins its file again: %s",
		r->dev.name, words);
}

/* Up to where the new table runs; a failure leaves the old one, and the old file. */
static int resize_switch(struct resize *r)
{
	int e = resize_stop_if_requested(r);

	if (!e && r->direct.nr)
		e = resize_swap_table(r, &r->direct);
	if (!e)
		e = growth_apply(&r->growth);
	if (!e)
		e = resize_check_grown_file(r);
	if (!e)
		e = resize_stop_if_requested(r);
	if (!e && resize_grows(r))
		e = resize_swap_table(r, &r->new);
	if (e)
		resize_undo(r);
	return e;
}

/* What is on the device does not grow by itself. */
static void resize_report_above(const struct resize *r)
{
	_cleanup_free_ char *type = resize_contents(r);
	_cleanup_free_ char *advice = type ? fsadm_advice(type, r->node) : NULL;
	_cleanup_uses_ struct uses uses = { 0 };
	unsigned int i;

	if (type)
		log_note("%s: %s on it keeps its size%s%s", r->dev.name, type,
			 advice ? "; this makes it larger: " : "", advice ? advice : "");
	open_uses_lasting(&uses, r->dev.devno);
	for (i = 0; i < uses.nr; i++)
		if (uses.use[i].kind == USE_HOLDER)
			log_note("%s: %s, which stands on it, keeps its size", r->dev.name,
				 uses.use[i].by);
}

static void resize_report(const struct resize *r)
{
	_cleanup_free_ char *size = size_format(r->sectors);

	if (!resize_grows(r))
		log_note("%s has that size already", r->dev.name);
	else
		log_verbose("%s has %s", r->dev.name, size);
	live_warn_stand_in(r->dev.name);
	if (resize_grows(r) && !opt(r->o, OPT_RESIZEFS))
		resize_report_above(r);
}

/* A device that has its size already may lack its file, if the command was interrupted. */
static int resize_stage(struct resize *r)
{
	if (!resize_grows(r) && !r->update.left)
		return 0;
	return saved_update_stage(&r->update, &r->new, r->dev.readonly);
}

/* Context: stop_hold(). */
static int resize_run(struct resize *r)
{
	const bool fs = opt(r->o, OPT_RESIZEFS);
	int e = resize_stage(r);

	if (!e && fs && !r->mounted)
		e = fsadm_check(r->node);
	if (!e)
		e = resize_switch(r);
	if (e)
		return e;
	/* with its old size it would be too small for the file system at the next boot */
	e = saved_update_commit(&r->update);
	resize_report(r);
	if (e)
		return e;
	e = fs ? fsadm_resize(r->node) : 0;
	if (e)
		log_err("%s: the device has its new size, the file system does not: fsadm resize %s",
			r->dev.name, r->node);
	return e || !r->udev_late ? e : -ETIMEDOUT;
}

static int resize(struct resize *r, const char *word, const struct resize_size *size,
		  const struct plan_request *added)
{
	int e = resize_look(r, word);

	if (!e)
		e = resize_plan_table(r, size, added);
	if (!e)
		e = resize_plan_filesystem(r);
	if (!e)
		e = resize_check(r);
	if (e)
		return e;
	if (opt(r->o, OPT_DRY_RUN)) {
		e = resize_stage(r);
		if (!e)
			resize_print_steps(r);
		return e;
	}
	stop_hold();
	e = resize_run(r);
	/* the file first: its signals are blocked within those that are held */
	saved_update_end(&r->update);
	stop_release();
	return e;
}

static bool resize_is_size(const char *word)
{
	struct resize_size size;

	return !resize_parse(&size, word);
}

/* NULL, or what is wrong with the words: a new string. */
static char *resize_parse_words(int argc, char **argv, struct resize_size *size,
				struct leg_spec *specs)
{
	const char *wrong = resize_parse(size, argv[1]);
	int i;

	if (wrong && resize_is_size(argv[0]))
		return xasprintf("the name comes before the size: noclone resize %s %s",
				 argv[1], argv[0]);
	if (wrong)
		return xasprintf("%s: %s; expected SIZE, +SIZE or max", argv[1], wrong);
	for (i = 2; i < argc; i++) {
		wrong = leg_spec_parse(&specs[i - 2], argv[i]);
		if (wrong)
			return xasprintf("\"%s\": %s; expected DEV[:START[+LEN]]", argv[i],
					 wrong);
	}
	return NULL;
}

int cmd_resize(const struct options *o, int argc, char **argv)
{
	__attribute__((cleanup(resize_free))) struct resize r = {
		.o = o, .update = SAVED_UPDATE_INIT,
	};
	struct plan_request added = { .nr_legs = argc - 2 };
	_cleanup_free_ char *wrong = NULL;
	struct resize_size size;
	int e;

	added.legs = xzalloc(argc * sizeof(*added.legs));
	wrong = resize_parse_words(argc, argv, &size, added.legs);
	if (wrong)
		log_err("%s", wrong);
	e = wrong ? -EINVAL : resize(&r, argv[0], &size, &added);
	plan_request_free(&added);
	if (wrong)
		return EXIT_USAGE;
	return e ? EXIT_FAILED : EXIT_OK;
}
