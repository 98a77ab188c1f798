// SPDX-License-Identifier: GPL-2.0-only
/* noclone reload */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/util.h"
#include "system/content.h"
#include "system/lookup.h"
#include "cli/build.h"
#include "cli/select.h"
#include "cmd/change.h"
#include "cmd/cmd.h"

/* Does the user agree?  Without --yes and without a terminal: no. */
static bool reload_confirm(const struct options *o, const char *what)
{
	_cleanup_free_ char *question = visible(what);
	char answer[16];

	if (opt(o, OPT_YES))
		return true;
	if (!isatty(STDIN_FILENO)) {
		log_err("%s: --yes confirms that", what);
		return false;
	}
	fprintf(stderr, "%s. Continue? [y/N] ", question);
	return fgets(answer, sizeof(answer), stdin) &&
	       (!strcasecmp(answer, "y\n") || !strcmp(answer, "yes\n"));
}

/* Who would see other data, or what is on the device and would be lost: a new string, or NULL. */
static char *reload_risk(const struct change *c)
{
	_cleanup_facts_ struct device_facts f = { 0 };
	_cleanup_content_ struct content s = { 0 };
	int r = 0;

	if (c->dev.open_count > 0)
		return xstrdup(" is in use and");
	if (!blockdev_lookup_number(c->dev.devno, &f))
		r = content_read_part(&f, 0, f.sectors, &s);
	/* the user who has suspended the device itself knows its users */
	if ((r == -EBUSY || r == -ETIMEDOUT) && !c->dev.suspended)
		return xasprintf(" cannot be read (%s) and", s.problem);
	if (s.nr)
		return xasprintf(" has %s on it and", s.signature->type);
	return table_sectors(&c->table) < table_sectors(&c->live.table) ? xstrdup("") : NULL;
}

/* @lost: data that the new table gives up, which --force accepts; or NULL */
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

/* Nothing but the old table may lead to the data of a file. */
static int reload_check_lost(const struct change *c)
{
	_cleanup_free_ char *lost = live_lost_file(&c->dev, false);

	return reload_check_loss(c, lost, "replaces that");
}

/* A file that has lost its end would have zeroes there. */
static int reload_check_short(const struct change *c)
{
	_cleanup_free_ char *lost = c->backing.action == BACKING_GROW ?
		live_short_file(&c->live, &c->backing.facts.id) : NULL;

	return reload_check_loss(c, lost, "lets the file grow");
}

/* A dry run reports what would be asked. */
static int reload_agree(struct change *c, const char *data)
{
	_cleanup_free_ char *risk = reload_risk(c);
	_cleanup_free_ char *what = xasprintf("%s%s %s", c->dev.name, risk ? risk : ":", data);

	c->agreed = true;
	change_unlock_legs(c);
	if (!risk) {
		log_note("%s", what);
		finding_at(&c->findings, FINDING_NOTE, 0, "%s", what);
	} else if (opt(c->o, OPT_DRY_RUN)) {
		const char *how = opt(c->o, OPT_YES) ? "--yes confirms that" :
				  "this would ask for confirmation, or needs --yes";

		log_warn("%s: %s", what, how);
		finding_at(&c->findings, FINDING_WARNING, 0, "%s: %s", what, how);
	} else if (!reload_confirm(c->o, what)) {
		log_err("%s keeps running with its old table", c->dev.name);
		return -ECANCELED;
	}
	return 0;
}

static int reload(struct change *c, const struct build *b)
{
	_cleanup_free_ char *data = NULL;
	int r = build_table(b, &c->backing, &c->table, &c->findings) ? : reload_check_short(c);

	if (!r && c->dev.readonly && !c->readonly)
		finding_at(&c->findings, FINDING_WARNING, 0,
			   "%s is read-only, and becomes writable: --readonly keeps it read-only",
			   c->dev.name);
	r = r ? : change_check(c);
	if (r)
		return r;
	data = change_data(c, change_facts(c), true);
	if (data && (reload_check_lost(c) || reload_agree(c, data)))
		return -ECANCELED;
	/* a table that changes during the wait is not the one the user saw: change_run() refuses */
	r = change_lock(c, c->dev.name) ? : change_read_file(c);
	if (r)
		return r;
	return opt(c->o, OPT_DRY_RUN) ? change_print(c, "", "") : change_run(c);
}

int cmd_reload(const struct options *o, int argc, char **argv)
{
	_cleanup_change_ struct change c = CHANGE_INIT(o, "reload");
	struct build build = {
		.options = o, .seen = &c.live.table, .argc = argc - 1, .argv = argv + 1,
	};
	_cleanup_free_ char *wrong = build_usage(&build);

	if (wrong) {
		log_err("%s", wrong);
		return EXIT_USAGE;
	}
	c.late = c.alone = true;
	if (change_begin(&c, argv[0]) || select_check_owner(o, &c.dev))
		return EXIT_FAILED;
	build.self = c.dev.devno;
	c.readonly = opt(o, OPT_READONLY);
	return reload(&c, &build) ? EXIT_FAILED : EXIT_OK;
}
