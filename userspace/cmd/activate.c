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
#include "system/live.h"
#include "system/module.h"
#include "system/run-lock.h"
#include "system/saved-file.h"
#include "system/system-facts.h"
#include "cli/dry-run.h"
#include "cli/load.h"
#include "cli/problem-log.h"
#include "cli/uuid.h"
#include "cmd/each-saved.h"
#include "cmd/signatures.h"
#include "cmd/stand-in.h"

/* How long others are waited for that look at legs, see lock_legs() */
#define LEGS_SECONDS	10

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

/* May the errors be ignored?  @answers of them the user knows better. */
static int judge(const struct options *o, const char *name, unsigned int errors,
		 unsigned int answers)
{
	if (!errors)
		return 0;
	if (opt(o, OPT_FORCE)) {
		log_warn("%s: --force: activated nevertheless, if the kernel permits it", name);
		return 0;
	}
	if (errors == answers)
		log_err("%s is not activated; if all is as it should be: noclone activate --force %s && noclone save %s",
			name, name, name);
	else
		log_err("%s is not activated", name);
	return -EPERM;
}

/* What the user has to answer, see judge().  Return: how many errors. */
static unsigned int check_identity(const struct options *o, struct saved *s,
				   struct problems *problems)
{
	if (s->outdated)
		problem_add(problems, PROBLEM_ERROR, s->outdated,
			    "the device has got another table since, which was not saved: the data may be elsewhere by now");
	return !!s->outdated + signatures_check(s, !opt(o, OPT_DRY_RUN), problems);
}

/*
 * Without the module such a file was a loop device, for which a discard makes a hole.
 * Engine extent has no use for a file with holes, and direct fills them.
 */
static void replace_engines(const char *name, struct table *t)
{
	unsigned int i;

	for (i = 0; i < t->nr; i++) {
		_cleanup_file_facts_ struct file_facts f = { 0 };
		struct target *target = &t->targets[i];

		if (!target->path || target->engine != ENGINE_EXTENT ||
		    file_lookup(target->path, true, &f) || !f.map.nr_gaps)
			continue;
		target->engine = ENGINE_DIRECT;
		log_warn("%s: %s has holes or unwritten extents: it is used with engine direct instead of extent",
			 name, target->path);
	}
}

static int check(const struct options *o, const char *name, struct saved *s,
		 struct problems *problems, bool *forced)
{
	const struct guard guard = {
		.exclusive = !opt(o, OPT_DRY_RUN), .any_signature = true,
		.readonly = s->readonly,
	};
	_cleanup_free_ char *path = saved_path(name);
	unsigned int answers = check_identity(o, s, problems);

	*forced = answers;
	replace_engines(name, &s->table);
	lint_table(&s->table, &system_facts, NULL, problems);
	if (!s->readonly)
		load_check_writable(&s->table, &system_facts, problems);
	guard_table(&s->table, &guard, problems);
	problems_log(problems, path);
	return judge(o, name, problems_count(problems, PROBLEM_ERROR), answers);
}

/* What the table needs; a negative errno after a message that says why not. */
static int load_module(const struct table *t)
{
	struct module_params m;

	module_params(&m);
	return m.loaded || !table_has_noclone(t) ? 0 : module_load();
}

/* Without the module, or with an older one that does not know all of the table. */
static const char *stand_in(const struct options *o, const char *name, const char *uuid,
			    const struct saved *s, const struct problems *known, int *legs)
{
	_cleanup_stand_in_ struct stand_in instead = { 0 };
	struct load_check unused = { .known = known, .table = &instead.table };
	const struct devmap_check check_again = { .loaded = load_still_unused, .data = &unused };
	int r;

	if (opt(o, OPT_STRICT)) {
		log_err("%s is not activated: without the module only dm's own targets could be used, and --strict forbids that",
			name);
		return NULL;
	}
	r = stand_in_make(&instead, &s->table, s->readonly);
	if (!r)
		r = devmap_create(name, uuid, &instead.table, s->readonly, &check_again,
				  legs);
	if (r && r != -ETIMEDOUT)
		return NULL;
	log_warn("%s runs without this module, on %s, until %s", name, instead.nr ?
		 "loop devices" : "dm's own targets", instead.nr ?
		 "it is deactivated and activated again" : "noclone convert changes that");
	return instead.nr ? "activated with loop devices" : "activated with stock targets";
}

static const char *create(const struct options *o, const char *name,
			  const char *uuid, const struct saved *s,
			  const struct problems *known, int *legs)
{
	struct load_check unused = {
		.known = known, .table = &s->table, .readonly = s->readonly,
	};
	const struct devmap_check check_again = { .loaded = load_still_unused, .data = &unused };
	int r = load_module(&s->table);

	/* the user has stopped it, and needs no message */
	if (r == -EINTR)
		return NULL;
	if (r)
		return stand_in(o, name, uuid, s, known, legs);
	r = devmap_create(name, uuid, &s->table, s->readonly, &check_again, legs);
	/* what a newer tool has saved */
	if (r == -EINVAL && table_has_noclone(&s->table))
		return stand_in(o, name, uuid, s, known, legs);
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
 * An activation that was killed leaves a device without a table.  With the lock, no
 * other process is about to load one.
 */
static bool remove_leftover(const struct options *o, const struct saved *s,
			    const struct devmap_device *dev)
{
	if (opt(o, OPT_DRY_RUN) || dev->live_table || dev->open_count || !s->uuid ||
	    !saved_is_device(s, dev->uuid) || devmap_remove(dev->name, true))
		return false;
	log_warn("%s: removed what an interrupted activation had left", dev->name);
	return true;
}

/* What is not saved leaves no file of a lock behind. */
static int lock_saved(const char *name)
{
	_cleanup_free_ char *text = saved_file_read(name);

	return text ? saved_file_lock(name) : -ENOENT;
}

/*
 * Who looks whether a leg is in use opens it exclusively, which is in the way of another
 * who does, and of a table that is loaded: at boot many devices come at once.  Without
 * the lock after a while, because a disk that does not answer is none of the others'
 * business.  Return: a file descriptor, or -1.
 */
static int lock_legs(void)
{
	int fd = run_lock_for(RUN_DIR "/legs", LEGS_SECONDS);

	if (fd < 0)
		log_verbose("going on without the lock of the legs: %s", strerror(-fd));
	return fd < 0 ? -1 : fd;
}

static const char *activate(const struct options *o, const char *name)
{
	_cleanup_devmap_device_ struct devmap_device dev = { 0 };
	_cleanup_problems_ struct problems problems = { 0 };
	_cleanup_saved_ struct saved s = { 0 };
	_cleanup_close_ int lock = opt(o, OPT_DRY_RUN) ? -1 : lock_saved(name);
	_cleanup_close_ int legs = -1;
	_cleanup_free_ char *uuid = NULL;
	const char *state;
	bool forced;
	int r;

	if ((lock < 0 && !opt(o, OPT_DRY_RUN)) || read_saved(name, &s))
		return NULL;
	r = devmap_info(name, &dev);
	if (r && !devmap_is_absent(r)) {
		log_err("%s: %s", name, devmap_reason(r));
		return NULL;
	}
	if (!r && !remove_leftover(o, &s, &dev))
		return check_existing(name, &s, &dev);
	uuid = uuid_make(s.uuid);
	if (!opt(o, OPT_DRY_RUN))
		legs = lock_legs();
	if (!uuid || check(o, name, &s, &problems, &forced))
		return NULL;
	if (opt(o, OPT_DRY_RUN)) {
		print_plan(o, name, uuid, &s, &problems);
		return EACH_SAVED_PLAN;
	}
	state = create(o, name, uuid, &s, &problems, &legs);
	if (state)
		saved_file_set_forced(name, forced);
	return state;
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
