// SPDX-License-Identifier: GPL-2.0-only
/* Change the saved file of a device together with the device. */
#include "cmd/change-file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/stop.h"
#include "base/util.h"
#include "model/finding.h"
#include "model/lint.h"
#include "model/name.h"
#include "model/table-target.h"
#include "model/table-text.h"
#include "system/identity.h"
#include "system/lookup.h"
#include "system/replace.h"
#include "system/saved-file.h"
#include "system/signatures.h"
#include "cli/output.h"

/*
 * Take the lock of the saved file. If no device with this name can be saved, there is no lock to
 * take.
 */
int change_file_lock(struct change_file *f, const char *name)
{
	if (f->lock >= 0 || opt(f->o, OPT_DRY_RUN) || saved_name_problem(name))
		return 0;
	f->lock = saved_file_lock(name);
	return MIN(f->lock, 0);
}

int change_file_read(struct change_file *f)
{
	const char *name = f->dev->name;
	_cleanup_free_ char *file = saved_file_of(name, f->dev->uuid);
	_cleanup_free_ char *left = saved_file_leftover(name, f->dev->uuid);
	_cleanup_free_ char *rename = name_command("rename", name);
	_cleanup_free_ char *quoted = file ? shell_quote(file) : NULL;

	f->path = saved_path(name);
	f->damage = saved_file_peek(name, &f->old);
	f->exists = file && !strcmp(file, name);
	f->left = f->exists && left;
	if (!file || f->exists)
		return 0;
	log_err("%s is saved under the name %s: \"%s %s\" gives the device the saved name again", name, file,
		rename, quoted);
	return -EEXIST;
}

/*
 * Choose the table for the saved file. If the device runs on dm's own targets because the module
 * was missing, the saved file keeps the targets of this module, with their options.
 */
static int change_file_follow(const struct change_file *f, const struct table *new,
			       struct table *table)
{
	const struct table *old = &f->old.table, *kept = NULL;

	if (table_has_noclone(f->live) || !table_has_noclone(old))
		kept = new;
	else if (saved_file_compare(old, new) == SAVED_SAME)
		kept = old;
	else if (table_has_noclone(new) && !table_has_file(old))
		kept = new;
	if (kept) {
		table_copy(kept, table);
		return 0;
	}
	log_err("%s runs on dm's own targets because the module was missing: %s the device first", f->dev->name,
		table_has_file(old) ? "deactivate and activate" : "convert");
	return -EOPNOTSUPP;
}

/*
 * Choose the table for the new file. If the old file is damaged, it has no reliable table of the
 * device, so only a command that saves the device writes the file again.
 *
 * Return: 0, or a negative errno after a message.
 */
static int change_file_choose(const struct change_file *f, const struct table *new,
			      struct table *table)
{
	_cleanup_free_ char *convert = name_noclone("convert", f->dev->name);
	_cleanup_free_ char *save = name_noclone(f->old.uuid ? "save" : "save --force", f->dev->name);
	const char *misplaced;

	if (f->exists && !f->as_is && !f->damage)
		return change_file_follow(f, new, table);
	if (f->as_is || (f->adds && table_has_noclone(new))) {
		table_copy(new, table);
		return 0;
	}
	misplaced = saved_file_misplaced(f->dev->name);
	if (f->adds)
		log_err("%s has only dm's own targets, and would have the same targets after the next boot: run \"%s\" first, or give --force",
			f->dev->name, convert);
	else if (misplaced)
		log_err("%s is not changed, because its file %s cannot be replaced: %s", f->dev->name, f->path, misplaced);
	else
		log_err("%s is not changed, because its saved file is damaged (%s): \"%s\" writes the file again",
			f->dev->name, f->damage, save);
	return -EINVAL;
}

/* Make the text of the new file. Return: 0, or a negative errno after a message. */
static int change_file_print(struct change_file *f, struct saved *s)
{
	int r;

	table_rename_devices(&s->table, identity_persistent);
	if (f->exists && !f->damage)
		saved_keep_disks(&f->old.table, &s->table);
	r = signatures_record(&s->table, opt(f->o, OPT_DRY_RUN), f->adds);
	if (r)
		return r;
	f->text = saved_print(s);
	if (saved_is_readable(f->text))
		return 0;
	log_err("%s cannot be saved: its UUID has a blank, or its table has a \"#\" in the name of a device or in an argument, where \"#\" would begin a comment of the saved file",
		f->dev->name);
	return -EINVAL;
}

/* Write the new file beside the old one. Return: 0, or a negative errno after a message. */
static int change_file_write(struct change_file *f)
{
	/* check that the rename of change_file_commit() will be able to replace the old file */
	const char *why = saved_file_unwritable(f->dev->name);
	int r = why ? -EROFS : 0;

	if (!why && !opt(f->o, OPT_DRY_RUN)) {
		stop_block(&f->signals);
		r = saved_file_stage(f->dev->name, f->text);
		f->staged = !r;
		if (r)
			stop_unblock(&f->signals);
	}
	if (r)
		log_err("%s cannot be written: %s", f->path, why ? why : strerror(-r));
	return r;
}

/*
 * Refuse to save a table with hidden arguments, because they may contain a key. Return: 0, or a
 * negative errno after a message.
 */
static int change_file_check_hidden(const struct change_file *f, const struct table *new)
{
	const struct target *hidden = table_hidden(new);

	if (!hidden)
		return 0;
	log_err("%s cannot be saved: the arguments of its target \"%s\" may contain a key; the program that made the device can bring it back at boot",
		f->dev->name, hidden->type);
	return -EINVAL;
}

/*
 * Refuse to write a new file if "activate --force" has accepted legs whose signatures differ from
 * the saved file. A new file would record the present signatures of the legs, and only "save" or
 * --force may do so.
 */
static int change_file_check_forced(const struct change_file *f)
{
	_cleanup_free_ char *save = name_noclone("save", f->dev->name);

	if (f->adds || opt(f->o, OPT_FORCE) || !saved_file_is_forced(f->dev->name))
		return 0;
	log_err("%s was activated with --force, although the signatures of its legs did not match its saved file: run \"%s\" first, which saves the present signatures",
		f->dev->name, save);
	return -EPERM;
}

int change_file_stage(struct change_file *f, const struct table *new, bool readonly)
{
	_cleanup_saved_ struct saved s = {
		.readonly = readonly, .noscan = f->adds ? f->noscan : f->old.noscan,
	};
	const char *partitions = f->adds ? f->partitions : f->old.partitions;
	_cleanup_findings_ struct findings findings = { 0 };
	_cleanup_free_ char *save = NULL;
	int r;

	if (!f->exists && !f->adds)
		return 0;
	s.uuid = xstrdup(f->dev->uuid);
	s.partitions = partitions ? xstrdup(partitions) : NULL;
	r = change_file_check_hidden(f, new) ? : change_file_choose(f, new, &s.table) ? :
	    change_file_print(f, &s);
	if (r)
		return r;
	if (saved_file_says(f->dev->name, f->text)) {
		/* remove a new file that an interrupted command may have left beside the old one */
		if (!opt(f->o, OPT_DRY_RUN))
			replace_drop(f->path);
		return 0;
	}
	r = change_file_check_forced(f);
	if (r)
		return r;
	lint_names(&s.table, &system_facts, &findings);
	output_log_findings(&findings, f->dev->name, FINDING_OK);
	save = name_noclone(table_has_noclone(&s.table) && !f->as_is ? "save" : "save --force",
			    f->dev->name);
	f->words = xasprintf(" && %s", save);
	return change_file_write(f);
}

/*
 * If the rename fails, the new file stays beside the old one, because no other file has the new
 * table.
 */
int change_file_commit(struct change_file *f)
{
	_cleanup_free_ char *save = name_noclone("save", f->dev->name);
	int r;

	if (!f->staged)
		return 0;
	r = saved_file_commit(f->dev->name);
	if (r)
		log_err("replacing %s failed: %s; the device has its new table, and %s.new has the same table: \"%s\" tries again to replace the file",
			f->path, strerror(-r), f->path, save);
	else
		saved_file_set_forced(f->dev->name, false);
	f->staged = false;
	stop_unblock(&f->signals);
	return r;
}

void change_file_end(struct change_file *f)
{
	if (f->staged) {
		replace_drop(f->path);
		stop_unblock(&f->signals);
	}
	f->staged = false;
	cleanup_close(&f->lock);
	f->lock = -1;
}
