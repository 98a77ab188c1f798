// SPDX-License-Identifier: GPL-2.0-only
/*
 * noclone convert: the same mapping, by dm's targets or by ours.
 *
 * What the kernel has made of the new table is read back and compared with the old
 * one before it runs.  Programs that compare the tables of their devices with what
 * they would load would put theirs back: their devices are for "noclone enable".
 */
#include <errno.h>
#include <string.h>

#include "dm-noclone.h"
#include "base/log.h"
#include "base/util.h"
#include "model/exchange.h"
#include "model/name.h"
#include "model/table.h"
#include "system/devmap.h"
#include "system/live.h"
#include "system/module.h"
#include "cli/output.h"
#include "cli/options.h"
#include "cli/select.h"
#include "cmd/cmd.h"
#include "cmd/saved-update.h"

/* The maker of the device would not know it again; back is always right. */
static char *convert_objection_to_owner(const struct options *o,
					const struct devmap_device *dev)
{
	_cleanup_free_ char *origin = origin_of_uuid(dev->uuid);

	if (o->to_stock || !origin || str_starts(dev->uuid, NOCLONE_UUID_PREFIX))
		return NULL;
	if (origin_is_lvm(dev->uuid))
		return xasprintf("LVM would load its own table again at its next change: noclone enable --now %s gives it the fast path with the table as it is",
				 dev->name);
	return xasprintf("it was made by %s, which knows dm's own targets only: noclone enable --now %s gives it the fast path with the table as it is",
			 origin, dev->name);
}

/* NULL, or why the state of the device stands against it: a new string. */
static char *convert_objection(const struct options *o, const struct devmap_device *dev)
{
	if (dev->suspended)
		return xstrdup("it is suspended, and a switch would resume it: resume it first");
	if (dev->inactive_table)
		return xasprintf("another process has loaded a table: finish that, or undo it with \"dmsetup clear %s\"",
				 dev->name);
	return convert_objection_to_owner(o, dev);
}

struct expected {
	const struct devmap_device *dev;
	const struct table *live;
};

/* Another process may have changed the device since it was looked at. */
static bool convert_is_still(const char *name, const struct expected *e)
{
	_cleanup_devmap_device_ struct devmap_device now = { 0 };
	_cleanup_table_ struct table t = { 0 };

	return !devmap_info(name, &now) && now.devno == e->dev->devno &&
	       !strcmp(now.uuid, e->dev->uuid) && !now.suspended &&
	       now.readonly == e->dev->readonly &&
	       !live_table(name, &t) && exchange_is_faithful(e->live, &t);
}

static int convert_is_faithful(const char *name, void *data)
{
	_cleanup_table_ struct table loaded = { 0 };
	const struct expected *e = data;
	int r = live_inactive_table(name, &loaded);

	if (r) {
		log_err("%s: reading the new table back failed: %s", name,
			strerror(-r));
		return r;
	}
	if (!exchange_is_faithful(e->live, &loaded)) {
		log_err("%s: the kernel has made another mapping of the new table", name);
		return -EILSEQ;
	}
	if (convert_is_still(name, e))
		return 0;
	log_err("%s: another process has changed it meanwhile: look at it, and try again", name);
	return -EAGAIN;
}

static void convert_print_plan(const struct options *o, const struct devmap_device *dev,
			       const struct table *new, const struct saved_update *u)
{
	_cleanup_free_ char *load = dry_run_reload(o, dev->name, dev->readonly, new);
	_cleanup_free_ char *line = xasprintf("%s%s", load, saved_update_words(u));

	dry_run(o, "convert", dev->name, NULL, new, NULL, line);
}

static int convert(const struct options *o, const struct devmap_device *dev,
		   const struct table *live, const struct table *new)
{
	_cleanup_saved_update_ struct saved_update u = SAVED_UPDATE_INIT;
	struct expected expected = { dev, live };
	const struct devmap_check check = {
		.loaded = convert_is_faithful, .data = &expected, .alone = true,
	};
	int r = saved_update_begin(&u, o, dev->name, dev->uuid);

	if (!r && !opt(o, OPT_DRY_RUN))
		r = module_load_for(new);
	if (!r)
		r = saved_update_stage(&u, new, dev->readonly);
	if (r)
		return r;
	if (opt(o, OPT_DRY_RUN)) {
		convert_print_plan(o, dev, new, &u);
		return 0;
	}
	r = devmap_reload(dev->name, new, dev->readonly, &check);
	/* with udev late, the new table is running */
	if (r && r != -ETIMEDOUT)
		return r;
	r = saved_update_commit(&u) ? : r;
	if (!r)
		log_verbose("%s runs with its new table", dev->name);
	return r;
}

/* The device may lack its file, if the command that has converted it was interrupted. */
static int convert_finish(const struct options *o, const struct devmap_device *dev,
			  const struct table *live)
{
	_cleanup_saved_update_ struct saved_update u = SAVED_UPDATE_INIT;
	int r = saved_update_begin(&u, o, dev->name, dev->uuid);

	if (r || opt(o, OPT_DRY_RUN) || !u.left)
		return r;
	u.as_is = true;
	return saved_update_stage(&u, live, dev->readonly) ? : saved_update_commit(&u);
}

static int convert_one(const struct options *o, const char *word)
{
	_cleanup_table_ struct table live = { 0 }, new = { 0 };
	_cleanup_devmap_device_ struct devmap_device dev = { 0 };
	_cleanup_free_ char *why = NULL;
	int r = select_device(word, &dev);

	if (r)
		return r;
	r = select_table(dev.name, &live);
	if (r)
		return r;
	why = exchange_table(&live, o->to_stock, &new);
	if (!why && !exchange_is_needed(&live, o->to_stock)) {
		log_note("%s has no target to convert", dev.name);
		return convert_finish(o, &dev, &live);
	}
	if (!why)
		why = convert_objection(o, &dev);
	if (why) {
		log_err("%s: %s", dev.name, why);
		return -EOPNOTSUPP;
	}
	return convert(o, &dev, &live, &new);
}

int cmd_convert(const struct options *o, int argc, char **argv)
{
	int i, failed = 0;

	for (i = 0; i < argc; i++)
		failed += !!convert_one(o, argv[i]);
	return failed ? EXIT_FAILED : EXIT_OK;
}
