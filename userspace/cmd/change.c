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
	/* while this command waited for the lock, another process may have changed the device */
	if (!r)
		r = select_device(before.name, &c->dev);
	if (!r && !c->needs->locks_late)
		r = change_file_read(&c->file);
	/*
	 * a new table would resume a suspended device, or replace an inactive table that another
	 * process has loaded
	 */
	if (!r && c->needs->alone)
		r = select_check_alone(&c->dev, "");
	c->readonly = c->dev.readonly;
	return r ? : select_live(&c->dev, &c->live);
}

bool change_remove_leftover(struct change *c, const struct devmap_device *dev)
{
	if (!opt(c->o, OPT_DRY_RUN))
		return devmap_remove_unfinished(dev);
	if (dev->live_table || dev->open_count)
		return false;
	/* the checks must not take the leftover for another user of the legs */
	c->dev.devno = dev->devno;
	return true;
}

/*
 * Lock the saved file, and remove @seen, a device of this tool without a table. Another command may
 * be making @seen at this moment. It holds the lock until the device has a table, so when this
 * function gets the lock, the device may have a table, or may be gone. A dry run takes no lock, and
 * only finds out whether @seen can be removed.
 *
 * Return: true if the name is free afterwards.
 */
static bool change_lock_and_remove(struct change *c, const struct devmap_device *seen)
{
	_cleanup_devmap_device_ struct devmap_device now = { 0 };
	int r;

	if (!name_uuid_is_noclone(seen->uuid) || saved_name_problem(c->dev.name) ||
	    change_file_lock(&c->file, c->dev.name))
		return false;
	r = devmap_info(c->dev.name, &now);
	return devmap_is_absent(r) ||
	       (!r && name_uuid_is_noclone(now.uuid) && change_remove_leftover(c, &now));
}

bool change_make_name_free(struct change *c)
{
	_cleanup_devmap_device_ struct devmap_device seen = { 0 };
	int r = devmap_info(c->dev.name, &seen);

	/* a leftover that an earlier call has found may be gone */
	c->dev.devno = 0;
	if (devmap_is_absent(r))
		return true;
	if (!r)
		return !seen.live_table && change_lock_and_remove(c, &seen);
	/*
	 * If a user who is not permitted to use device-mapper starts a dry run, only sysfs shows
	 * the names of devices. Devices that never had a table are not in sysfs.
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
 * Take the lock of the legs, so that other commands wait from the check of the legs until the
 * kernel holds the legs. The check opens each leg exclusively. Without the lock, the checks and
 * table loads of other commands with the same leg would fail at that moment. This is likely at boot
 * and in scripts, where many commands run at the same time. After LEGS_SECONDS, the command
 * continues without the lock, because a disk that does not answer must not stop all other commands.
 *
 * Return: 0, or -EINTR after a message if a signal stops the command.
 */
static int change_lock_legs(struct change *c)
{
	if (c->legs != -1 || opt(c->o, OPT_DRY_RUN) || !change_has_disk(c))
		return 0;
	c->legs = run_lock_for(RUN_DIR "/legs", LEGS_SECONDS);
	if (c->legs == -EINTR)
		log_err("%s: a signal has stopped the command", c->dev.name);
	else if (c->legs < 0)
		log_verbose("continuing without the lock of the legs: %s", strerror(-c->legs));
	return c->legs == -EINTR ? -EINTR : 0;
}

void change_unlock_legs(struct change *c)
{
	cleanup_close(&c->legs);
	c->legs = -1;
}

/*
 * Other commands lock the saved file first and then the legs. So if this command has to wait for
 * another command, it releases the lock of the legs: otherwise the other command, and all commands
 * that check legs, would wait as well. change_switch() takes the lock of the legs again.
 */
int change_lock_late(struct change *c)
{
	if (c->legs >= 0 && c->file.lock < 0 && saved_file_is_locked(c->dev.name))
		change_unlock_legs(c);
	return change_file_lock(&c->file, c->dev.name);
}

/*
 * Decide whether the command may continue although the checks have found errors. With --force it
 * continues, and the kernel makes its own checks. @cycle: the device would stand on itself, and
 * --force does not help.
 */
static int change_judge(const struct change *c, const struct findings *findings, bool cycle)
{
	if (cycle) {
		log_err("%s: refused: a device cannot be built on itself", c->dev.name);
		return -ELOOP;
	}
	if (!findings_count(findings, FINDING_ERROR))
		return 0;
	if (!opt(c->o, OPT_FORCE)) {
		log_err("%s: refused%s", c->dev.name, findings->kernel_refuses ? "" :
			"; with --force, noclone continues, and the kernel decides");
		return -EINVAL;
	}
	log_warn("%s: noclone continues because of --force; the kernel may still refuse", c->dev.name);
	return 0;
}

/*
 * Has a check found that a leg may have other data than when the device was saved? If the command
 * continues nevertheless, --force has accepted this.
 */
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

/*
 * Check whether the device may get the new table. An error that the parser or the plan has found
 * ends the command. Otherwise these checks add their findings, and change_judge() decides:
 *
 * signatures_check()	does each leg of a saved device have the signature that was saved?
 * lint_table()		does the table fit itself, the sizes of its legs, and its files?
 * lint_types()		does the tool know the arguments of each target?
 * guard_table()	do other devices, mounts or processes use the legs or files?
 */
int change_check(struct change *c)
{
	const bool dry_run = opt(c->o, OPT_DRY_RUN);
	const struct guard guard = {
		.self = c->dev.devno, .exclusive = !dry_run, .saved = !c->needs->from_saved,
		.from_saved = c->needs->from_saved, .readonly = c->readonly,
		.any_signature = c->partition,
	};
	/* the text before a finding without a subject; NULL: "part N"; empty: no text */
	const char *where = c->needs->from_saved ? c->file.path : c->o->table ? :
			    c->table.nr > 1 ? NULL : "";
	bool cycle;
	int r;

	/*
	 * after an error of the parser or of the plan there is no complete table, so even --force
	 * has nothing to load
	 */
	if (findings_count(&c->results.findings, FINDING_ERROR)) {
		output_log_findings(&c->results.findings, where, FINDING_OK);
		return -EINVAL;
	}
	r = change_lock_legs(c);
	if (r)
		return r;
	/* the legs must have the signatures that the saved file records */
	if (c->needs->from_saved)
		signatures_check(&c->table, !dry_run, &c->results.findings);
	cycle = lint_table(&c->table, change_facts(c), c->dev.devno, &c->results.findings);
	lint_types(&c->table, c->needs->from_saved ? FINDING_WARNING : FINDING_ERROR,
		   &c->results.findings);
	/*
	 * replace the names of the legs by the paths of their devices; in a dry run, by names that
	 * survive a reboot, because a user may keep the table that a dry run prints, and numbers of
	 * disks change with each boot
	 */
	if (!c->needs->from_saved)
		table_rename_devices(&c->table, dry_run ? identity_persistent : identity_path);
	guard_table(&c->table, &guard, &c->results.findings);
	c->results.forced = change_accepts_data(&c->results.findings);
	output_log_findings(&c->results.findings, where, FINDING_OK);
	return change_judge(c, &c->results.findings, cycle);
}

/*
 * Copy a new table for a comparison with the live table: in the copy, device numbers replace the
 * names of devices, and each backing file has its inode number.
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

void change_agree(struct change *c)
{
	struct table *agreed = &c->results.agreed;
	unsigned int i;

	change_read_new(&c->table, change_facts(c), agreed);
	/* a file that the command itself will create has no inode yet */
	for (i = 0; i < agreed->nr; i++)
		agreed->targets[i].id.known = agreed->targets[i].id.inode;
}

/*
 * Does a path of the new table lead to another file than the user expects? If the user knows that
 * the device gets other data, the files count that the new table had then; otherwise the files of
 * the live table count.
 *
 * Return: a sentence about the file, a new string, or NULL.
 */
static char *change_other_file(const struct change *c)
{
	_cleanup_table_ struct table now = { 0 };

	if (!c->results.agreed.nr)
		return change_data(c, &system_facts, false);
	change_read_new(&c->table, &system_facts, &now);
	return move_other_file(&c->results.agreed, &now);
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
 * Has another process begun to use the legs or files since they were checked? Device-mapper lets
 * several devices use the same sectors. This check runs after the new table is loaded and before
 * the switch, and the check also finds inactive tables of other devices. So if two processes load
 * tables at the same time, the process that loads later finds the table of the other process.
 */
static int change_still_unused(const struct change *c)
{
	const char *name = c->dev.name;
	_cleanup_devmap_device_ struct devmap_device dev = { 0 };
	_cleanup_findings_ struct findings findings = { 0 };
	struct guard guard = {
		.recheck = true, .saved = !c->needs->from_saved && !backing_is_new(&c->backing),
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

/*
 * Does the device still have the name, the table and the read-only state that were checked? The
 * answer is always yes for a device that the command creates.
 */
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

/*
 * Read back the table that the kernel has loaded, and check that it maps each sector to the same
 * place as the live table.
 */
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
 * Has the device of the image lost its number, so that another device may have this number? The
 * table is already loaded, and holds the device with this number, so the number cannot change after
 * this check.
 */
static bool change_has_lost_image(const struct change *c)
{
	_cleanup_devmap_device_ struct devmap_device now = { 0 };

	return c->image && (devmap_look(c->image, &now) || now.devno != c->image->devno);
}

/*
 * Check that the device, its backing files and the device of its image are those that were checked.
 */
static int change_check_same(const struct change *c)
{
	const char *name = c->dev.name;
	_cleanup_free_ char *other = change_other_file(c);

	if (!change_is_still(c))
		log_err("%s: another process has changed its name or table meanwhile: look at the device, and try again",
			name);
	else if (other)
		log_err("%s: %s", name, other);
	else if (change_has_lost_image(c))
		log_err("%s: another process has removed %s meanwhile: try again", name,
			c->image->name);
	else
		return 0;
	return -EAGAIN;
}

/*
 * Check the device once more before the switch. Minutes may have passed since the first check,
 * because the user had to answer a question, or e2fsck ran. So this check forgets cached data, and
 * reads the device and the system again.
 */
static int change_check_loaded(void *data)
{
	const struct change *c = data;
	int r;

	sysfs_forget();
	saved_file_forget(NULL);
	r = change_check_same(c);
	if (!r && c->extra_check && c->extra_check(c))
		r = -EAGAIN;
	if (r)
		return r;
	return c->needs->same_mapping ? change_check_faithful(c) : change_still_unused(c);
}

int change_switch(struct change *c)
{
	const struct devmap_check check = {
		.check_loaded = change_check_loaded, .data = c, .alone = c->needs->alone,
		.noscan = c->noscan,
	};
	int r = change_lock_legs(c);

	if (r)
		return r;
	r = c->needs->creates ? devmap_create(c->dev.name, c->dev.uuid, &c->table, c->readonly,
					      &check, &c->legs) :
				devmap_reload(&c->dev, &c->table, c->readonly, &check);
	change_unlock_legs(c);
	return r;
}

/*
 * Remove the new device, because its partition devices could not be made. If a process already has
 * the new device open, the device stays.
 */
static void change_remove(const struct change *c)
{
	_cleanup_free_ char *remove = name_noclone("remove", c->dev.name);
	int r = devmap_remove_existing(&c->dev);

	if (!devmap_is_done(r))
		log_err("%s stays, without all of its partitions: \"%s\" removes the device when it is not in use",
			c->dev.name, remove);
}

int change_switch_all(struct change *c)
{
	int switched = change_switch(c), r = 0;

	if (devmap_is_done(switched) && c->parts.make)
		r = c->parts.make(c);
	if (!devmap_is_done(r))
		change_remove(c);
	return r ? r : switched;
}

/*
 * Change the backing file, and check the new table again with the facts about the changed file. The
 * first check used planned facts about the file, and has already logged the warnings, so this check
 * logs only errors.
 */
static int change_backing(struct change *c)
{
	_cleanup_findings_ struct findings checks = { 0 };
	bool cycle;
	int r;

	if (!c->backing.needed)
		return 0;
	/* other commands do not wait while zeroes are written */
	change_unlock_legs(c);
	r = backing_apply(&c->backing);
	if (r)
		return r;
	sysfs_forget();
	cycle = lint_table(&c->table, &system_facts, c->dev.devno, &checks);
	output_log_findings(&checks, c->table.nr > 1 ? NULL : "", FINDING_ERROR);
	return change_judge(c, &checks, cycle);
}

/*
 * Has the failed switch left no change? This is the case if the new device is gone, or if the
 * existing device still has its old table.
 */
static bool change_is_undone(const struct change *c)
{
	_cleanup_devmap_device_ struct devmap_device now = { 0 };

	return c->needs->creates ? devmap_is_absent(devmap_look(&c->dev, &now)) :
				   change_is_still(c);
}

/*
 * Undo the change of the backing file after the switch has failed with @r, unless a table needs the
 * changed file. If a resume has failed half-way, or a new device could not be removed again, the
 * new table may run, and needs the changed file. After -EAGAIN, the new table of an existing device
 * never ran; if this command has created the file, no other table uses it.
 */
static void change_undo_backing(struct change *c, int r)
{
	const bool never_ran = r == -EAGAIN && !c->needs->creates;

	if ((never_ran && backing_is_new(&c->backing)) || change_is_undone(c))
		backing_undo(&c->backing);
}

/*
 * Make the change in four steps: change the backing file, write the new saved file beside the old
 * one, switch the device to the new table, and put the new saved file in the place of the old one.
 * If the device does not run with the new table, the last step is replaced: the first two steps are
 * undone. DEVMAP_UDEV_LATE means that the new table runs, and that udev did not answer in time.
 */
static int change_do(struct change *c)
{
	int r = change_backing(c) ? : change_file_stage(&c->file, &c->table, c->readonly);
	bool runs = false;

	if (!r) {
		r = change_switch_all(c);
		runs = devmap_is_done(r);
	}
	if (runs)
		return change_file_commit(&c->file) ? : r;
	change_undo_backing(c, r);
	/*
	 * change_file_stage() has blocked signals after stop_hold(), so unblock them before
	 * stop_release()
	 */
	change_file_end(&c->file);
	return r;
}

/*
 * With --json, print the result of create, reload, convert or resize. The device is read again,
 * because @c->dev has no number if the device is new.
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
	/* hold back signals if a changed file or partition devices may have to be undone */
	const bool hold = c->backing.needed || c->parts.make;
	/* load the module, as modprobe does, if the table needs the module and it is not loaded */
	int r = module_load_for(&c->table);

	if (r)
		return r;
	if (hold)
		stop_hold();
	r = change_do(c);
	if (hold)
		stop_release();
	if (!devmap_is_done(r))
		return r;
	log_verbose("%s runs with its new table", c->dev.name);
	/* a target noclone-file may run with another engine than the requested one */
	live_warn_engine(c->dev.name);
	change_report(c);
	return r;
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
	/*
	 * the option --table takes a table of one line only, so a longer table goes through a pipe
	 */
	return c->table.nr > 1 ?
	       xasprintf("printf '%%s\\n'%s | %s%s%s", lines, words, readonly, options) :
	       xasprintf("%s%s%s --table%s", words, readonly, options, lines);
}

/*
 * Return: the command that removes the leftover with the name of the new device, with " && " behind
 * it, a new string. The string is empty if change_remove_leftover() has found no leftover.
 */
static char *change_leftover_words(const struct change *c)
{
	_cleanup_free_ char *remove = name_command("remove", c->dev.name);

	return c->dev.devno ? xasprintf("%s && ", remove) : xstrdup("");
}

char *change_words(const struct change *c)
{
	const char *nosync = opt(c->o, OPT_NOUDEVSYNC) ? " --noudevsync" : "";
	_cleanup_free_ char *uuid = shell_quote(c->dev.uuid), *options = NULL;
	_cleanup_free_ char *load = NULL, *resume = name_command("resume", c->dev.name);
	_cleanup_free_ char *before = NULL;

	options = xasprintf("%s --uuid %s", nosync, uuid);
	if (c->needs->creates) {
		before = change_leftover_words(c);
		load = change_dmsetup(c, "create", options);
		return xasprintf("%s%s", before, load);
	}
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

/* Tell the user that the printed commands do not keep the udev rules of other programs away. */
static void change_say_noscan(struct change *c)
{
	static const char words[] = "dmsetup has no option like --noscan, so the rules of udev may start what is on the devices of the printed commands";

	if (!c->noscan)
		return;
	log_note("%s: %s", c->dev.name, words);
	finding_at(&c->results.findings, FINDING_NOTE, 0, "%s", words);
}

int change_print(struct change *c, const char *before, const char *after)
{
	_cleanup_free_ char *file = NULL, *words = change_words(c), *line = NULL;
	int r = change_file_stage(&c->file, &c->table, c->readonly);

	if (r)
		return r;
	change_say_hidden(c);
	change_say_noscan(c);
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
	table_free(&c->results.agreed);
	table_free(&c->table);
	live_free(&c->live);
	devmap_device_free(&c->dev);
}
