// SPDX-License-Identifier: GPL-2.0-only
/* The file of a saved device, while a verb changes the device. */
#include "cmd/saved-update.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/child.h"
#include "base/log.h"
#include "base/util.h"
#include "model/table.h"
#include "system/identity.h"
#include "system/saved-file.h"
#include "cli/output.h"
#include "cli/select.h"

/* A file of its name that tells no UUID may be its own. */
static bool saved_update_is_own(const struct saved_update *u)
{
	return saved_file_exists(u->name) && *u->uuid &&
	       (!u->old.uuid || !strcmp(u->old.uuid, u->uuid));
}

int saved_update_begin(struct saved_update *u, const struct options *o, const char *name,
		       const char *uuid)
{
	_cleanup_free_ char *file = NULL, *left = NULL;

	u->name = xstrdup(name);
	u->uuid = xstrdup(uuid);
	u->path = saved_path(name);
	u->dry_run = opt(o, OPT_DRY_RUN);
	/* a name that cannot be saved has no lock */
	if (!u->dry_run && !saved_name_problem(name)) {
		u->lock = saved_file_lock(name);
		if (u->lock < 0)
			return u->lock;
	}
	u->damage = saved_file_peek(name, &u->old);
	u->saved = saved_update_is_own(u);
	left = saved_file_leftover(name, uuid);
	u->left = u->saved && left;
	file = u->saved ? NULL : saved_file_of(name, uuid);
	if (!file)
		return 0;
	log_err("%s is saved under the name %s: \"dmsetup rename %s %s\" gives it back that name",
		name, file, name, file);
	return -EEXIST;
}

/*
 * A device that runs on dm's own targets because the module was missing keeps in its file
 * the targets that are there, with their options.
 */
static int saved_update_follow(const struct saved_update *u, const struct table *new,
			       struct table *table)
{
	const struct table *old = &u->old.table, *kept = NULL;
	_cleanup_table_ struct table live = { 0 };
	int r = select_table(u->name, &live);

	if (r)
		return r;
	if (table_has_noclone(&live) || !table_has_noclone(old))
		kept = new;
	else if (saved_file_compare(old, new) == SAVED_SAME)
		kept = old;
	else if (table_has_noclone(new) && !table_has_file(old))
		kept = new;
	if (kept) {
		table_copy(kept, table);
		return 0;
	}
	log_err("%s runs on dm's own targets because the module was missing: %s it first", u->name,
		table_has_file(old) ? "deactivate and activate" : "convert");
	return -EOPNOTSUPP;
}

/* What the file is to have.  A damaged one says nothing about the device. */
static int saved_update_table(const struct saved_update *u, const struct table *new,
			      struct table *table)
{
	if (u->saved && !u->as_is && !u->damage)
		return saved_update_follow(u, new, table);
	if (u->as_is || (u->add && table_has_noclone(new))) {
		table_copy(new, table);
		return 0;
	}
	if (u->add)
		log_err("%s has no target of this module, and would come back without: noclone convert %s first, or give --force",
			u->name, u->name);
	else
		log_err("%s is not changed, because its file is damaged (%s): \"noclone save %s%s\" writes it again",
			u->name, u->damage, u->old.uuid ? "" : "--force ", u->name);
	return -EINVAL;
}

/* The text of the new file.  Return: 0, or a negative errno after a message. */
static int saved_update_print(struct saved_update *u, struct saved *s)
{
	int r;

	table_rename_devices(&s->table, identity_persistent);
	r = signatures_record(&s->table, u->dry_run);
	if (r)
		return r;
	u->text = saved_print(s);
	if (saved_is_readable(u->text))
		return 0;
	log_err("%s cannot be saved: the UUID has a blank, or the name of a leg or an argument has a \"#\", which begins a comment in a table",
		u->name);
	return -EINVAL;
}

/* Return: 0, or a negative errno after a message. */
static int saved_update_write(struct saved_update *u)
{
	/* also what the rename needs: it comes when the device has changed */
	const char *why = saved_file_unwritable(u->name);
	int r = why ? -EROFS : 0;

	if (!why && !u->dry_run) {
		signals_block(&u->signals);
		r = saved_file_stage(u->name, u->text);
		u->staged = !r;
		if (r)
			signals_unblock(&u->signals);
	}
	if (r)
		log_err("%s cannot be written: %s", u->path, why ? why : strerror(-r));
	return r;
}

int saved_update_stage(struct saved_update *u, const struct table *new, bool readonly)
{
	_cleanup_saved_ struct saved s = { .readonly = readonly };
	_cleanup_findings_ struct findings findings = { 0 };
	_cleanup_free_ char *quoted = shell_quote(u->name ? u->name : "");
	int r;

	if (!u->saved && !u->add)
		return 0;
	s.uuid = xstrdup(u->uuid);
	r = saved_update_table(u, new, &s.table) ? : saved_update_print(u, &s);
	if (r)
		return r;
	if (saved_file_says(u->name, u->text)) {
		/* what an interrupted command has left may be beside it */
		if (!u->dry_run)
			replace_drop(u->path);
		return 0;
	}
	lint_names(&s.table, &findings);
	findings_log(&findings, u->name, FINDING_OK);
	u->words = xasprintf(" && noclone save %s%s",
			     table_has_noclone(&s.table) && !u->as_is ? "" : "--force ", quoted);
	return saved_update_write(u);
}

const char *saved_update_words(const struct saved_update *u)
{
	return u->words ? u->words : "";
}

/* A file that could not be renamed stays: it is all that has the table. */
int saved_update_commit(struct saved_update *u)
{
	int r;

	if (!u->staged)
		return 0;
	r = replace_commit(u->path);
	if (r)
		log_err("replacing %s failed: %s; the device has changed, and %s.new has its table: \"noclone save %s\" tries again",
			u->path, strerror(-r), u->path, u->name);
	else
		saved_file_set_forced(u->name, false);
	u->staged = false;
	signals_unblock(&u->signals);
	return r;
}

void saved_update_end(struct saved_update *u)
{
	if (u->staged) {
		replace_drop(u->path);
		signals_unblock(&u->signals);
	}
	free(u->name);
	free(u->uuid);
	free(u->path);
	free(u->damage);
	saved_free(&u->old);
	free(u->text);
	free(u->words);
	cleanup_close(&u->lock);
	*u = (struct saved_update)SAVED_UPDATE_INIT;
}
