// SPDX-License-Identifier: GPL-2.0-only
/* noclone reload */
#include <errno.h>
#include <string.h>

#include "cmd.h"
#include "common.h"
#include "device.h"
#include "dm.h"
#include "load.h"
#include "log.h"
#include "size.h"

static void reload_dry_run(const struct options *o, const char *name,
			   const struct table *t,
			   const struct problems *problems)
{
	_cleanup_free_ char *quoted = shell_quote(name);
	_cleanup_free_ char *load = dmsetup_with_table("reload", name,
		opt(o, OPT_READONLY) ? " --readonly" : "", t);
	_cleanup_free_ char *line = xasprintf("%s && dmsetup resume %s%s%s%s",
		load, quoted, opt(o, OPT_NOFLUSH) ? " --noflush" : "",
		opt(o, OPT_NOLOCKFS) ? " --nolockfs" : "",
		opt(o, OPT_NOUDEVSYNC) ? " --noudevsync" : "");

	dry_run(o, "reload", name, NULL, t, problems, line);
}

/*
 * Someone has the device open: a table that moves or cuts off sectors changes
 * data under his feet.  The same mapping, more of it, or another target on the
 * same sectors do no harm.
 */
static bool agreed(const struct options *o, const struct dm_device *dev,
		   const struct table *new)
{
	_cleanup_table_ struct table old = { 0 };
	_cleanup_table_ struct table copy = { 0 };
	_cleanup_problems_ struct problems ignored = { 0 };
	_cleanup_free_ char *text = table_print(new, false, NULL, NULL);
	_cleanup_free_ char *old_size = NULL, *new_size = NULL;

	if (dev->open_count <= 0 || get_table(dev->name, &old) || !old.nr)
		return true;
	table_parse(&copy, text, &ignored);
	table_rename_devices(&old, device_name_number);
	table_rename_devices(&copy, device_name_number);

	old_size = size_format(table_sectors(&old));
	new_size = size_format(table_sectors(&copy));
	if (table_sectors(&copy) < table_sectors(&old))
		return confirm(o, "%s is in use and shrinks from %s to %s",
			       dev->name, old_size, new_size);
	if (!table_same_mapping(&old, &copy))
		return confirm(o, "%s is in use and its sectors move to another place",
			       dev->name);
	return true;
}

static int reload(const struct options *o, const char *name,
		  const struct table *t)
{
	const struct dm_suspend_how how = {
		.noflush = opt(o, OPT_NOFLUSH),
		.nolockfs = opt(o, OPT_NOLOCKFS),
	};

	int r = dm_reload(name, t, opt(o, OPT_READONLY), &how);

	if (!r)
		log_verbose("%s runs with its new table", name);
	return r;
}

int cmd_reload(const struct options *o, int argc, char **argv)
{
	_cleanup_problems_ struct problems problems = { 0 };
	_cleanup_dm_device_ struct dm_device dev = { 0 };
	_cleanup_backing_ struct backing file = { .fd = -1 };
	_cleanup_table_ struct table t = { 0 };
	struct lint_self self;
	int r, reloaded = 0;

	if (get_device(argv[0], &dev) || !may_touch(o, &dev))
		return EXIT_FAILED;
	self = (struct lint_self) { true, dev.devno };

	r = load_prepare(o, &self, argc - 1, argv + 1, &file, &t, &problems);
	if (r)
		return r;
	if (opt(o, OPT_DRY_RUN)) {
		backing_tell(&file);
		reload_dry_run(o, dev.name, &t, &problems);
		return EXIT_OK;
	}
	if (!agreed(o, &dev, &t)) {
		log_err("%s runs on with its old table", dev.name);
		return EXIT_FAILED;
	}
	r = load_begin(o, &self, &t, &file);
	if (!r)
		reloaded = reload(o, dev.name, &t);
	/* udev being late leaves the new table running */
	load_end(&file, !r && (!reloaded || reloaded == -ETIMEDOUT));
	return r || reloaded ? EXIT_FAILED : EXIT_OK;
}
