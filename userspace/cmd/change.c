// SPDX-License-Identifier: GPL-2.0-only
/* Give a table to a device, and update its saved file. */
#include "cmd/change.h"

#include <errno.h>
#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/stop.h"
#include "base/util.h"
#include "model/exchange.h"
#include "model/finding.h"
#include "model/lint.h"
#include "model/move.h"
#include "model/name.h"
#include "model/table-target.h"
#include "model/table-text.h"
#include "system/blockdev.h"
#include "system/guard.h"
#include "system/lookup.h"
#include "system/identity.h"
#include "system/live.h"
#include "system/signatures.h"
#include "system/module.h"
#include "system/run-lock.h"
#include "system/saved-file.h"
#include "system/sysfs.h"
#include "cli/output.h"
#include "cli/select.h"

/* LEGS_SECONDS: the longest wait for other commands that check legs, see change_lock_legs() */
#define LEGS_SECONDS	10

int change_begin(struct change *c, const char *word)
{
	_cleanup_devmap_device_ struct devmap_device before = { 0 };
	int r = select_device(word, &before);

	if (!r && !c->needs->locks_late)
		r = change_file_lock(&c->file, before.name);
	/* the process that had the lock may have changed the device */
	if (!r)
		r = select_device(before.name, &c->dev);
	if (!r && !c->needs->locks_late)
		r = change_file_read(&c->file);
	/*
	 * the switch of the table would resume a suspended device, or drop a table of another
	 * process
	 */
	if (!r && c->needs->alone)
		r = select_check_alone(&c->dev, "");
	c->readonly = c->dev.readonly;
	return r ? : select_live(&c->dev, &c->live);
}

/*
 * Remove @seen, a device of this tool without a table, and say whether the name is free then. A
 * command that makes a device holds the lock until the device has a table, so by the time this
 * command has the lock, the device may have a table, or may be gone. In a dry run, only say whether
 * the device could be removed.
 */
static bool change_remove_leftover(struct change *c, const struct devmap_device *seen)
{
	_cleanup_devmap_device_ struct devmap_device now = { 0 };
	int r;

	if (!name_uuid_is_noclone(seen->uuid) || saved_name_problem(c->dev.name))
		return false;
	if (opt(c->o, OPT_DRY_RUN))
		return !seen->open_count;
	if (change_file_lock(&c->file, c->dev.name))
		return false;
	r = devmap_info(c->dev.name, &now);
	return devmap_is_absent(r) ||
	       (!r && name_uuid_is_noclone(now.uuid) && devmap_remove_unfinished(&now));
}

bool change_name_is_free(struct change *c)
{
	_cleanup_devmap_device_ struct devmap_device seen = { 0 };
	int r = devmap_info(c->dev.name, &seen);

	if (devmap_is_absent(r))
		return true;
	if (!r)
		return !seen.live_table && change_remove_leftover(c, &seen);
	/*
	 * In a dry run of a user who is not permitted to use device-mapper, only sysfs shows the
	 * names, and a device that never had a table is not in sysfs.
	 */
	return !blockdev_mapped_number(c->dev.name);
}

static bool change_has_disk(const struct change *c)
{
	struct target *target = NULL;
	unsigned int i;

	while ((target = table_next_leg(&c->table, target, &i)))
		if (!target->path)
			return true;
	return false;
}

/*
 * The check for users opens a leg exclusively, so checks and table loads of other processes fail at
 * the same time. At boot and in scripts, many commands run at the same time. This lock makes other
 * commands wait, from the check until the kernel holds the legs. After some seconds the command
 * continues without the lock, because a disk that does not answer must not stop all other commands.
 */
static void change_lock_legs(struct change *c)
{
	if (c->legs != -1 || opt(c->o, OPT_DRY_RUN) || !change_has_disk(c))
		return;
	c->legs = run_lock_for(RUN_DIR "/legs", LEGS_SECONDS);
	if (c->legs < 0)
		log_verbose("continuing without the lock of the legs: %s", strerror(-c->legs));
}

void change_unlock_legs(struct change *c)
{
	cleanup_close(&c->legs);
	c->legs = -1;
}

/* Decide whether the command may continue despite errors. The kernel has its own checks. */
static int change_judge(const struct change *c, const struct findings *findings, bool cycle)
{
	if (cycle) {
		log_err("%s: refused: a device cannot be built on itself", c->dev.name);
		return -ELOOP;
	}
	if (!findings_count(findings, FINDING_ERROR))
		return 0;
	if (!opt(c->o, OPT_FORCE)) {
		log_err("%s: refused%s", c->dev.name, findings->final ? "" :
			"; with --force, noclone continues, and the kernel decides");
		return -EINVAL;
	}
	log_warn("%s: noclone continues because of --force; the kernel may still refuse", c->dev.name);
	return 0;
}

/* Has --force accepted that a leg may have other data? */
static bool change_accepts_data(const struct findings *f)
{
	unsigned int i;

	for (i = 0; i < f->nr; i++)
		if (f->finding[i].level == FINDING_ERROR && f->finding[i].check &&
		    !strcmp(f->finding[i].check, CHECK_SIGNATURE))
			return true;
	return false;
}

const struct facts_source *change_facts(const struct change *c)
{
	return c->backing.path ? &c->backing.source : &system_facts;
}

int change_check(struct change *c)
{
	const bool dry_run = opt(c->o, OPT_DRY_RUN);
	const struct guard guard = {
		.self = c->dev.devno, .exclusive = !dry_run, .saved = !c->needs->from_file,
		.from_file = c->needs->from_file, .readonly = c->readonly,
		.any_signature = c->partition,
	};
	const char *where = c->needs->from_file ? c->file.path : c->o->table ? :
			    c->table.nr > 1 ? NULL : "";
	bool cycle;

	/* not even --force can load a table that was not parsed or planned */
	if (findings_count(&c->results.findings, FINDING_ERROR)) {
		output_log_findings(&c->results.findings, where, FINDING_OK);
		return -EINVAL;
	}
	change_lock_legs(c);
	/* the legs must have the signatures that the file records */
	if (c->needs->from_file)
		signatures_check(&c->table, !dry_run, &c->results.findings);
	cycle = lint_table(&c->table, change_facts(c), c->dev.devno, &c->results.findings);
	lint_types(&c->table, c->needs->from_file ? FINDING_WARNING : FINDING_ERROR, &c->results.findings);
	/* a user may keep the printed table, and numbers of disks change with each boot */
	if (!c->needs->from_file)
		table_rename_devices(&c->table, dry_run ? identity_persistent : identity_path);
	guard_table(&c->table, &guard, &c->results.findings);
	c->results.forced = change_accepts_data(&c->results.findings);
	output_log_findings(&c->results.findings, where, FINDING_OK);
	return change_judge(c, &c->results.findings, cycle);
}

/*
 * Make a copy of a table for comparisons, with device numbers in the place of names, and with
 * inodes.
 */
static void change_read_new(const struct table *t, const struct facts_source *src,
			    struct table *copy)
{
	unsigned int i;

	table_copy(t, copy);
	table_rename_devices(copy, identity_number);
	for (i = 0; i < copy->nr; i++) {
		_cleanup_file_facts_ struct file_facts f = { 0 };
		struct target *target = &copy->targets[i];

		if (target->path && !src->lookup_file(src, target->path, false, &f))
			target->id = f.id;
	}
}

char *change_data(const struct change *c, const struct facts_source *src, bool all)
{
	_cleanup_table_ struct table old = { 0 }, new = { 0 };

	if (!c->live.table.nr)
		return NULL;
	table_copy(&c->live.table, &old);
	table_rename_devices(&old, identity_number);
	change_read_new(&c->table, src, &new);
	return all ? move_describe(&old, &new) : move_other_file(&old, &new);
}

static bool change_is_known(const struct finding *p, const struct findings *known)
{
	unsigned int i;

	for (i = 0; i < known->nr; i++)
		if (!strcmp(p->text, known->finding[i].text))
			return true;
	return p->level != FINDING_ERROR;
}

/*
 * Has another process taken sectors of the legs since the legs were checked? Device-mapper lets
 * several devices use the same sectors. This check comes after the load of the table and before the
 * switch, and inactive tables count. So if two processes load tables at the same time, the process
 * that loads later finds the table of the other one.
 */
static int change_still_unused(const struct change *c)
{
	const char *name = c->dev.name;
	_cleanup_devmap_device_ struct devmap_device dev = { 0 };
	_cleanup_findings_ struct findings findings = { 0 };
	struct guard guard = {
		.loaded = true, .saved = !c->needs->from_file && !backing_is_new(&c->backing),
		.readonly = c->readonly,
	};
	int r = devmap_look(&c->dev, &dev);
	unsigned int i;

	if (r) {
		log_err("%s: %s", name, devmap_reason(r));
		return r;
	}
	guard.self = dev.devno;
	guard_table(&c->table, &guard, &findings);
	for (i = 0; i < findings.nr; i++) {
		if (change_is_known(&findings.finding[i], &c->results.findings))
			continue;
		log_err("%s: %s", name, findings.finding[i].text);
		r = -EBUSY;
	}
	return r;
}

/* Does the name still belong to the device that was checked, with the same table? */
static bool change_is_still(const struct change *c)
{
	_cleanup_free_ char *before = table_print_all(&c->live.table);
	_cleanup_devmap_device_ struct devmap_device now = { 0 };
	_cleanup_table_ struct table t = { 0 };
	_cleanup_free_ char *text = NULL;

	if (c->needs->creates)
		return true;
	if (devmap_look(&c->dev, &now))
		return false;
	if (!devmap_same_loaded(&c->dev, &now) || now.readonly != c->dev.readonly ||
	    (c->needs->alone && now.suspended) ||
	    devmap_table_of(&c->dev, DEVMAP_TABLE, &t))
		return false;
	text = table_print_all(&t);
	return !strcmp(before, text);
}

/* Check the mapping that the kernel has made of the new table, before the table runs. */
static int change_check_faithful(const struct change *c)
{
	_cleanup_table_ struct table loaded = { 0 };
	int r = devmap_table_of(&c->dev, DEVMAP_INACTIVE_TABLE, &loaded);

	if (r)
		log_err("%s: reading the new table back failed: %s", c->dev.name, strerror(-r));
	else if (!exchange_is_faithful(&c->live.table, &loaded))
		log_err("%s: the table that the kernel has loaded differs from the new table",
			c->dev.name);
	else
		return 0;
	return r ? r : -EILSEQ;
}

/*
 * Does another device have the number of the image by now? The loaded table holds the device of this
 * number, so a later check is not needed.
 */
static bool change_has_lost_image(const struct change *c)
{
	_cleanup_devmap_device_ struct devmap_device now = { 0 };

	return c->image && (devmap_look(c->image, &now) || now.devno != c->image->devno);
}

/*
 * Check the device once more before the switch. Since the first check, minutes may have passed: the
 * user had to answer a question, or e2fsck ran. So nothing that was read before is used.
 */
static int change_check_loaded(void *data)
{
	const struct change *c = data;
	const char *name = c->dev.name;
	_cleanup_free_ char *other = NULL;

	sysfs_forget();
	saved_file_forget(NULL);
	other = c->results.agreed ? NULL : change_data(c, &system_facts, false);
	if (!change_is_still(c))
		log_err("%s: another process has changed its name or table meanwhile: look at the device, and try again",
			name);
	else if (other)
		log_err("%s: %s", name, other);
	else if (change_has_lost_image(c))
		log_err("%s: another process has removed %s meanwhile: try again", name,
			c->image->name);
	else if (!c->loaded || !c->loaded(c))
		return c->needs->same_mapping ? change_check_faithful(c) : change_still_unused(c);
	return -EAGAIN;
}

int change_switch(struct change *c)
{
	const struct devmap_check check = {
		.loaded = change_check_loaded, .data = c, .alone = c->needs->alone,
		.noscan = c->noscan,
	};
	int r;

	change_lock_legs(c);
	r = c->needs->creates ? devmap_create(c->dev.name, c->dev.uuid, &c->table, c->readonly,
					      &check, &c->legs) :
				devmap_reload(&c->dev, &c->table, c->readonly, &check);
	change_unlock_legs(c);
	return r;
}

/* Remove the new device, because its partitions could not be made. A process may have it open. */
static void change_remove(const struct change *c)
{
	_cleanup_free_ char *remove = name_noclone("remove", c->dev.name);
	int r = devmap_remove_existing(&c->dev);

	if (r && r != DEVMAP_UDEV_LATE)
		log_err("%s stays, without all of its partitions: \"%s\" removes the device when it is not in use",
			c->dev.name, remove);
}

int change_switch_all(struct change *c)
{
	int switched = change_switch(c), r = 0;

	if ((!switched || switched == DEVMAP_UDEV_LATE) && c->parts.make)
		r = c->parts.make(c);
	/* activate takes -EINVAL for a table that the module does not know */
	if (r == -EINVAL)
		r = -EBUSY;
	if (r && r != DEVMAP_UDEV_LATE)
		change_remove(c);
	return r ? r : switched;
}

/*
 * Change the backing file, and check facts about the changed file. The planned change was made from
 * older facts, and its warnings have already been logged.
 */
static int change_backing(struct change *c)
{
	_cleanup_findings_ struct findings checks = { 0 };
	int r = backing_apply(&c->backing);
	bool cycle;

	if (r || !c->backing.needed)
		return r;
	sysfs_forget();
	cycle = lint_table(&c->table, &system_facts, c->dev.devno, &checks);
	output_log_findings(&checks, c->table.nr > 1 ? NULL : "", FINDING_ERROR);
	return change_judge(c, &checks, cycle);
}

/* Is a new device gone after the switch has failed, or does the device have its old table? */
static bool change_is_undone(const struct change *c)
{
	_cleanup_devmap_device_ struct devmap_device now = { 0 };

	return c->needs->creates ? devmap_is_absent(devmap_look(&c->dev, &now)) :
				   change_is_still(c);
}

/*
 * Undo the change of the backing file after the switch has failed with @r. If a resume has failed
 * half-way, or a new device could not be removed again, the new table may run, and needs the file.
 * After -EAGAIN the new table of an existing device never ran, and no other table uses a file that
 * is new.
 */
static void change_undo_backing(struct change *c, int r)
{
	const bool never_ran = r == -EAGAIN && !c->needs->creates;

	if ((never_ran && backing_is_new(&c->backing)) || change_is_undone(c))
		backing_undo(&c->backing);
}

/*
 * Change everything in four steps: the backing file, the new saved file beside the old one, the
 * device, and then the saved file in its place. If the device does not run with the new table, the
 * fifth step is the way back. If udev is late, the new table is already running.
 */
static int change_do(struct change *c)
{
	int r = change_backing(c) ? : change_file_stage(&c->file, &c->table, c->readonly);
	bool runs = false;

	if (!r) {
		r = change_switch_all(c);
		runs = !r || r == DEVMAP_UDEV_LATE;
	}
	if (runs)
		return change_file_commit(&c->file) ? : r;
	change_undo_backing(c, r);
	/* unblock the signals that staging has blocked before the signals of stop_hold() */
	change_file_end(&c->file);
	return r;
}

/*
 * Print the result of create, reload, convert or resize with --json. A new device already has its
 * number.
 */
static void change_report(const struct change *c)
{
	_cleanup_devmap_device_ struct devmap_device now = { 0 };
	struct json_object *out;

	if (!opt(c->o, OPT_JSON) || devmap_look(&c->dev, &now))
		return;
	out = output_device(c->needs->command, &now);
	if (c->parts.json)
		json_object_object_add(out, "partitions", json_object_get(c->parts.json));
	output_print(c->o, out);
}

int change_run(struct change *c)
{
	const bool hold = c->backing.needed || c->parts.make;
	int r = module_load_for(&c->table);

	if (r)
		return r;
	if (hold)
		stop_hold();
	r = change_do(c);
	if (hold)
		stop_release();
	if (r)
		return r;
	log_verbose("%s runs with its new table", c->dev.name);
	live_warn_stand_in(c->dev.name);
	change_report(c);
	return 0;
}

int change_finish(struct change *c)
{
	int r = 0;

	if (opt(c->o, OPT_DRY_RUN))
		return 0;
	if (c->file.left)
		r = change_file_stage(&c->file, &c->live.table, c->readonly) ? : change_file_commit(&c->file);
	if (!r)
		change_report(c);
	return r;
}

/* Return: "dmsetup VERB NAME OPTIONS" with the table as dmsetup takes it, a new string. */
static char *change_dmsetup(const struct change *c, const char *verb, const char *options)
{
	_cleanup_free_ char *words = name_command(verb, c->dev.name), *lines = NULL;
	const char *readonly = c->readonly ? " --readonly" : "";
	struct strbuf b = { 0 };
	unsigned int i;

	for (i = 0; i < c->table.nr; i++) {
		_cleanup_free_ char *line = target_print(&c->table.targets[i], false,
							 identity_loadable);
		_cleanup_free_ char *quoted = shell_quote(line);

		strbuf_add(&b, " %s", quoted);
	}
	lines = strbuf_take(&b);
	/* --table takes only one line, so a longer table goes through a pipe */
	return c->table.nr > 1 ?
	       xasprintf("printf '%%s\\n'%s | %s%s%s", lines, words, readonly, options) :
	       xasprintf("%s%s%s --table%s", words, readonly, options, lines);
}

char *change_words(const struct change *c)
{
	const char *nosync = opt(c->o, OPT_NOUDEVSYNC) ? " --noudevsync" : "";
	_cleanup_free_ char *uuid = shell_quote(c->dev.uuid), *options = NULL;
	_cleanup_free_ char *load = NULL, *resume = name_command("resume", c->dev.name);

	options = xasprintf("%s --uuid %s", nosync, uuid);
	if (c->needs->creates)
		return change_dmsetup(c, "create", options);
	load = change_dmsetup(c, "reload", "");
	return xasprintf("%s && %s%s", load, resume, nosync);
}

/*
 * Tell the user that the printed line lacks hidden arguments, and that the user has to insert them
 * before running it.
 */
static void change_say_hidden(struct change *c)
{
	const struct target *hidden = table_hidden(&c->table);
	_cleanup_free_ char *words = hidden ?
		xasprintf("%s stands for the arguments of the target \"%s\", and these arguments may contain a key: insert the arguments before you run this line",
			  TABLE_HIDDEN, hidden->type) : NULL;

	if (!hidden)
		return;
	log_note("%s: %s", c->dev.name, words);
	finding_at(&c->results.findings, FINDING_NOTE, hidden->line, "%s", words);
}

int change_print(struct change *c, const char *before, const char *after)
{
	_cleanup_free_ char *file = NULL, *words = change_words(c), *line = NULL;
	int r = change_file_stage(&c->file, &c->table, c->readonly);

	if (r)
		return r;
	change_say_hidden(c);
	file = backing_words(&c->backing);
	line = xasprintf("%s%s%s%s%s%s", before, file, words, c->parts.words ? : "",
			 c->file.words ? : "", after);
	output_dry_run_parts(c->o, c->needs->command, c->dev.name,
			     c->needs->creates ? c->dev.uuid : NULL, &c->table,
			     &c->results.findings, json_object_get(c->parts.json), line);
	return 0;
}

void change_end(struct change *c)
{
	change_file_end(&c->file);
	cleanup_close(&c->legs);
	free(c->file.path);
	free(c->file.damage);
	saved_free(&c->file.old);
	free(c->file.text);
	free(c->file.words);
	free(c->file.partitions);
	partition_table_free(&c->parts.table);
	free(c->parts.words);
	json_object_put(c->parts.json);
	backing_free(&c->backing);
	findings_free(&c->results.findings);
	table_free(&c->table);
	live_free(&c->live);
	devmap_device_free(&c->dev);
}
