// SPDX-License-Identifier: GPL-2.0-only
/* noclone deactivate: remove saved devices that are not in use, and keep their files. */
#include "cmd/cmd.h"

#include <errno.h>
#include <string.h>

#include "dm-noclone.h"
#include "base/log.h"
#include "base/util.h"
#include "system/devmap.h"
#include "system/live.h"
#include "system/saved-file.h"
#include "system/users.h"
#include "cli/output.h"
#include "cmd/each-saved.h"
#include "cmd/saved-update.h"

/* The device of a file, which may have another name by now; an error of devmap_info(). */
static int deactivate_find(const char *name, const struct saved *s, struct devmap_device *dev)
{
	_cleanup_free_ char *active = s->uuid ? devmap_name_of_uuid(s->uuid) : NULL;
	int r = devmap_info(active ? active : name, dev);

	if (!r && strcmp(dev->name, name))
		log_note("%s is active under the name %s", name, dev->name);
	if (r && !devmap_is_absent(r))
		log_err("%s: %s", name, devmap_reason(r));
	return r;
}

/*
 * @lasting: only mounts, swap and devices on it; a process may close the device by itself.
 * Return: true after a message.
 */
static bool deactivate_is_in_use(const struct devmap_device *dev, bool lasting)
{
	_cleanup_uses_ struct uses uses = { 0 };
	unsigned int i;

	if (lasting)
		open_uses_lasting(&uses, dev->devno);
	else
		open_uses_collect(&uses, dev->devno);
	for (i = 0; i < uses.nr; i++) {
		_cleanup_free_ char *user = use_describe(&uses.use[i]);

		log_err("%s is in use and stays active: %s", dev->name, user);
	}
	if (!uses.nr && !lasting)
		log_err("%s was in use and stays active, but no user can be found", dev->name);
	return uses.nr || !lasting;
}

/* Return: false after a message, if something would be lost. */
static bool deactivate_may_lose(const struct options *o, const char *name, const char *what,
				const char *advice)
{
	if (what && opt(o, OPT_FORCE))
		log_warn("%s: %s", name, what);
	else if (what)
		log_err("%s stays active: %s; %s", name, what, advice);
	return !what || opt(o, OPT_FORCE);
}

/*
 * The device holds its legs, so all data on them was written through it, and their signatures
 * are recorded.  A damaged file gets the table of the device as well.
 */
static int deactivate_write(const struct options *o, const char *file,
			    const struct devmap_device *dev, const struct table *t,
			    bool damaged)
{
	_cleanup_saved_update_ struct saved_update u = {
		.name = xstrdup(dev->name), .uuid = xstrdup(dev->uuid),
		.file = xstrdup(file), .as_is = damaged, .renew = !damaged,
		.dry_run = opt(o, OPT_DRY_RUN), .lock = { -1, -1 },
	};
	int r = saved_update_stage(&u, t, dev->readonly);

	if (!r)
		r = saved_update_commit(&u);
	if (!r && damaged)
		log_note("%s: its file gets the table of the device", file);
	return r;
}

/*
 * Return: false after a message, if the device has to stay.  What its file says is no reason
 * at shutdown, which gives --force; /etc may be read-only by then.
 */
static bool deactivate_check(const struct options *o, const char *file, struct saved *s,
			     bool damaged, const struct devmap_device *dev)
{
	_cleanup_free_ char *lost = live_lost_file(dev->name);
	_cleanup_free_ char *leftover = saved_file_leftover(file);
	_cleanup_table_ struct table live = { 0 };
	bool ours = !live_table(dev->name, &live) && table_has_noclone(&live);
	_cleanup_free_ char *save = xasprintf("\"noclone save %s%s\" keeps its table, --force gives it up",
					      s->uuid && ours ? "" : "--force ", dev->name);
	enum saved_match match = damaged ? SAVED_UNKNOWN : saved_file_compare(&s->table, &live);

	/*
	 * Without a UUID it may be the only record of another device; a device on dm's own
	 * targets lacks the file or the options that the damaged lines may still name.
	 */
	if (damaged && (!ours || lost || !s->uuid ||
			deactivate_write(o, file, dev, &live, true)) &&
	    !deactivate_may_lose(o, dev->name, "its table is not in a file", save))
		return false;
	/*
	 * Also while it is in use: at shutdown LVM, for example, may keep it to the end.  What
	 * an interrupted command has left is for the user to judge, and would go.
	 */
	if (match == SAVED_SAME && !lost && !opt(o, OPT_DRY_RUN) && !leftover &&
	    !saved_file_is_forced(file) && !saved_file_writable(file))
		deactivate_write(o, file, dev, &s->table, false);
	if (match == SAVED_DIFFERS)
		return deactivate_may_lose(o, dev->name,
			"it has another table than the one that is saved, which comes back", save);
	return deactivate_may_lose(o, dev->name, lost,
				   "--force deactivates it, and data of a deleted file are lost");
}

/* It may have the name that another device had when that was saved. */
static bool deactivate_check_other(const struct options *o, const struct devmap_device *dev)
{
	_cleanup_free_ char *remove = xasprintf("noclone remove %s removes it", dev->name);
	const char *what = "it is not the device that is saved under its name";

	if (str_starts(dev->uuid, NOCLONE_UUID_PREFIX))
		return deactivate_may_lose(o, dev->name, what, remove);
	log_err("%s stays active: %s (UUID %s); %s", dev->name, what,
		*dev->uuid ? dev->uuid : "none", remove);
	return false;
}

static const char *deactivate_print_plan(const struct options *o, const char *name,
					 bool damaged)
{
	_cleanup_free_ char *quoted = shell_quote(name);
	_cleanup_free_ char *save = xasprintf("noclone save %s && ", quoted);
	_cleanup_free_ char *line = xasprintf("%sdmsetup remove --retry %s",
					      damaged ? save : "", quoted);

	dry_run(o, "deactivate", name, NULL, NULL, NULL, line);
	return EACH_SAVED_PLAN;
}

static const char *deactivate_device(const struct options *o, const char *file,
				     struct saved *s, bool damaged,
				     const struct devmap_device *dev)
{
	bool other = s->uuid ? strcmp(s->uuid, dev->uuid) :
			       !str_starts(dev->uuid, NOCLONE_UUID_PREFIX);
	int r;

	if (other ? !deactivate_check_other(o, dev) :
		    !deactivate_check(o, file, s, damaged, dev))
		return NULL;
	if (dev->open_count && deactivate_is_in_use(dev, !opt(o, OPT_DRY_RUN)))
		return NULL;
	if (opt(o, OPT_DRY_RUN))
		return deactivate_print_plan(o, dev->name, damaged && !other && s->uuid);
	/* udev looks into a device that has been written for a moment, hence the retries */
	r = devmap_remove(dev->name, true);
	if (r == -EBUSY)
		deactivate_is_in_use(dev, false);
	/* with udev late, it is gone */
	if (r && r != -ETIMEDOUT)
		return NULL;
	saved_file_set_forced(file, false);
	return "deactivated";
}

static const char *deactivate_saved(const struct options *o, const char *name)
{
	_cleanup_devmap_device_ struct devmap_device dev = { 0 };
	_cleanup_close_ int lock = opt(o, OPT_DRY_RUN) ? -1 : saved_file_lock(name);
	_cleanup_saved_ struct saved s = { 0 };
	_cleanup_free_ char *damage = NULL;
	int r;

	if (lock < 0 && !opt(o, OPT_DRY_RUN))
		return NULL;
	damage = saved_file_peek(name, &s);
	if (damage)
		log_warn("%s%s is damaged: %s", name, SAVED_SUFFIX, damage);
	r = deactivate_find(name, &s, &dev);
	if (!r)
		return deactivate_device(o, name, &s, damage, &dev);
	return devmap_is_absent(r) ? "not active" : NULL;
}

/* A device that is not saved leaves no file of a lock behind. */
static const char *deactivate(const struct options *o, const char *name)
{
	_cleanup_devmap_device_ struct devmap_device dev = { 0 };
	_cleanup_free_ char *file = NULL;
	int r;

	if (saved_file_exists(name))
		return deactivate_saved(o, name);
	r = devmap_info(name, &dev);
	file = r ? NULL : saved_file_of(name, dev.uuid);
	if (file)
		log_err("%s is saved under the name %s: noclone deactivate %s", name, file, file);
	else if (!r)
		log_err("%s is not saved: noclone remove %s removes it", name, name);
	else if (devmap_is_absent(r))
		log_err("%s is neither active nor saved", name);
	else
		log_err("%s: %s", name, devmap_reason(r));
	return NULL;
}

/* Another saved device may use it, which goes first. */
static bool deactivate_is_ready(const char *name)
{
	_cleanup_devmap_device_ struct devmap_device dev = { 0 };
	_cleanup_uses_ struct uses uses = { 0 };

	if (!devmap_info(name, &dev))
		open_uses_lasting(&uses, dev.devno);
	return !uses.nr;
}

int cmd_deactivate(const struct options *o, int argc, char **argv)
{
	static const struct each_saved e = {
		"deactivate", deactivate_is_ready, deactivate, saved_unit_stop,
	};

	return each_saved(&e, o, argc, argv);
}
