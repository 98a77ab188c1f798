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
#include "model/finding.h"
#include "model/lint.h"
#include "model/name.h"
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
				     struct findings *findings)
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
		finding_at(findings, FINDING_ERROR, t->line, "%s: %s", name,
			   wrong);
}

void load_check_writable(const struct table *t,
			 const struct facts_source *src,
			 struct findings *findings)
{
	unsigned int i, j;

	for (i = 0; i < t->nr; i++) {
		if (t->targets[i].path)
			load_check_file_writable(&t->targets[i], src, findings);
		for (j = 0; j < t->targets[i].nr_legs; j++) {
			_cleanup_facts_ struct device_facts f = { 0 };
			const char *name = t->targets[i].legs[j].device;

			if (blockdev_lookup(name, &f) || !f.readonly)
				continue;
			finding_at(findings, FINDING_ERROR, t->targets[i].line,
				   "%s is read-only: use --readonly", name);
		}
	}
}

/* The kernel has its own checks. */
bool load_overridden(const struct options *o, const struct findings *findings)
{
	if (!findings_count(findings, FINDING_ERROR))
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

/* Return: as lint_table(). */
static bool load_check_table(const struct build *b, const struct facts_source *src,
			     struct table *t, struct findings *findings)
{
	bool cycle = lint_table(t, src, b->self, findings);
	const struct options *o = b->options;
	const struct guard guard = {
		.self = b->self,
		.exclusive = !opt(o, OPT_DRY_RUN),
		.saved = true,
		.readonly = opt(o, OPT_READONLY),
	};

	/* what is printed may be kept: numbers of disks change with each boot */
	table_rename_devices(t, opt(o, OPT_DRY_RUN) ? identity_persistent : identity_path);
	if (!opt(o, OPT_READONLY))
		load_check_writable(t, src, findings);
	guard_table(t, &guard, findings);
	return cycle;
}

int load_prepare(const struct build *b, struct backing *backing,
		 struct table *t, struct findings *findings)
{
	_cleanup_findings_ struct findings checks = { 0 };
	const char *where = b->options->table ? b->options->table : "table";
	int r = build_table(b, backing, t, findings);
	bool cycle;

	if (r)
		return r;
	findings_log(findings, where, FINDING_OK);
	/* --force cannot load what could not be parsed or laid out */
	if (findings_count(findings, FINDING_ERROR))
		return -EINVAL;

	cycle = load_check_table(b, load_facts(backing), t, &checks);
	findings_log(&checks, where, FINDING_OK);
	findings_move(findings, &checks);
	if (cycle) {
		log_err("refused: a device cannot be built on itself");
		return -ELOOP;
	}
	return load_overridden(b->options, findings) ? 0 : -EINVAL;
}

static bool load_is_known(const struct finding *p, const struct findings *known)
{
	unsigned int i;

	for (i = 0; i < known->nr; i++)
		if (!strcmp(p->text, known->finding[i].text))
			return true;
	return p->level != FINDING_ERROR;
}

int load_still_unused(const char *name, void *data)
{
	_cleanup_devmap_device_ struct devmap_device dev = { 0 };
	_cleanup_findings_ struct findings findings = { 0 };
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
	guard_table(c->table, &guard, &findings);
	for (i = 0; i < findings.nr; i++) {
		if (load_is_known(&findings.finding[i], c->known))
			continue;
		log_err("%s: %s", name, findings.finding[i].text);
		r = -EBUSY;
	}
	return r;
}

int load_begin(const struct build *b, const struct table *t,
	       struct backing *backing)
{
	_cleanup_findings_ struct findings checks = { 0 };
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
	lint_table(t, &system_facts, b->self, &checks);
	findings_log(&checks, "table", FINDING_ERROR);
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
