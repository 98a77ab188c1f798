// SPDX-License-Identifier: GPL-2.0-only
/* A device gets a table, and its file with it. */
#include "cmd/change.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/child.h"
#include "base/util.h"
#include "model/name.h"
#include "system/lookup.h"
#include "system/users.h"
#include "system/identity.h"
#include "system/signatures.h"
#include "system/module.h"
#include "system/saved-file.h"
#include "system/sysfs.h"
#include "cli/output.h"
#include "cli/select.h"

/* Seconds to wait for other commands that look at their legs, see change_lock_legs() */
#define LEGS_SECONDS	10

/* The file of a saved device. */

/* A name that cannot be saved has no lock. */
int change_lock(struct change *c, const char *name)
{
	if (c->lock >= 0 || opt(c->o, OPT_DRY_RUN) || saved_name_problem(name))
		return 0;
	c->lock = saved_file_lock(name);
	return MIN(c->lock, 0);
}

int change_read_file(struct change *c)
{
	const char *name = c->dev.name;
	_cleanup_free_ char *file = saved_file_of(name, c->dev.uuid);
	_cleanup_free_ char *left = saved_file_leftover(name, c->dev.uuid);
	_cleanup_free_ char *rename = name_command("rename", name);
	_cleanup_free_ char *quoted = file ? shell_quote(file) : NULL;

	c->path = saved_path(name);
	c->damage = saved_file_peek(name, &c->old);
	c->saved = file && !strcmp(file, name);
	c->left = c->saved && left;
	if (!file || c->saved)
		return 0;
	log_err("%s is saved under the name %s: \"%s %s\" gives it back that name", name, file,
		rename, quoted);
	return -EEXIST;
}

/*
 * A device that runs on dm's own targets because the module was missing keeps in its file
 * the targets that are there, with their options.
 */
static int change_follow(const struct change *c, const struct table *new,
			       struct table *table)
{
	const struct table *old = &c->old.table, *kept = NULL;

	if (table_has_noclone(&c->live.table) || !table_has_noclone(old))
		kept = new;
	else if (saved_file_compare(old, new) == SAVED_SAME)
		kept = old;
	else if (table_has_noclone(new) && !table_has_file(old))
		kept = new;
	if (kept) {
		table_copy(kept, table);
		return 0;
	}
	log_err("%s runs on dm's own targets because the module was missing: %s it first", c->dev.name,
		table_has_file(old) ? "deactivate and activate" : "convert");
	return -EOPNOTSUPP;
}

/* What the file is to have.  A damaged one says nothing about the device. */
static int change_file_table(const struct change *c, const struct table *new,
			      struct table *table)
{
	_cleanup_free_ char *convert = name_noclone("convert", c->dev.name);
	_cleanup_free_ char *save = name_noclone(c->old.uuid ? "save" : "save --force", c->dev.name);
	const char *misplaced;

	if (c->saved && !c->as_is && !c->damage)
		return change_follow(c, new, table);
	if (c->as_is || (c->add && table_has_noclone(new))) {
		table_copy(new, table);
		return 0;
	}
	misplaced = saved_file_misplaced(c->dev.name);
	if (c->add)
		log_err("%s has no target of this module, and would come back without: %s first, or give --force",
			c->dev.name, convert);
	else if (misplaced)
		log_err("%s is not changed, because of %s: %s", c->dev.name, c->path, misplaced);
	else
		log_err("%s is not changed, because its file is damaged (%s): \"%s\" writes it again",
			c->dev.name, c->damage, save);
	return -EINVAL;
}

/* The text of the new file.  Return: 0, or a negative errno after a message. */
static int change_file_print(struct change *c, struct saved *s)
{
	int r;

	table_rename_devices(&s->table, identity_persistent);
	if (c->saved && !c->damage)
		saved_keep_disks(&c->old.table, &s->table);
	r = signatures_record(&s->table, opt(c->o, OPT_DRY_RUN), c->add);
	if (r)
		return r;
	c->text = saved_print(s);
	if (saved_is_readable(c->text))
		return 0;
	log_err("%s cannot be saved: the UUID has a blank, or the name of a leg or an argument has a \"#\", which begins a comment in a table",
		c->dev.name);
	return -EINVAL;
}

/* Return: 0, or a negative errno after a message. */
static int change_write_file(struct change *c)
{
	/* also what the rename needs: it comes when the device has changed */
	const char *why = saved_file_unwritable(c->dev.name);
	int r = why ? -EROFS : 0;

	if (!why && !opt(c->o, OPT_DRY_RUN)) {
		signals_block(&c->signals);
		r = saved_file_stage(c->dev.name, c->text);
		c->staged = !r;
		if (r)
			signals_unblock(&c->signals);
	}
	if (r)
		log_err("%s cannot be written: %s", c->path, why ? why : strerror(-r));
	return r;
}

/* No key reaches a file.  Return: 0, or a negative errno after a message. */
static int change_check_hidden(const struct change *c, const struct table *new)
{
	const struct target *hidden = table_hidden(new);

	if (!hidden)
		return 0;
	log_err("%s cannot be saved: the arguments of its target \"%s\" may contain a key; the program that made the device can bring it back at boot",
		c->dev.name, hidden->type);
	return -EINVAL;
}

/* A file that is written anew records what is on the legs, as only "save" or --force accepts it. */
static int change_check_forced(const struct change *c)
{
	_cleanup_free_ char *save = name_noclone("save", c->dev.name);

	if (c->add || opt(c->o, OPT_FORCE) || !saved_file_is_forced(c->dev.name))
		return 0;
	log_err("%s was activated with --force, and its file would record what its legs have by now: \"%s\" accepts that",
		c->dev.name, save);
	return -EPERM;
}

int change_stage_file(struct change *c, const struct table *new)
{
	_cleanup_saved_ struct saved s = { .readonly = c->readonly };
	_cleanup_findings_ struct findings findings = { 0 };
	_cleanup_free_ char *save = NULL;
	int r;

	if (!c->saved && !c->add)
		return 0;
	s.uuid = xstrdup(c->dev.uuid);
	r = change_check_hidden(c, new) ? : change_file_table(c, new, &s.table) ? :
	    change_file_print(c, &s);
	if (r)
		return r;
	if (saved_file_says(c->dev.name, c->text)) {
		/* what an interrupted command has left may be beside it */
		if (!opt(c->o, OPT_DRY_RUN))
			replace_drop(c->path);
		return 0;
	}
	r = change_check_forced(c);
	if (r)
		return r;
	lint_names(&s.table, &system_facts, &findings);
	findings_log(&findings, c->dev.name, FINDING_OK);
	save = name_noclone(table_has_noclone(&s.table) && !c->as_is ? "save" : "save --force",
			    c->dev.name);
	c->words = xasprintf(" && %s", save);
	return change_write_file(c);
}

/* A file that could not be renamed stays: it is all that has the table. */
int change_commit_file(struct change *c)
{
	_cleanup_free_ char *save = name_noclone("save", c->dev.name);
	int r;

	if (!c->staged)
		return 0;
	r = replace_commit(c->path);
	if (r)
		log_err("replacing %s failed: %s; the device has changed, and %s.new has its table: \"%s\" tries again",
			c->path, strerror(-r), c->path, save);
	else
		saved_file_set_forced(c->dev.name, false);
	c->staged = false;
	signals_unblock(&c->signals);
	return r;
}

void change_end_file(struct change *c)
{
	if (c->staged) {
		replace_drop(c->path);
		signals_unblock(&c->signals);
	}
	c->staged = false;
	cleanup_close(&c->lock);
	c->lock = -1;
}

/* The device. */

int change_begin(struct change *c, const char *word)
{
	_cleanup_devmap_device_ struct devmap_device before = { 0 };
	int r = select_device(word, &before);

	if (!r && !c->late)
		r = change_lock(c, before.name);
	/* the process that had the lock may have changed it */
	if (!r)
		r = select_device(before.name, &c->dev);
	if (!r && !c->late)
		r = change_read_file(c);
	/* a switch would resume it, or drop the table that another process has loaded */
	if (!r && c->alone)
		r = select_check_alone(&c->dev, "");
	c->readonly = c->dev.readonly;
	return r ? : select_live(&c->dev, &c->live);
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
 * The in-use check opens a leg exclusively, which makes the checks and table loads of other
 * processes fail: at boot and in scripts many devices come at once.  This lock keeps these processes
 * apart, from the check until the kernel holds the legs.  The command continues without it after
 * some seconds, because a disk that does not answer must not stop the others.
 */
static void change_lock_legs(struct change *c)
{
	if (c->legs != -1 || opt(c->o, OPT_DRY_RUN) || !change_has_disk(c))
		return;
	c->legs = run_lock_for(RUN_DIR "/legs", LEGS_SECONDS);
	if (c->legs < 0)
		log_verbose("going on without the lock of the legs: %s", strerror(-c->legs));
}

void change_unlock_legs(struct change *c)
{
	cleanup_close(&c->legs);
	c->legs = -1;
}

/* May the errors be ignored?  The kernel has its own checks. */
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
			"; --force continues if the kernel permits it");
		return -EINVAL;
	}
	log_warn("%s: --force: continuing; the kernel may still refuse", c->dev.name);
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
		.self = c->dev.devno, .exclusive = !dry_run, .saved = !c->activates,
		.activates = c->activates, .readonly = c->readonly,
	};
	const char *where = c->activates ? c->path : c->o->table ? :
			    c->table.nr > 1 ? NULL : "";
	bool cycle;

	/* --force cannot load what could not be parsed or laid out */
	if (findings_count(&c->findings, FINDING_ERROR)) {
		findings_log(&c->findings, where, FINDING_OK);
		return -EINVAL;
	}
	change_lock_legs(c);
	/* its legs have to hold what its file says */
	if (c->activates)
		signatures_check(&c->table, !dry_run, &c->findings);
	cycle = lint_table(&c->table, change_facts(c), c->dev.devno, &c->findings);
	lint_types(&c->table, c->activates ? FINDING_WARNING : FINDING_ERROR, &c->findings);
	/* what is printed may be kept: numbers of disks change with each boot */
	if (!c->activates)
		table_rename_devices(&c->table, dry_run ? identity_persistent : identity_path);
	guard_table(&c->table, &guard, &c->findings);
	c->forced = change_accepts_data(&c->findings);
	findings_log(&c->findings, where, FINDING_OK);
	return change_judge(c, &c->findings, cycle);
}

/* A copy to be compared: with device numbers, where the kernel gets names, and inodes. */
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
 * Has another process taken parts of the device since they were checked?  Device-mapper lets
 * devices share the sectors of their legs.  Of two who load a table and look for others before
 * it runs, the later one finds the other: inactive tables count.
 */
static int change_still_unused(const struct change *c)
{
	const char *name = c->dev.name;
	_cleanup_devmap_device_ struct devmap_device dev = { 0 };
	_cleanup_findings_ struct findings findings = { 0 };
	struct guard guard = {
		.loaded = true, .saved = !c->activates && !backing_is_new(&c->backing),
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
		if (change_is_known(&findings.finding[i], &c->findings))
			continue;
		log_err("%s: %s", name, findings.finding[i].text);
		r = -EBUSY;
	}
	return r;
}

/* Is the device the one that was looked at, with the table of then? */
static bool change_is_still(const struct change *c)
{
	_cleanup_free_ char *before = table_print_all(&c->live.table);
	_cleanup_devmap_device_ struct devmap_device now = { 0 };
	_cleanup_table_ struct table t = { 0 };
	_cleanup_free_ char *text = NULL;

	if (!c->dev.devno)
		return true;
	if (devmap_look(&c->dev, &now))
		return false;
	if (!devmap_same_loaded(&c->dev, &now) || now.readonly != c->dev.readonly ||
	    (c->alone && now.suspended) ||
	    devmap_table_of(&c->dev, DEVMAP_TABLE, &t))
		return false;
	text = table_print_all(&t);
	return !strcmp(before, text);
}

/* What the kernel has made of the new table, before it runs. */
static int change_check_faithful(const struct change *c)
{
	_cleanup_table_ struct table loaded = { 0 };
	int r = devmap_table_of(&c->dev, DEVMAP_INACTIVE_TABLE, &loaded);

	if (r)
		log_err("%s: reading the new table back failed: %s", c->dev.name, strerror(-r));
	else if (!exchange_is_faithful(&c->live.table, &loaded))
		log_err("%s: the kernel has made another mapping of the new table", c->dev.name);
	else
		return 0;
	return r ? r : -EILSEQ;
}

/*
 * Between the checks and here may have been an answer, or minutes of e2fsck: nothing that was read
 * before counts.
 */
static int change_check_loaded(void *data)
{
	const struct change *c = data;
	const char *name = c->dev.name;
	_cleanup_free_ char *other = NULL;

	sysfs_forget();
	saved_file_forget(NULL);
	other = c->agreed ? NULL : change_data(c, &system_facts, false);
	if (!change_is_still(c))
		log_err("%s: another process has changed its name or table meanwhile: look at it, and try again",
			name);
	else if (other)
		log_err("%s: %s", name, other);
	else
		return c->same ? change_check_faithful(c) : change_still_unused(c);
	return -EAGAIN;
}

int change_switch(struct change *c)
{
	const struct devmap_check check = {
		.loaded = change_check_loaded, .data = c, .alone = c->alone,
	};
	int r;

	change_lock_legs(c);
	r = c->dev.devno ? devmap_reload(&c->dev, &c->table, c->readonly, &check) :
	    devmap_create(c->dev.name, c->dev.uuid, &c->table, c->readonly, &check, &c->legs);
	change_unlock_legs(c);
	return r;
}

/* A new device that is not to be saved leaves the file of a saved one as it is. */
static int change_stage(struct change *c)
{
	return c->dev.devno || c->add ? change_stage_file(c, &c->table) : 0;
}

/*
 * The facts about the file were those of the plan; check what has become of it.  The
 * warnings have been logged with the plan.
 */
static int change_file(struct change *c)
{
	_cleanup_findings_ struct findings checks = { 0 };
	int r = backing_apply(&c->backing);
	bool cycle;

	if (r || !c->backing.needed)
		return r;
	sysfs_forget();
	cycle = lint_table(&c->table, &system_facts, c->dev.devno, &checks);
	findings_log(&checks, c->table.nr > 1 ? NULL : "", FINDING_ERROR);
	return change_judge(c, &checks, cycle);
}

static int change_do(struct change *c)
{
	bool good = false;
	int r = change_file(c);

	if (!r)
		r = change_stage(c);
	if (!r) {
		r = change_switch(c);
		/* with udev late, the new table is running */
		good = !r || r == -ETIMEDOUT;
	}
	if (good)
		r = change_commit_file(c) ? : r;
	/*
	 * If a resume failed half-way, the new table may run: then the file has to stay.  With
	 * -EAGAIN it never ran, and no other table has a file that is new.
	 */
	if (!good && ((r == -EAGAIN && backing_is_new(&c->backing)) || change_is_still(c)))
		backing_undo(&c->backing);
	/*
	 * The signals of a staged file are blocked within those that are held.  The unit that
	 * create starts takes the lock; of other verbs it stays until change_end().
	 */
	if (!good || !c->dev.devno)
		change_end_file(c);
	return r;
}

int change_run(struct change *c)
{
	const bool hold = c->backing.needed;
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
	return 0;
}

int change_finish(struct change *c)
{
	if (opt(c->o, OPT_DRY_RUN) || !c->left)
		return 0;
	return change_stage_file(c, &c->live.table) ? : change_commit_file(c);
}

/* "dmsetup VERB NAME OPTIONS" with the table the way dmsetup takes it: a new string. */
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
	/* --table takes one line only, so longer tables go through a pipe */
	return c->table.nr > 1 ?
	       xasprintf("printf '%%s\\n'%s | %s%s%s", lines, words, readonly, options) :
	       xasprintf("%s%s%s --table%s", words, readonly, options, lines);
}

static char *change_words(const struct change *c)
{
	const char *nosync = opt(c->o, OPT_NOUDEVSYNC) ? " --noudevsync" : "";
	_cleanup_free_ char *uuid = shell_quote(c->dev.uuid), *options = NULL;
	_cleanup_free_ char *load = NULL, *resume = name_command("resume", c->dev.name);

	options = xasprintf("%s --uuid %s", nosync, uuid);
	if (!c->dev.devno)
		return change_dmsetup(c, "create", options);
	load = change_dmsetup(c, "reload", "");
	return xasprintf("%s && %s%s", load, resume, nosync);
}

/* The line has no key, and cannot be run as it is printed. */
static void change_say_hidden(struct change *c)
{
	const struct target *hidden = table_hidden(&c->table);
	_cleanup_free_ char *words = hidden ?
		xasprintf("%s stands for the arguments of its target \"%s\", which may contain a key: put them in before the line is run",
			  TABLE_HIDDEN, hidden->type) : NULL;

	if (!hidden)
		return;
	log_note("%s: %s", c->dev.name, words);
	finding_at(&c->findings, FINDING_NOTE, hidden->line, "%s", words);
}

int change_print(struct change *c, const char *before, const char *after)
{
	_cleanup_free_ char *file = NULL, *words = change_words(c), *line = NULL;
	int r = change_stage(c);

	if (r)
		return r;
	change_say_hidden(c);
	file = backing_words(&c->backing);
	line = xasprintf("%s%s%s%s%s", before, file, words, c->words ? : "", after);
	dry_run(c->o, c->command, c->dev.name, c->dev.devno ? NULL : c->dev.uuid, &c->table,
		&c->findings, line);
	return 0;
}

void change_end(struct change *c)
{
	change_end_file(c);
	cleanup_close(&c->legs);
	free(c->path);
	free(c->damage);
	saved_free(&c->old);
	free(c->text);
	free(c->words);
	backing_free(&c->backing);
	findings_free(&c->findings);
	table_free(&c->table);
	live_free(&c->live);
	devmap_device_free(&c->dev);
}
