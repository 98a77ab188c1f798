// SPDX-License-Identifier: GPL-2.0-only
/* noclone activate: bring saved devices back. */
#include "cmd/cmd.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/read.h"
#include "base/util.h"
#include "model/lint.h"
#include "model/problems.h"
#include "model/saved.h"
#include "system/blockdev.h"
#include "system/devmap.h"
#include "system/file-lookup.h"
#include "system/guard.h"
#include "system/identity.h"
#include "system/live.h"
#include "system/module.h"
#include "system/saved-file.h"
#include "system/system-facts.h"
#include "cli/dry-run.h"
#include "cli/load.h"
#include "cli/problem-log.h"
#include "cli/uuid.h"
#include "cmd/each-saved.h"
#include "cmd/stand-in.h"

static int read_saved(const char *name, struct saved *s)
{
	_cleanup_problems_ struct problems problems = { 0 };
	_cleanup_free_ char *text = saved_file_read(name);
	_cleanup_free_ char *path = saved_path(name);

	if (!text)
		return -ENOENT;
	saved_parse(s, text, &problems);
	problems_log(&problems, path);
	return problems_count(&problems, PROBLEM_ERROR) ? -EINVAL : 0;
}

/* Return: how many legs have another signature. */
static unsigned int check_signatures(const struct saved *s, struct problems *problems)
{
	unsigned int i, j, refused = 0;

	for (i = 0; i < s->table.nr; i++)
		for (j = 0; j < s->table.targets[i].nr_legs; j++) {
			const struct target *t = &s->table.targets[i];
			_cleanup_facts_ struct device_facts f = { 0 };
			_cleanup_free_ char *found = NULL, *why = NULL;

			/* a device that is missing is the business of others */
			if (blockdev_lookup(t->legs[j].device, &f))
				continue;
			found = identity_signature(f.path, t->legs[j].start,
						   target_leg_length(t));
			why = found ? saved_refusal(s, t, &t->legs[j], found) :
			      xasprintf("%s: cannot be read: %s", t->legs[j].device,
					strerror(errno));
			if (why)
				problem_add(problems, PROBLEM_ERROR, t->line, "%s", why);
			refused += found && why;
		}
	return refused;
}

/* May the errors be ignored?  Those of @signatures the user can answer. */
static int judge(const struct options *o, const char *name, unsigned int errors,
		 unsigned int signatures)
{
	if (!errors)
		return 0;
	if (opt(o, OPT_FORCE)) {
		log_warn("%s: --force: activated nevertheless, if the kernel permits it", name);
		return 0;
	}
	if (errors == signatures)
		log_err("%s is not activated; if all is as it should be: noclone activate --force %s && noclone save %s",
			name, name, name);
	else
		log_err("%s is not activated", name);
	return -EPERM;
}

static int check(const struct options *o, const char *name, struct saved *s,
		 struct problems *problems)
{
	const struct guard guard = {
		.exclusive = !opt(o, OPT_DRY_RUN), .any_signature = true,
	};
	_cleanup_free_ char *path = saved_path(name);
	unsigned int signatures;

	signatures = check_signatures(s, problems);
	lint_table(&s->table, &system_facts, NULL, problems);
	if (!opt(o, OPT_DRY_RUN))
		table_rename_devices(&s->table, identity_path);
	if (!s->readonly)
		load_check_writable(&s->table, &system_facts, problems);
	guard_table(&s->table, &guard, problems);
	problems_log(problems, path);
	return judge(o, name, problems_count(problems, PROBLEM_ERROR), signatures);
}

/* Is what the table needs there?  False after a message that says why not. */
static bool has_module(const struct table *t)
{
	struct module_params m;

	module_params(&m);
	return m.loaded || !table_has_noclone(t) || !module_load();
}

static const char *stand_in(const char *name, const char *uuid, const struct saved *s)
{
	_cleanup_stand_in_ struct stand_in instead;
	int r = stand_in_make(&instead, &s->table, s->readonly);

	if (!r)
		r = devmap_create(name, uuid, &instead.table, s->readonly);
	if (r && r != -ETIMEDOUT)
		return NULL;
	log_warn("%s runs without this module, on %s, until %s", name, instead.nr ?
		 "loop devices" : "dm's own targets", instead.nr ?
		 "it is deactivated and activated again" : "noclone convert changes that");
	return instead.nr ? "activated with loop devices" : "activated with stock targets";
}

static const char *create(const struct options *o, const char *name,
			  const char *uuid, const struct saved *s)
{
	bool module = has_module(&s->table);
	int r;

	if (!module && opt(o, OPT_STRICT)) {
		log_err("%s is not activated: without the module only dm's own targets could be used, and --strict forbids that",
			name);
		return NULL;
	}
	if (!module)
		return stand_in(name, uuid, s);
	r = devmap_create(name, uuid, &s->table, s->readonly);
	if (r && r != -ETIMEDOUT)
		return NULL;
	live_warn_stand_in(name);
	return "activated";
}

static void print_plan(const struct options *o, const char *name, const char *uuid,
		       const struct saved *s, const struct problems *problems)
{
	_cleanup_free_ char *quoted = shell_quote(uuid);
	_cleanup_free_ char *options = xasprintf("%s --uuid %s",
		s->readonly ? " --readonly" : "", quoted);
	_cleanup_free_ char *line = dry_run_dmsetup("create", name, options, &s->table);

	dry_run(o, "activate", name, uuid, &s->table, problems, line);
}

/* A device that has the name already; NULL after a message if it is not the one. */
static const char *check_existing(const char *name, const struct saved *s,
				  const struct devmap_device *dev)
{
	if (!saved_is_device(s, dev->uuid)) {
		log_err("%s: another device has that name (UUID %s): rename or remove it",
			name, *dev->uuid ? dev->uuid : "none");
		return NULL;
	}
	if (dev->live_table)
		return "active already";
	log_err("%s has no table: noclone remove %s, then activate it again", name, name);
	return NULL;
}

/*
 * An activation that was killed leaves a device without a table.  With the lock, nobody
 * is about to load one.
 */
static bool remove_leftover(const struct options *o, const struct saved *s,
			    const struct devmap_device *dev)
{
	if (opt(o, OPT_DRY_RUN) || dev->live_table || dev->open_count || !s->uuid ||
	    !saved_is_device(s, dev->uuid) || devmap_remove(dev->name, true, false))
		return false;
	log_warn("%s: removed what an interrupted activation had left", dev->name);
	return true;
}

static const char *activate(const struct options *o, const char *name)
{
	_cleanup_devmap_device_ struct devmap_device dev = { 0 };
	_cleanup_problems_ struct problems problems = { 0 };
	_cleanup_saved_ struct saved s = { 0 };
	_cleanup_close_ int lock __unused = saved_file_lock(name);
	_cleanup_free_ char *uuid = NULL;
	int r;

	if (read_saved(name, &s))
		return NULL;
	r = devmap_info(name, &dev);
	if (r && !devmap_is_absent(r)) {
		log_err("%s: %s", name, devmap_reason(r));
		return NULL;
	}
	if (!r && !remove_leftover(o, &s, &dev))
		return check_existing(name, &s, &dev);
	uuid = uuid_make(s.uuid);
	if (!uuid || check(o, name, &s, &problems))
		return NULL;
	if (!opt(o, OPT_DRY_RUN))
		return create(o, name, uuid, &s);
	print_plan(o, name, uuid, &s, &problems);
	return "dry run";
}

static bool is_missing(const struct target *t, const void *data __unused)
{
	_cleanup_file_facts_ struct file_facts file = { 0 };
	unsigned int i;

	for (i = 0; i < t->nr_legs; i++) {
		_cleanup_facts_ struct device_facts f = { 0 };

		if (blockdev_lookup(t->legs[i].device, &f))
			return true;
	}
	return t->path && file_lookup(t->path, false, &file);
}

/* Are its legs there?  Another saved device may be one of them. */
static bool is_ready(const char *name)
{
	_cleanup_problems_ struct problems problems = { 0 };
	_cleanup_free_ char *text = saved_file_text(name);
	_cleanup_saved_ struct saved s = { 0 };

	if (text)
		saved_parse(&s, text, &problems);
	return !table_any(&s.table, is_missing, NULL);
}

int cmd_activate(const struct options *o, int argc, char **argv)
{
	static const struct each_saved e = { "activate", is_ready, activate };

	return each_saved(&e, o, argc, argv);
}
