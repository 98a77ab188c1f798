// SPDX-License-Identifier: GPL-2.0-only
/*
 * A device gets a table: what create, reload, convert and resize have in common.
 */
#include "cmd/change.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/child.h"
#include "base/log.h"
#include "base/util.h"
#include "model/name.h"
#include "model/table.h"
#include "system/lookup.h"
#include "system/users.h"
#include "system/identity.h"
#include "system/module.h"
#include "cli/output.h"
#include "cli/select.h"

/* A switch would resume it, or drop the table that another process has loaded. */
static int change_check_alone(const struct change *c)
{
	_cleanup_free_ char *resume = name_command("resume", c->dev.name);

	if (c->alone && c->dev.suspended)
		log_err("%s: it is suspended; to resume it: %s", c->dev.name, resume);
	else if (c->alone && c->dev.inactive_table)
		log_err("%s: another process has loaded a table: \"dmsetup clear %s\" drops that",
			c->dev.name, c->dev.name);
	else
		return 0;
	return -EBUSY;
}

int change_begin(struct change *c, const char *word)
{
	_cleanup_devmap_device_ struct devmap_device before = { 0 };
	int r = select_device(word, &before);

	if (!r && !c->late)
		r = saved_update_lock(c, before.name);
	/* the process that had the lock may have changed it */
	if (!r)
		r = select_device(before.name, &c->dev);
	if (!r && !c->late)
		r = saved_update_begin(c);
	if (!r)
		r = change_check_alone(c);
	c->readonly = c->dev.readonly;
	return r ? : select_live(c->dev.name, &c->live);
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
		log_err("refused; --force continues if the kernel permits it");
		return -EINVAL;
	}
	log_warn("--force: continuing; the kernel may still refuse");
	return 0;
}

const struct facts_source *change_facts(const struct change *c)
{
	return c->backing.path ? &c->backing.source : &system_facts;
}

int change_check(struct change *c)
{
	const bool dry_run = opt(c->o, OPT_DRY_RUN);
	const struct guard guard = {
		.self = c->dev.devno, .exclusive = !dry_run, .saved = true,
		.readonly = c->readonly,
	};
	_cleanup_findings_ struct findings checks = { 0 };
	const char *where = c->o->table ? c->o->table : "table";
	bool cycle;

	findings_log(&c->findings, where, FINDING_OK);
	/* --force cannot load what could not be parsed or laid out */
	if (findings_count(&c->findings, FINDING_ERROR))
		return -EINVAL;
	cycle = lint_table(&c->table, change_facts(c), c->dev.devno, &checks);
	/* what is printed may be kept: numbers of disks change with each boot */
	table_rename_devices(&c->table, dry_run ? identity_persistent : identity_path);
	guard_table(&c->table, &guard, &checks);
	findings_log(&checks, where, FINDING_OK);
	findings_move(&c->findings, &checks);
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
static int change_still_unused(const char *name, const struct change *c)
{
	_cleanup_devmap_device_ struct devmap_device dev = { 0 };
	_cleanup_findings_ struct findings findings = { 0 };
	struct guard guard = {
		.loaded = true, .saved = !c->activates && !backing_is_new(&c->backing),
		.readonly = c->readonly,
	};
	int r = devmap_info(name, &dev);
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
	_cleanup_free_ char *before = table_print(&c->live.table, false, NULL, NULL);
	_cleanup_devmap_device_ struct devmap_device now = { 0 };
	_cleanup_table_ struct table t = { 0 };
	_cleanup_free_ char *text = NULL;

	if (!c->live.table.nr)
		return true;
	if (devmap_info(c->dev.name, &now) || strcmp(now.uuid, c->dev.uuid) ||
	    now.devno != c->dev.devno || now.readonly != c->dev.readonly ||
	    (c->alone && now.suspended) || live_table(c->dev.name, &t))
		return false;
	text = table_print(&t, false, NULL, NULL);
	return !strcmp(before, text);
}

/* What the kernel has made of the new table, before it runs. */
static int change_check_faithful(const struct change *c)
{
	_cleanup_table_ struct table loaded = { 0 };
	int r = live_inactive_table(c->dev.name, &loaded);

	if (r)
		log_err("%s: reading the new table back failed: %s", c->dev.name, strerror(-r));
	else if (!exchange_is_faithful(&c->live.table, &loaded))
		log_err("%s: the kernel has made another mapping of the new table", c->dev.name);
	else
		return 0;
	return r ? r : -EILSEQ;
}

/* Between the checks and here may have been an answer, or minutes of e2fsck. */
static int change_check_loaded(const char *name, void *data)
{
	const struct change *c = data;
	_cleanup_free_ char *other = c->agreed ? NULL : change_data(c, &system_facts, false);

	if (!change_is_still(c))
		log_err("%s: another process has changed its table meanwhile: look at it, and try again",
			name);
	else if (other)
		log_err("%s: %s", name, other);
	else
		return c->same ? change_check_faithful(c) : change_still_unused(name, c);
	return -EAGAIN;
}

int change_switch(struct change *c)
{
	const struct devmap_check check = {
		.loaded = change_check_loaded, .data = c, .alone = c->alone,
	};

	if (c->dev.devno)
		return devmap_reload(c->dev.name, &c->table, c->readonly, &check);
	return devmap_create(c->dev.name, c->dev.uuid, &c->table, c->readonly, &check,
			     &c->legs);
}

/* A new device that is not to be saved leaves the file of a saved one as it is. */
static int change_stage(struct change *c)
{
	return c->dev.devno || c->add ? saved_update_stage(c, &c->table) : 0;
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
	cycle = lint_table(&c->table, &system_facts, c->dev.devno, &checks);
	findings_log(&checks, "table", FINDING_ERROR);
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
		r = saved_update_commit(c) ? : r;
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
		saved_update_end(c);
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
	return saved_update_stage(c, &c->live.table) ? : saved_update_commit(c);
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
							 identity_loadable, NULL);
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

int change_print(struct change *c, const char *before, const char *after)
{
	_cleanup_free_ char *file = NULL, *words = change_words(c), *line = NULL;
	int r = change_stage(c);

	if (r)
		return r;
	file = backing_words(&c->backing);
	line = xasprintf("%s%s%s%s%s", before, file, words, c->words ? : "", after);
	dry_run(c->o, c->command, c->dev.name, c->dev.devno ? NULL : c->dev.uuid, &c->table,
		&c->findings, line);
	return 0;
}

void change_end(struct change *c)
{
	saved_update_end(c);
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
