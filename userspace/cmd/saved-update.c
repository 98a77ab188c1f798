// SPDX-License-Identifier: GPL-2.0-only
/* The file of a saved device, while a verb changes the device. */
#include "cmd/change.h"

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
static bool saved_update_is_own(const struct change *c)
{
	return saved_file_exists(c->dev.name) && *c->dev.uuid &&
	       (!c->old.uuid || !strcmp(c->old.uuid, c->dev.uuid));
}

/* A name that cannot be saved has no lock. */
int saved_update_lock(struct change *c, const char *name)
{
	if (opt(c->o, OPT_DRY_RUN) || saved_name_problem(name))
		return 0;
	c->lock = saved_file_lock(name);
	return MIN(c->lock, 0);
}

int saved_update_begin(struct change *c)
{
	const char *name = c->dev.name;
	_cleanup_free_ char *file = NULL, *left = saved_file_leftover(name, c->dev.uuid);

	c->path = saved_path(name);
	c->damage = saved_file_peek(name, &c->old);
	c->saved = saved_update_is_own(c);
	c->left = c->saved && left;
	file = c->saved ? NULL : saved_file_of(name, c->dev.uuid);
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
static int saved_update_follow(const struct change *c, const struct table *new,
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
static int saved_update_table(const struct change *c, const struct table *new,
			      struct table *table)
{
	if (c->saved && !c->as_is && !c->damage)
		return saved_update_follow(c, new, table);
	if (c->as_is || (c->add && table_has_noclone(new))) {
		table_copy(new, table);
		return 0;
	}
	if (c->add)
		log_err("%s has no target of this module, and would come back without: noclone convert %s first, or give --force",
			c->dev.name, c->dev.name);
	else
		log_err("%s is not changed, because its file is damaged (%s): \"noclone save %s%s\" writes it again",
			c->dev.name, c->damage, c->old.uuid ? "" : "--force ", c->dev.name);
	return -EINVAL;
}

/* The text of the new file.  Return: 0, or a negative errno after a message. */
static int saved_update_print(struct change *c, struct saved *s)
{
	int r;

	table_rename_devices(&s->table, identity_persistent);
	r = signatures_record(&s->table, opt(c->o, OPT_DRY_RUN));
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
static int saved_update_write(struct change *c)
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

int saved_update_stage(struct change *c, const struct table *new)
{
	_cleanup_free_ char *quoted = shell_quote(c->dev.name);
	_cleanup_saved_ struct saved s = { .readonly = c->readonly };
	_cleanup_findings_ struct findings findings = { 0 };
	int r;

	if (!c->saved && !c->add)
		return 0;
	s.uuid = xstrdup(c->dev.uuid);
	r = saved_update_table(c, new, &s.table) ? : saved_update_print(c, &s);
	if (r)
		return r;
	if (saved_file_says(c->dev.name, c->text)) {
		/* what an interrupted command has left may be beside it */
		if (!opt(c->o, OPT_DRY_RUN))
			replace_drop(c->path);
		return 0;
	}
	lint_names(&s.table, &findings);
	findings_log(&findings, c->dev.name, FINDING_OK);
	c->words = xasprintf(" && noclone save %s%s",
			     table_has_noclone(&s.table) && !c->as_is ? "" : "--force ", quoted);
	return saved_update_write(c);
}

/* A file that could not be renamed stays: it is all that has the table. */
int saved_update_commit(struct change *c)
{
	int r;

	if (!c->staged)
		return 0;
	r = replace_commit(c->path);
	if (r)
		log_err("replacing %s failed: %s; the device has changed, and %s.new has its table: \"noclone save %s\" tries again",
			c->path, strerror(-r), c->path, c->dev.name);
	else
		saved_file_set_forced(c->dev.name, false);
	c->staged = false;
	signals_unblock(&c->signals);
	return r;
}

void saved_update_end(struct change *c)
{
	if (c->staged) {
		replace_drop(c->path);
		signals_unblock(&c->signals);
	}
	c->staged = false;
	cleanup_close(&c->lock);
	c->lock = -1;
}
