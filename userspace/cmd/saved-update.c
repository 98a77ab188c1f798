// SPDX-License-Identifier: GPL-2.0-only
/* The file of a saved device, while a verb changes the device. */
#include "cmd/saved-update.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/child.h"
#include "base/log.h"
#include "base/util.h"
#include "model/exchange.h"
#include "model/finding.h"
#include "model/lint.h"
#include "model/resize.h"
#include "system/identity.h"
#include "cli/output.h"
#include "cli/select.h"

/* The name of the file after the commit. */
static const char *saved_update_last_name(const struct saved_update *u)
{
	return u->add ? u->name : u->file;
}

/*
 * Two processes that need the same two take them in the same order.  A name that cannot be
 * saved has no lock.
 */
static int saved_update_lock(struct saved_update *u)
{
	const char *name[] = { u->file, !u->file || u->add ? u->name : NULL };
	int order = name[0] && name[1] ? strcmp(name[0], name[1]) : -1;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(name); i++) {
		const char *next = name[i ^ (order > 0)];

		if (!next || saved_name_problem(next) || (i && !order))
			continue;
		u->lock[i] = saved_file_lock(next);
		if (u->lock[i] < 0)
			return u->lock[i];
	}
	return 0;
}

int saved_update_begin(struct saved_update *u, const struct options *o, const char *name,
		       const char *uuid)
{
	_cleanup_free_ char *before = NULL;
	int r;

	*u = (struct saved_update) {
		.name = xstrdup(name), .uuid = xstrdup(uuid), .add = u->add,
		.file = saved_file_of(name, uuid), .lock = { -1, -1 },
		.dry_run = opt(o, OPT_DRY_RUN),
	};
	if (u->dry_run)
		return 0;
	r = saved_update_lock(u);
	if (r)
		return r;
	/* the process that had the lock may have saved the device, or removed the file */
	before = u->file;
	u->file = saved_file_of(name, uuid);
	if (!strcmp(before ? before : name, u->file ? u->file : name))
		return 0;
	log_err("%s: another process has changed its file meanwhile: try again", name);
	return -EAGAIN;
}

/*
 * A device that runs on dm's own targets because the module was missing keeps in its file
 * the targets that are there, but gets its new mapping.
 */
static int saved_update_follow(const struct saved_update *u, const struct saved *old,
			       const struct table *new, struct table *table)
{
	_cleanup_table_ struct table live = { 0 };
	_cleanup_free_ char *why = NULL;
	int r = select_table(u->name, &live);

	if (r)
		return r;
	if (saved_file_compare(&old->table, &live) == SAVED_STAND_IN) {
		log_err("%s is on a loop device because the module was missing: noclone deactivate %s, then noclone activate %s",
			u->name, u->file, u->file);
		return -EOPNOTSUPP;
	}
	if (table_has_noclone(&live) || !table_has_noclone(&old->table)) {
		table_copy(new, table);
		return 0;
	}
	/* with its options, which dm's own targets do not have */
	if (saved_file_compare(&old->table, new) == SAVED_SAME) {
		table_copy(&old->table, table);
		return 0;
	}
	why = exchange_table(new, false, table);
	if (why)
		log_err("%s: %s", u->name, why);
	return why ? -EOPNOTSUPP : 0;
}

/* What the file is to have.  A damaged one says nothing about the device. */
static int saved_update_table(const struct saved_update *u, const struct table *new,
			      struct table *table)
{
	_cleanup_saved_ struct saved old = { 0 };
	_cleanup_free_ char *damage = u->file ? saved_file_peek(u->file, &old) : NULL;

	if (u->file && !u->as_is && !u->renew && !damage)
		return saved_update_follow(u, &old, new, table);
	if (u->as_is || u->renew || (u->add && table_has_noclone(new))) {
		table_copy(new, table);
		return 0;
	}
	if (u->add)
		log_err("%s has no target of this module, and would come back without: noclone convert %s first, or give --force",
			u->name, u->name);
	else
		log_err("%s is not changed, because its file is damaged (%s): \"noclone save %s\" writes it again",
			u->name, damage, u->name);
	return -EINVAL;
}

/* The text of the new file.  Return: 0, or a negative errno after a message. */
static int saved_update_print(struct saved_update *u, struct saved *s, const char *name)
{
	int r;

	if (!u->renew)
		table_rename_devices(&s->table, identity_persistent);
	r = signatures_record(s, u->dry_run);
	if (r)
		return r;
	u->text = saved_print(s, name);
	if (saved_is_readable(u->text, name))
		return 0;
	log_err("%s cannot be saved: the UUID has a blank, or the name of a leg or an argument has a \"#\", which begins a comment in a table",
		name);
	return -EINVAL;
}

/* What a shell may do instead: the file keeps its name, which is not what "save" does. */
static char *saved_update_say(const struct saved_update *u, const char *name, bool ours)
{
	_cleanup_free_ char *from = saved_path(u->name), *to = saved_path(name);
	_cleanup_free_ char *device = shell_quote(u->name);
	_cleanup_free_ char *old = shell_quote(from), *new = shell_quote(to);
	_cleanup_free_ char *save = xasprintf(" && noclone save %s%s",
					      ours && !u->as_is ? "" : "--force ",
					      device);

	return u->add || !strcmp(name, u->name) ? xstrdup(save) :
						  xasprintf("%s && mv %s %s", save, old, new);
}

/* Return: 0, or a negative errno after a message. */
static int saved_update_write(struct saved_update *u, const char *name)
{
	_cleanup_free_ char *path = saved_path(name);
	/* also what the rename needs: it comes when the device has changed */
	int r = saved_file_writable(name) ? : saved_file_writable(saved_update_last_name(u));

	if (!r && !u->dry_run) {
		signals_block(&u->signals);
		u->blocked = true;
		r = saved_file_stage(name, u->text);
		u->staged = r ? NULL : xstrdup(name);
	}
	if (r)
		log_err("%s cannot be written: %s", path, saved_file_reason(r));
	return r;
}

/* The file says it all already; what an interrupted command has left may be beside it. */
static int saved_update_drop(const struct saved_update *u, const char *name)
{
	if (!u->dry_run)
		saved_file_drop(name);
	return 0;
}

static int saved_update_check_unread(const struct saved_update *u)
{
	_cleanup_free_ char *damage = u->name && *u->uuid ? saved_file_unread(u->name) : NULL;

	if (!damage)
		return 0;
	log_err("%s is not changed, because its file is damaged (%s): \"noclone save --force %s\" writes it again",
		u->name, damage, u->name);
	return -EINVAL;
}

static void saved_update_unblock(struct saved_update *u)
{
	if (u->blocked)
		signals_unblock(&u->signals);
	u->blocked = false;
}

int saved_update_stage(struct saved_update *u, const struct table *new, bool readonly)
{
	_cleanup_saved_ struct saved s = { .readonly = readonly };
	const char *name = u->file ? u->file : u->add ? u->name : NULL;
	_cleanup_findings_ struct findings findings = { 0 };
	int r;

	if (!name)
		return saved_update_check_unread(u);
	s.uuid = xstrdup(u->uuid);
	r = saved_update_table(u, new, &s.table);
	if (!r)
		r = saved_update_print(u, &s, u->add ? u->name : name);
	if (r)
		return r;
	/* a power cut between the two renames of "save" leaves the old name */
	if (saved_file_says(name, u->text) && !strcmp(name, saved_update_last_name(u)))
		return saved_update_drop(u, name);
	lint_names(&s.table, &findings);
	if (!u->renew)
		findings_log(&findings, u->name, FINDING_OK);
	u->words = saved_update_say(u, name, table_has_noclone(&s.table));
	return saved_update_write(u, name);
}

bool saved_update_is_left(const struct saved_update *u)
{
	_cleanup_free_ char *left = u->file ? saved_file_leftover(u->file) : NULL;

	return left && saved_file_leftover_is_of(left, u->uuid);
}

const char *saved_update_words(const struct saved_update *u)
{
	return u->words ? u->words : "";
}

int saved_update_commit(struct saved_update *u)
{
	_cleanup_free_ char *path = NULL, *staged = NULL;
	int r;

	if (!u->staged)
		return 0;
	path = saved_path(saved_update_last_name(u));
	staged = saved_path(u->staged);
	r = saved_file_commit(u->staged, saved_update_last_name(u));
	if (r) {
		log_err("replacing %s failed: %s; the device has changed, and %s.new has its table: \"noclone save %s\" tries again",
			path, strerror(-r), staged, u->name);
	} else {
		saved_file_set_forced(u->staged, false);
		log_verbose("%s has the new table", path);
	}
	/* what could not be renamed stays: it is all that has the table */
	free(u->staged);
	u->staged = NULL;
	saved_update_unblock(u);
	return r;
}

void saved_update_end(struct saved_update *u)
{
	if (u->staged)
		saved_file_drop(u->staged);
	free(u->staged);
	free(u->text);
	free(u->words);
	free(u->name);
	free(u->uuid);
	free(u->file);
	cleanup_close(&u->lock[0]);
	cleanup_close(&u->lock[1]);
	saved_update_unblock(u);
	*u = (struct saved_update)SAVED_UPDATE_INIT;
}
