// SPDX-License-Identifier: GPL-2.0-only
/* noclone reload: give a running device a new table. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/util.h"
#include "model/finding.h"
#include "system/blockdev.h"
#include "system/content.h"
#include "system/live.h"
#include "cli/build.h"
#include "cli/select.h"
#include "cmd/change.h"
#include "cmd/partitions.h"
#include "cmd/cmd.h"

/* Ask whether the user agrees. The answer is no without --yes and without a terminal. */
static bool reload_confirm(const struct options *o, const char *what)
{
	_cleanup_free_ char *question = visible(what);
	char answer[16];

	if (opt(o, OPT_YES))
		return true;
	if (!isatty(STDIN_FILENO)) {
		log_err("%s: --yes confirms this change", what);
		return false;
	}
	fprintf(stderr, "%s. Continue? [y/N] ", question);
	return fgets(answer, sizeof(answer), stdin) &&
	       (!strcasecmp(answer, "y\n") || !strcmp(answer, "yes\n"));
}

/* Is the device in use? A dry run and --yes need no confirmation, so they do not wait. */
static bool reload_is_used(const struct change *c)
{
	const struct partition_devices none = { 0 };

	return partitions_others_use(&c->dev, &none, !opt(c->o, OPT_DRY_RUN | OPT_YES));
}

/*
 * Return: why the user has to confirm a change of the data, as a text that follows the name of the
 * device, a new string: the device is in use, cannot be read, contains data, or becomes smaller.
 * Return: NULL if the user does not have to confirm the change.
 */
static char *reload_risk(const struct change *c)
{
	_cleanup_facts_ struct device_facts f = { 0 };
	_cleanup_content_ struct content s = { 0 };
	int r = 0;

	if (reload_is_used(c))
		return xstrdup(" is in use, and");
	if (!blockdev_lookup_number(c->dev.devno, &f))
		r = content_read_part(&f, 0, f.sectors, &s);
	/* change_begin() has refused a suspended device, so -EBUSY is about a device below it */
	if (r == -EBUSY || r == -ETIMEDOUT)
		return xasprintf(" cannot be read (%s), and", s.problem);
	if (s.nr)
		return xasprintf(" has %s on it, and", s.signature->type);
	return table_sectors(&c->table) < table_sectors(&c->live.table) ? xstrdup("") : NULL;
}

/*
 * Refuse the new table if data would be lost with the old table and --force is not given. @lost: a
 * text about this data, or NULL; @force: the effect of --force, for the message
 */
static int reload_check_loss(const struct change *c, const char *lost, const char *force)
{
	if (lost && !opt(c->o, OPT_FORCE)) {
		log_err("%s keeps running with its old table: %s; --force %s", c->dev.name, lost,
			force);
		return -EBUSY;
	}
	if (lost)
		log_warn("%s: %s", c->dev.name, lost);
	return 0;
}

/*
 * Refuse the new table if the path of a backing file no longer leads to this file, so that only the
 * old table gives access to its data.
 */
static int reload_check_lost(const struct change *c)
{
	_cleanup_free_ char *lost = live_lost_file(&c->dev, false);

	return reload_check_loss(c, lost, "replaces the table nevertheless");
}

/*
 * Refuse to extend a backing file that has lost its end, because zeroes would take the place of the
 * lost data.
 */
static int reload_check_short(const struct change *c)
{
	_cleanup_free_ char *lost = c->backing.action == BACKING_GROW ?
		live_short_file(&c->live, &c->backing.facts.id) : NULL;

	return reload_check_loss(c, lost, "makes the file longer, and zeroes take the place of the lost data");
}

static int reload_check_partitions(const struct change *c)
{
	return partitions_check_none(&c->dev);
}

/*
 * Leave the partitions out of the new saved file, because the device gets other data, and
 * partitions_check_none() has found no partition devices.
 */
static void reload_forget_partitions(struct change *c)
{
	free(c->file.old.partitions);
	c->file.old.partitions = NULL;
}

/*
 * Tell the user that the data of the device changes, and ask for confirmation if reload_risk()
 * requires it. A dry run prints the question without waiting for an answer. @data: the change of
 * the data
 */
static int reload_agree(struct change *c, const char *data)
{
	_cleanup_free_ char *risk = reload_risk(c);
	_cleanup_free_ char *what = xasprintf("%s%s %s", c->dev.name, risk ? risk : ":", data);

	change_agree(c);
	change_unlock_legs(c);
	if (!risk) {
		log_note("%s", what);
		finding_at(&c->results.findings, FINDING_NOTE, 0, "%s", what);
	} else if (opt(c->o, OPT_DRY_RUN)) {
		const char *how = opt(c->o, OPT_YES) ? "--yes confirms this change" :
				  "noclone would ask for confirmation, unless --yes is given";

		log_warn("%s: %s", what, how);
		finding_at(&c->results.findings, FINDING_WARNING, 0, "%s: %s", what, how);
	} else if (!reload_confirm(c->o, what)) {
		log_err("%s keeps running with its old table", c->dev.name);
		return -ECANCELED;
	}
	return 0;
}

static int reload(struct change *c, const struct build *b)
{
	_cleanup_free_ char *data = NULL;
	int r = build_table(b, &c->backing, &c->table, &c->results.findings) ? :
		reload_check_short(c);

	if (!r && c->dev.readonly && !c->readonly)
		finding_at(&c->results.findings, FINDING_WARNING, 0,
			   "%s is read-only, and becomes writable: --readonly keeps it read-only",
			   c->dev.name);
	r = r ? : change_check(c);
	if (r)
		return r;
	data = change_data(c, change_facts(c), true);
	if (data && (reload_check_lost(c) || reload_check_partitions(c) || reload_agree(c, data)))
		return -ECANCELED;
	/*
	 * another process may make partition devices while the user thinks about the answer, so
	 * check once more after the new table is loaded
	 */
	c->extra_check = data ? reload_check_partitions : NULL;
	/*
	 * if another process changes the live table while this command waits for the lock,
	 * change_run() refuses the new table
	 */
	r = change_lock_late(c) ? : change_file_read(&c->file);
	if (r)
		return r;
	if (data)
		reload_forget_partitions(c);
	return opt(c->o, OPT_DRY_RUN) ? change_print(c, "", "") : change_run(c);
}

static const struct change_needs reload_needs = {
	.command = "reload", .locks_late = true, .alone = true,
};

int cmd_reload(const struct options *o, int argc, char **argv)
{
	_cleanup_change_ struct change c = CHANGE_INIT(c, o, &reload_needs);
	struct build build = {
		.options = o, .seen = &c.live.table, .argc = argc - 1, .argv = argv + 1,
	};
	_cleanup_free_ char *wrong = build_usage(&build);

	if (wrong) {
		log_err("%s", wrong);
		return EXIT_USAGE;
	}
	if (change_begin(&c, argv[0]) || select_check_owner(o, &c.dev))
		return EXIT_FAILED;
	build.self = c.dev.devno;
	c.readonly = opt(o, OPT_READONLY);
	return reload(&c, &build) ? EXIT_FAILED : EXIT_OK;
}
