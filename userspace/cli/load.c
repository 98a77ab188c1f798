// SPDX-License-Identifier: GPL-2.0-only
/*
 * From the command line to a table that is ready for the kernel: build it,
 * lint it, and check who uses its devices.  Only load_begin() changes anything.
 */
#include "cli/load.h"

#include <errno.h>
#include <string.h>

#include "base/child.h"
#include "base/log.h"
#include "base/util.h"
#include "model/facts.h"
#include "model/lint.h"
#include "model/name.h"
#include "model/problems.h"
#include "model/table.h"
#include "system/backing.h"
#include "system/blockdev.h"
#include "system/devmap.h"
#include "system/file-lookup.h"
#include "system/guard.h"
#include "system/identity.h"
#include "system/module.h"
#include "cli/options.h"
#include "cli/output.h"

static void load_check_file_writable(const struct target *t,
				     const struct facts_source *src,
				     struct problems *problems)
{
	_cleanup_file_facts_ struct file_facts f = { 0 };
	_cleanup_free_ char *name = path_encode(t->path);
	const char *wrong = NULL;

	if (src->lookup_file(src, t->path, false, &f))
		return;
	if (f.immutable)
		wrong = "File is immutable: chattr -i, or use --readonly";
	else if (f.append_only)
		wrong = "File is append-only: chattr -a, or use --readonly";
	else if (f.readonly)
		wrong = "File cannot be opened for writing: use --readonly";
	if (wrong)
		problem_add(problems, PROBLEM_ERROR, t->line, "%s: %s", name,
			    wrong);
}

void load_check_writable(const struct table *t,
			 const struct facts_source *src,
			 struct problems *problems)
{
	unsigned int i, j;

	for (i = 0; i < t->nr; i++) {
		if (t->targets[i].path)
			load_check_file_writable(&t->targets[i], src, problems);
		for (j = 0; j < t->targets[i].nr_legs; j++) {
			_cleanup_facts_ struct device_facts f = { 0 };
			const char *name = t->targets[i].legs[j].device;

			if (blockdev_lookup(name, &f) || !f.readonly)
				continue;
			problem_add(problems, PROBLEM_ERROR, t->targets[i].line,
				    "%s is read-only: use --readonly", name);
		}
	}
}

/* The kernel has its own checks. */
bool load_overridden(const struct options *o, const struct problems *problems)
{
	if (!problems_count(problems, PROBLEM_ERROR))
		return true;
	if (opt(o, OPT_FORCE))
		log_warn("--force: continuing; the kernel may still refuse");
	else
		log_err("refused; --force continues if the kernel permits it");
	return opt(o, OPT_FORCE);
}

const struct facts_source *load_facts(const struct backing *backing)
{
	return backing->path ? &backing->source : &system_facts;
}

static void load_check_table(const struct build *b, const struct facts_source *src,
			     struct table *t, struct problems *problems)
{
	const struct options *o = b->options;
	const struct guard guard = {
		.self = b->self.known ? b->self.devno : 0,
		.exclusive = !opt(o, OPT_DRY_RUN),
		.saved = true,
		.readonly = opt(o, OPT_READONLY),
	};

	lint_table(t, src, &b->self, problems);
	/* what is printed may be kept: numbers of disks change with each boot */
	table_rename_devices(t, opt(o, OPT_DRY_RUN) ? identity_persistent : identity_path);
	if (!opt(o, OPT_READONLY))
		load_check_writable(t, src, problems);
	guard_table(t, &guard, problems);
}

int load_prepare(const struct build *b, struct backing *backing,
		 struct table *t, struct problems *problems)
{
	_cleanup_problems_ struct problems checks = { 0 };
	const char *where = b->options->table ? b->options->table : "table";
	int r = build_table(b, backing, t, problems);

	if (r)
		return r;
	problems_log(problems, where);
	/* --force cannot load what could not be parsed or laid out */
	if (problems_count(problems, PROBLEM_ERROR))
		return -EINVAL;

	load_check_table(b, load_facts(backing), t, &checks);
	problems_log(&checks, where);
	problems_move(problems, &checks);
	/* older kernels do not notice, and the first I/O would hang for ever */
	if (lint_is_cycle(t, load_facts(backing), &b->self)) {
		log_err("refused: a device cannot be built on itself");
		return -ELOOP;
	}
	return load_overridden(b->options, problems) ? 0 : -EINVAL;
}

static bool load_is_known(const struct problem *p, const struct problems *known)
{
	unsigned int i;

	for (i = 0; i < known->nr; i++)
		if (!strcmp(p->text, known->problem[i].text))
			return true;
	return p->severity != PROBLEM_ERROR;
}

int load_still_unused(const char *name, void *data)
{
	_cleanup_devmap_device_ struct devmap_device dev = { 0 };
	_cleanup_problems_ struct problems problems = { 0 };
	const struct load_check *c = data;
	struct guard guard = {
		.loaded = true, .saved = c->saved, .readonly = c->readonly,
	};
	int r = devmap_info(name, &dev);
	unsigned int i;

	if (r) {
		log_err("%s: %s", name, devmap_reason(r));
		return r;
	}
	guard.self = dev.devno;
	guard_table(c->table, &guard, &problems);
	for (i = 0; i < problems.nr; i++) {
		if (load_is_known(&problems.problem[i], c->known))
			continue;
		log_err("%s: %s", name, problems.problem[i].text);
		r = -EBUSY;
	}
	return r;
}

int load_begin(const struct build *b, const struct table *t,
	       struct backing *backing)
{
	_cleanup_problems_ struct problems checks = { 0 };
	int r = module_load_for(t);

	if (r || !backing->needed)
		return r;
	stop_hold();
	r = backing_apply(backing);
	if (r)
		return r;
	/*
	 * The facts about the file were those of the plan; check what has become
	 * of it.  The warnings have been logged with the plan.
	 */
	lint_table(t, &system_facts, &b->self, &checks);
	problems_log_errors(&checks, "table");
	return load_overridden(b->options, &checks) ? 0 : -EINVAL;
}

void load_end(struct backing *backing, bool good)
{
	if (!backing->needed)
		return;
	if (!good)
		backing_undo(backing);
	stop_release();
}
