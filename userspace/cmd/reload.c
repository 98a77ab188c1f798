// SPDX-License-Identifier: GPL-2.0-only
/* noclone reload */
#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "base/util.h"
#include "cli/build.h"
#include "cli/select.h"
#include "cmd/change.h"
#include "cmd/cmd.h"

/* Does the user agree?  Without --yes and without a terminal: no. */
static bool reload_confirm(const struct options *o, const char *what)
{
	char answer[16];

	if (opt(o, OPT_YES))
		return true;
	if (!isatty(STDIN_FILENO)) {
		log_err("%s: --yes confirms that", what);
		return false;
	}
	fprintf(stderr, "%s. Continue? [y/N] ", what);
	return fgets(answer, sizeof(answer), stdin) && (answer[0] == 'y' || answer[0] == 'Y');
}

/*
 * Users of a device that is risky to change would see other data, or what is on it may need
 * the end that it loses.  A dry run reports what would be asked.
 */
static int reload_agree(struct change *c, const char *data, bool risky)
{
	_cleanup_free_ char *what = xasprintf("%s%s %s", c->dev.name,
		!risky ? ":" : c->dev.open_count > 0 ? " is in use and" : "", data);

	c->agreed = true;
	if (!risky) {
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
	bool risky;
	int r = build_table(b, &c->backing, &c->table, &c->findings) ? : change_check(c);

	if (r)
		return r;
	risky = c->dev.open_count > 0 || table_sectors(&c->table) < table_sectors(&c->live.table);
	/* else report only what a comparison of the tables does not show */
	data = change_data(c, change_facts(c), risky);
	if (data && reload_agree(c, data, risky))
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
	c.late = true;
	if (change_begin(&c, argv[0]) || select_check_owner(o, &c.dev))
		return EXIT_FAILED;
	build.self = c.dev.devno;
	c.readonly = opt(o, OPT_READONLY);
	return reload(&c, &build) ? EXIT_FAILED : EXIT_OK;
}
