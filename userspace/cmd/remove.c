// SPDX-License-Identifier: GPL-2.0-only
/* noclone remove: remove devices, and with --forget the files of saved ones. */
#include <errno.h>
#include <string.h>

#include "base/child.h"
#include "base/util.h"
#include "model/name.h"
#include "model/saved.h"
#include "system/saved-file.h"
#include "system/users.h"
#include "cli/output.h"
#include "cli/select.h"
#include "cmd/cmd.h"

/* The kernel says that the device is open, but not by which process. */
static void remove_report_users(const struct devmap_device *dev)
{
	_cleanup_free_ char *deferred = name_command("remove --deferred", dev->name);
	_cleanup_uses_ struct uses uses = { 0 };
	unsigned int i;

	open_uses_collect(&uses, dev->devno);
	for (i = 0; i < uses.nr; i++) {
		_cleanup_free_ char *user = use_describe(&uses.use[i]);
		_cleanup_free_ char *remedy = use_remedy(&uses.use[i]);

		log_err("%s is %s%s%s", dev->name, user, remedy ? ": " : "", remedy ? : "");
	}
	if (!uses.nr)
		log_err("%s was in use, but no user can be found; to remove it when its last user closes it: %s",
			dev->name, deferred);
}

/* The file of a device.  Return: 0, or a negative errno after a message. */
static int remove_find_file(const struct devmap_device *dev, char **file)
{
	_cleanup_free_ char *path = saved_path(dev->name), *remove = NULL;

	*file = saved_file_of(dev->name, dev->uuid);
	if (*file || !saved_file_exists(dev->name))
		return 0;
	remove = name_noclone("remove", dev->name);
	log_err("%s was saved for a different device named %s, or cannot be read; without --forget, \"%s\" removes the device only",
		path, dev->name, remove);
	return -EEXIST;
}

/* The file may be the only record of where the data are: its table is printed. */
static int remove_forget(const char *file)
{
	_cleanup_free_ char *path = saved_path(file), *table = NULL;
	_cleanup_saved_ struct saved s = { 0 };
	_cleanup_free_ char *damage = saved_file_peek(file, &s);
	int r = saved_file_remove(file);
	char *line, *rest = NULL;

	if (r)
		return r;
	table = table_print(&s.table, false, NULL);
	log_note("%s is removed%s", path, damage || !*table ? "" : "; it had this table:");
	for (line = strtok_r(table, "\n", &rest); line && !damage;
	     line = strtok_r(NULL, "\n", &rest))
		log_note("%s", line);
	return 0;
}

/* The file of a saved device that was removed: remove it as well, or say that it stays. */
static int remove_saved(const struct options *o, const char *file)
{
	_cleanup_free_ char *path = saved_path(file), *forget = name_noclone("remove --forget", file);
	int r = 0;

	if (opt(o, OPT_FORGET))
		r = remove_forget(file);
	/* the unit waits for no lock: the file is gone, or nothing has locked it */
	saved_unit("stop", file);
	if (opt(o, OPT_FORGET))
		return r;
	if (saved_file_get(file)->damage)
		log_note("%s stays, and is damaged: %s removes it", path, forget);
	else
		log_note("%s is still saved in %s and will be activated at boot; to stop that: %s",
			 file, path, forget);
	return 0;
}

static void remove_print(const struct options *o, const char *command, const char *name,
			 const char *file)
{
	_cleanup_free_ char *path = file ? saved_path(file) : xstrdup("");
	_cleanup_free_ char *dmsetup = name_command("remove", name);
	_cleanup_free_ char *quoted = shell_quote(path);
	_cleanup_free_ char *line = xasprintf("%s --retry%s%s%s", dmsetup,
		opt(o, OPT_NOUDEVSYNC) ? " --noudevsync" : "",
		file ? " && rm " : "", file ? quoted : "");

	dry_run(o, command, name, NULL, NULL, NULL, line);
}

int remove_unused(const struct options *o, const char *command, const struct devmap_device *dev,
		  const char *file)
{
	_cleanup_uses_ struct uses lasting = { 0 };
	int r = -EBUSY;

	if (opt(o, OPT_DRY_RUN) && !dev->open_count) {
		remove_print(o, command, dev->name, file);
		return 0;
	}
	/* a process may close it in a moment, as udev does that has looked into it */
	if (dev->open_count)
		open_uses_lasting(&lasting, dev->devno);
	if (!opt(o, OPT_DRY_RUN) && !lasting.nr)
		r = devmap_remove(dev);
	if (r == -EBUSY)
		remove_report_users(dev);
	return r;
}

/* With the lock of a file that is to go: the device goes only if its file can. */
static int remove_lock(const struct options *o, const char *file, int *lock)
{
	_cleanup_free_ char *path = saved_path(file);
	const char *why = saved_file_unwritable(file);

	if (why) {
		log_err("%s cannot be removed: %s", path, why);
		return -EROFS;
	}
	*lock = opt(o, OPT_DRY_RUN) ? -1 : saved_file_lock(file);
	return *lock < 0 && !opt(o, OPT_DRY_RUN) ? *lock : 0;
}

static int remove_say_changed(const char *name)
{
	log_err("%s: another process has changed the device or its file meanwhile: try again",
		name);
	return -EAGAIN;
}

/* What the process that had the lock may have changed. */
static int remove_check_again(const struct devmap_device *dev, const char *file)
{
	_cleanup_devmap_device_ struct devmap_device now = { 0 };
	_cleanup_free_ char *found = NULL;
	int r = 0;

	if (devmap_info(dev->name, &now) || strcmp(now.uuid, dev->uuid))
		return remove_say_changed(dev->name);
	r = remove_find_file(dev, &found);
	if (!r && (!found || strcmp(found, file)))
		r = remove_say_changed(dev->name);
	return r;
}

/*
 * The device may have the last copy of its data, or another program may be changing it; one that
 * never had a table is what an interrupted command has left.
 */
static int remove_check(const struct options *o, const struct devmap_device *dev)
{
	_cleanup_free_ char *lost = live_lost_file(dev, false);

	if (lost && opt(o, OPT_FORCE))
		log_warn("%s: %s", dev->name, lost);
	if (opt(o, OPT_FORCE))
		return 0;
	if (lost) {
		log_err("%s stays active: %s; --force removes it", dev->name, lost);
		return -EBUSY;
	}
	return dev->live_table ? select_check_alone(dev, "; --force removes it") : 0;
}

static int remove_device(const struct options *o, const char *word)
{
	_cleanup_devmap_device_ struct devmap_device dev = { 0 };
	_cleanup_free_ char *file = NULL;
	_cleanup_close_ int lock = -1;
	sigset_t old;
	int r = select_device(word, &dev) ? : select_check_owner(o, &dev) ? :
		remove_check(o, &dev);

	if (r)
		return r;
	if (!opt(o, OPT_FORGET))
		file = saved_file_of(dev.name, dev.uuid);
	else
		r = remove_find_file(&dev, &file);
	if (!r && file && opt(o, OPT_FORGET))
		r = remove_lock(o, file, &lock) ? : remove_check_again(&dev, file);
	if (r)
		return r;
	/* a signal while udev is late would leave the file of a device that is gone */
	signals_block(&old);
	r = remove_unused(o, "remove", &dev, opt(o, OPT_FORGET) ? file : NULL);
	/* with udev late, the device is gone */
	if ((!r || r == -ETIMEDOUT) && file && !opt(o, OPT_DRY_RUN))
		r = remove_saved(o, file) ? : r;
	signals_unblock(&old);
	return r;
}

/* Is there a file, but no device of that name? */
static bool remove_is_absent(const char *name)
{
	_cleanup_devmap_device_ struct devmap_device dev = { 0 };

	return saved_file_exists(name) && devmap_is_absent(devmap_info(name, &dev));
}

/* A device that is active under another name stays, and is not saved any more. */
static void remove_say_renamed(const char *name)
{
	const char *uuid = saved_file_get(name)->saved.uuid;
	_cleanup_free_ char *active = uuid ? devmap_name_of_uuid(uuid) : NULL;
	const struct saved_file *original = active ? saved_file_find(active, uuid) : NULL;

	if (original && !strcmp(original->name, name))
		log_note("%s is active under the name %s, and stays until the next boot", name,
			 active);
}

static int remove_file(const struct options *o, const char *name)
{
	_cleanup_free_ char *path = saved_path(name), *quoted = shell_quote(path);
	_cleanup_free_ char *line = xasprintf("rm %s", quoted);
	_cleanup_close_ int lock = -1;
	int r = remove_lock(o, name, &lock);

	if (r)
		return r;
	if (!remove_is_absent(name))
		return remove_say_changed(name);
	remove_say_renamed(name);
	if (!opt(o, OPT_DRY_RUN))
		return remove_forget(name);
	dry_run(o, "remove", name, NULL, NULL, NULL, line);
	return 0;
}

int cmd_remove(const struct options *o, const char *word)
{
	_cleanup_free_ char *name = select_new_name(word);

	if (opt(o, OPT_FORGET) && remove_is_absent(name))
		return remove_file(o, name);
	return remove_device(o, word);
}
