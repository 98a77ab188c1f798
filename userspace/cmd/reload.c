// SPDX-License-Identifier: GPL-2.0-only
/* noclone reload */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/util.h"
#include "model/facts.h"
#include "model/finding.h"
#include "model/resize.h"
#include "model/table.h"
#include "system/backing.h"
#include "system/devmap.h"
#include "system/identity.h"
#include "system/live.h"
#include "cli/build.h"
#include "cli/output.h"
#include "cli/load.h"
#include "cli/options.h"
#include "cli/select.h"
#include "cmd/cmd.h"
#include "cmd/saved-update.h"

/* Does the user agree?  Without --yes and without a terminal: no. */
static __printf(2, 3) bool reload_confirm(const struct options *o, const char *fmt, ...)
{
	_cleanup_free_ char *question = NULL;
	char answer[16];
	va_list ap;

	va_start(ap, fmt);
	question = xvasprintf(fmt, ap);
	va_end(ap);
	if (opt(o, OPT_YES))
		return true;
	if (!isatty(STDIN_FILENO)) {
		log_err("%s: --yes confirms that", question);
		return false;
	}
	fprintf(stderr, "%s. Continue? [y/N] ", question);
	return fgets(answer, sizeof(answer), stdin) &&
	       (answer[0] == 'y' || answer[0] == 'Y');
}

static int reload_dry_run(const struct options *o, const struct devmap_device *dev,
			  const struct table *t, const struct findings *findings)
{
	_cleanup_saved_update_ struct saved_update u = SAVED_UPDATE_INIT;
	_cleanup_free_ char *load = dry_run_reload(o, dev->name, opt(o, OPT_READONLY), t);
	_cleanup_free_ char *line = NULL;
	int r = saved_update_begin(&u, o, dev->name, dev->uuid);

	if (!r)
		r = saved_update_stage(&u, t, opt(o, OPT_READONLY));
	if (r)
		return r;
	line = xasprintf("%s%s", load, saved_update_words(&u));
	dry_run(o, "reload", dev->name, NULL, t, findings, line);
	return 0;
}

/* A copy for move_describe(): with device numbers, where the kernel gets names. */
static void reload_read_new(const struct table *t, const struct facts_source *src,
			    struct table *copy)
{
	_cleanup_findings_ struct findings ignored = { 0 };
	_cleanup_free_ char *text = table_print(t, false, identity_number, NULL);
	unsigned int i;

	table_parse(copy, text, &ignored);
	for (i = 0; i < copy->nr; i++) {
		_cleanup_file_facts_ struct file_facts f = { 0 };
		struct target *target = &copy->targets[i];

		if (target->path && !src->lookup_file(src, target->path, false,
						      &f))
			target->id = file_facts_id(&f);
	}
}

/* What is to run, and instead of what. */
struct exchange {
	const struct table *seen, *new;
};

/*
 * What the new table changes about the data, see move_describe(); NULL: nothing.  @risky: users of
 * the device would see other data, or what is on it may need the end that it loses.
 */
static char *reload_find_move(const struct devmap_device *dev, const struct exchange *e,
			      const struct facts_source *src, bool *risky)
{
	_cleanup_table_ struct table old = { 0 }, new = { 0 };

	if (!e->seen->nr)
		return NULL;
	table_copy(e->seen, &old);
	table_rename_devices(&old, identity_number);
	reload_read_new(e->new, src, &new);
	*risky = dev->open_count > 0 || table_sectors(&new) < table_sectors(&old);
	/* else report only what a comparison of the tables does not show */
	return *risky ? move_describe(&old, &new) : move_other_file(&old, &new);
}

/* A dry run reports what would be asked. */
static void reload_announce_move(const struct options *o,
				 const struct devmap_device *dev, const char *move,
				 bool risky, struct findings *findings)
{
	const char *used = dev->open_count > 0 ? " is in use and" : "";
	const char *how = opt(o, OPT_YES) ? "--yes confirms that" :
			  "this would ask for confirmation, or needs --yes";

	if (!move)
		return;
	if (risky) {
		log_warn("%s%s %s: %s", dev->name, used, move, how);
		finding_at(findings, FINDING_WARNING, 0,
			   "%s%s %s: %s", dev->name, used, move, how);
	} else {
		log_note("%s: %s", dev->name, move);
		finding_at(findings, FINDING_NOTE, 0, "%s: %s", dev->name,
			   move);
	}
}

static bool reload_agreed(const struct options *o, const struct devmap_device *dev,
			  const char *move, bool risky)
{
	if (!move)
		return true;
	if (risky)
		return reload_confirm(o, "%s%s %s", dev->name,
				      dev->open_count > 0 ? " is in use and" : "", move);
	log_note("%s: %s", dev->name, move);
	return true;
}

struct reload_check {
	struct load_check unused;
	const struct table *seen;
};

/* Another process may have changed it since it was looked at. */
static bool reload_has_changed(const char *name, const struct table *seen)
{
	_cleanup_free_ char *before = table_print(seen, false, NULL, NULL), *text = NULL;
	_cleanup_table_ struct table now = { 0 };

	if (!seen->nr || live_table(name, &now))
		return false;
	text = table_print(&now, false, NULL, NULL);
	return strcmp(before, text) != 0;
}

static int reload_still_right(const char *name, void *data)
{
	struct reload_check *c = data;

	if (!reload_has_changed(name, c->seen))
		return load_still_unused(name, &c->unused);
	log_err("%s: another process has changed its table meanwhile: look at it, and try again", name);
	return -EAGAIN;
}

static int reload(const struct options *o, const char *name, const struct exchange *e,
		  const struct backing *backing, const struct findings *known)
{
	struct reload_check data = {
		.unused = {
			.known = known, .table = e->new, .saved = !backing_is_new(backing),
			.readonly = opt(o, OPT_READONLY),
		},
		.seen = e->seen,
	};
	const struct devmap_check check = { .loaded = reload_still_right, .data = &data };

	return devmap_reload(name, e->new, opt(o, OPT_READONLY), &check);
}

static int reload_switch_table(const struct build *b, const struct devmap_device *dev,
			       const struct exchange *e, struct backing *backing,
			       const struct findings *known)
{
	_cleanup_saved_update_ struct saved_update u = SAVED_UPDATE_INIT;
	bool good = false;
	int r = saved_update_begin(&u, b->options, dev->name, dev->uuid);

	if (r)
		return r;
	r = load_begin(b, e->new, backing);
	if (!r)
		r = saved_update_stage(&u, e->new, opt(b->options, OPT_READONLY));
	if (!r) {
		r = reload(b->options, dev->name, e, backing, known);
		/* with udev late, the new table is running */
		good = !r || r == -ETIMEDOUT;
	}
	if (good)
		r = saved_update_commit(&u) ? : r;
	saved_update_end(&u);
	load_end(backing, good);
	if (!r) {
		log_verbose("%s runs with its new table", dev->name);
		live_warn_stand_in(dev->name);
	}
	return r;
}

static int reload_load(const struct build *b, const struct devmap_device *dev)
{
	_cleanup_findings_ struct findings findings = { 0 };
	_cleanup_backing_ struct backing backing = { .fd = -1 };
	const struct options *o = b->options;
	_cleanup_live_ struct live seen = { 0 };
	_cleanup_table_ struct table t = { 0 };
	const struct exchange e = { &seen.table, &t };
	_cleanup_free_ char *move = NULL;
	bool risky = false;
	int r = select_live(dev->name, &seen) ? : load_prepare(b, &backing, &t, &findings);

	if (r)
		return r;
	move = reload_find_move(dev, &e, load_facts(&backing), &risky);
	if (opt(o, OPT_DRY_RUN)) {
		backing_announce(&backing);
		reload_announce_move(o, dev, move, risky, &findings);
		return reload_dry_run(o, dev, &t, &findings);
	}
	if (!reload_agreed(o, dev, move, risky)) {
		log_err("%s keeps running with its old table", dev->name);
		return -ECANCELED;
	}
	return reload_switch_table(b, dev, &e, &backing, &findings);
}

int cmd_reload(const struct options *o, int argc, char **argv)
{
	_cleanup_devmap_device_ struct devmap_device dev = { 0 };
	struct build build = {
		.options = o, .argc = argc - 1, .argv = argv + 1,
	};
	_cleanup_free_ char *wrong = build_usage(&build);

	if (select_device(argv[0], &dev) || select_check_owner(o, &dev))
		return EXIT_FAILED;
	if (wrong) {
		log_err("%s", wrong);
		return EXIT_USAGE;
	}
	build.self = dev.devno;
	return reload_load(&build, &dev) ? EXIT_FAILED : EXIT_OK;
}
