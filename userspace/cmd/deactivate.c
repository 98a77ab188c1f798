// SPDX-License-Identifier: GPL-2.0-only
/* noclone deactivate: remove saved devices that are not in use, and keep their files. */
#include "cmd/cmd.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/read.h"
#include "base/util.h"
#include "model/problems.h"
#include "model/saved.h"
#include "system/devmap.h"
#include "system/openers.h"
#include "system/saved-file.h"
#include "cli/dry-run.h"
#include "cmd/each-saved.h"
#include "cmd/save.h"

#define CLOSE_TRIES	20
#define CLOSE_WAIT_US	100000

/* Is the active device the one that is saved?  False after a message. */
static bool check_file(const char *name, const struct devmap_device *dev)
{
	_cleanup_problems_ struct problems ignored = { 0 };
	_cleanup_free_ char *text = saved_file_read(name);
	_cleanup_saved_ struct saved s = { 0 };

	if (!text)
		return false;
	saved_parse_keywords(&s, text, &ignored);
	if (saved_is_device(&s, dev->uuid))
		return true;
	log_err("%s is not the device that is saved under its name (UUID %s): noclone remove %s removes it",
		name, *dev->uuid ? dev->uuid : "none", name);
	return false;
}

static const char *refuse_used(const struct devmap_device *dev)
{
	_cleanup_free_ char *users = openers_lasting(dev->devno);
	_cleanup_free_ char *processes = *users ? xstrdup("") :
						  openers_processes(dev->devno);

	log_err("%s is in use and stays active: %s%s", dev->name, users, *processes ?
		processes : *users ? "" :
		"its user cannot be found and may be in another mount namespace");
	return NULL;
}

static bool is_open(const char *name)
{
	_cleanup_devmap_device_ struct devmap_device dev = { 0 };

	return !devmap_info(name, &dev) && dev.open_count;
}

/* udev looks into a device that has been written for a moment. */
static bool is_in_use(const struct devmap_device *dev)
{
	_cleanup_free_ char *users = dev->open_count ? openers_lasting(dev->devno) :
						       xstrdup("");
	unsigned int i;

	for (i = 0; !*users && i < CLOSE_TRIES && is_open(dev->name); i++)
		usleep(CLOSE_WAIT_US);
	return *users || is_open(dev->name);
}

/* The table that would be lost; false after a message. */
static bool may_lose_table(const struct options *o, const char *name, bool grown)
{
	if (!opt(o, OPT_FORCE))
		log_err("%s %s, and stays active: noclone save %s keeps it, --force gives it up",
			name, grown ? "is larger than it is saved" :
			"has another table than the one that is saved", name);
	else if (grown)
		log_warn("%s was larger than it is saved, and comes back with its old size", name);
	else
		log_warn("%s had another table than the one that is saved%s", name,
			 save_is_outdated(name) ? ", which will not be activated" : "");
	return opt(o, OPT_FORCE);
}

/* The data of a file that was deleted are gone with the device; another one would come back. */
static bool may_lose_file(const struct options *o, const char *name)
{
	_cleanup_free_ char *trouble = save_file_trouble(name);

	if (!trouble)
		return true;
	if (opt(o, OPT_FORCE))
		log_warn("%s: %s", name, trouble);
	else
		log_err("%s stays active: %s; --force deactivates it nevertheless", name, trouble);
	return opt(o, OPT_FORCE);
}

static const char *print_plan(const struct options *o, const char *name)
{
	_cleanup_free_ char *quoted = shell_quote(name);
	_cleanup_free_ char *line = xasprintf("dmsetup remove --retry %s", quoted);

	dry_run(o, "deactivate", name, NULL, NULL, NULL, line);
	return EACH_SAVED_PLAN;
}

static const char *remove_device(const struct options *o, const struct devmap_device *dev)
{
	/* in use, too: at shutdown it may never be removed, for example below LVM */
	enum save_match match = save_refresh(dev, opt(o, OPT_DRY_RUN));
	int r;

	if (is_in_use(dev))
		return refuse_used(dev);
	if ((match == SAVE_OTHER || match == SAVE_GROWN) &&
	    !may_lose_table(o, dev->name, match == SAVE_GROWN))
		return NULL;
	if (!may_lose_file(o, dev->name))
		return NULL;
	if (opt(o, OPT_DRY_RUN))
		return print_plan(o, dev->name);
	r = devmap_remove(dev->name, true);
	/* with udev late, it is gone */
	if (r && r != -ETIMEDOUT)
		return NULL;
	saved_file_set_forced(dev->name, false);
	return "deactivated";
}

static const char *deactivate_saved(const struct options *o, const char *name)
{
	_cleanup_devmap_device_ struct devmap_device dev = { 0 };
	_cleanup_close_ int lock = opt(o, OPT_DRY_RUN) ? -1 : saved_file_lock(name);
	int r;

	if (lock < 0 && !opt(o, OPT_DRY_RUN))
		return NULL;
	r = devmap_info(name, &dev);
	if (!r)
		return check_file(name, &dev) ? remove_device(o, &dev) : NULL;
	if (devmap_is_absent(r))
		return "not active";
	log_err("%s: %s", name, devmap_reason(r));
	return NULL;
}

/* What is not saved leaves no file of a lock behind. */
static const char *deactivate(const struct options *o, const char *name)
{
	_cleanup_devmap_device_ struct devmap_device dev = { 0 };
	int r;

	if (saved_file_exists(name))
		return deactivate_saved(o, name);
	r = devmap_info(name, &dev);
	if (!r)
		log_err("%s is not saved: noclone remove %s removes it", name, name);
	else if (devmap_is_absent(r))
		log_err("%s is neither active nor saved", name);
	else
		log_err("%s: %s", name, devmap_reason(r));
	return NULL;
}

/* What uses it may be another saved device, which goes first. */
static bool is_ready(const char *name)
{
	_cleanup_devmap_device_ struct devmap_device dev = { 0 };
	_cleanup_free_ char *users = NULL;

	if (devmap_info(name, &dev))
		return true;
	users = openers_lasting(dev.devno);
	return !*users;
}

int cmd_deactivate(const struct options *o, int argc, char **argv)
{
	static const struct each_saved e = { "deactivate", is_ready, deactivate };

	return each_saved(&e, o, argc, argv);
}
