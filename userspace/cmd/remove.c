// SPDX-License-Identifier: GPL-2.0-only
/* noclone remove: remove devices, and with --forget also their saved files. */
#include "cmd/remove.h"

#include <errno.h>
#include <json-c/json.h>
#include <string.h>

#include "base/log.h"
#include "base/stop.h"
#include "base/util.h"
#include "model/name.h"
#include "model/saved.h"
#include "model/table-target.h"
#include "model/table-text.h"
#include "system/live.h"
#include "system/saved-file.h"
#include "system/saved-unit.h"
#include "system/uses.h"
#include "cli/output.h"
#include "cli/select.h"
#include "cmd/cmd.h"
#include "cmd/partitions.h"

/*
 * Log the users of a device. The kernel reports that the device is open, but not by which process.
 * @parts: the partition devices on the device, which do not count as users
 */
static void remove_report_users(const struct devmap_device *dev,
				const struct partition_devices *parts)
{
	_cleanup_free_ char *deferred = name_noclone("remove --when-unused", dev->name);
	_cleanup_uses_ struct uses uses = { 0 };
	unsigned int i;

	uses_find_open(&uses, dev->devno);
	partitions_drop_uses(parts, &uses);
	for (i = 0; i < uses.nr; i++) {
		_cleanup_free_ char *user = use_describe(&uses.use[i]);
		_cleanup_free_ char *remedy = use_remedy(&uses.use[i]);

		log_err("%s is %s%s%s", dev->name, user, remedy ? ": " : "", remedy ? : "");
	}
	if (!uses.nr)
		log_err("%s was in use, but no user can be found; \"%s\" removes the device when its last user closes the device",
			dev->name, deferred);
}

/* Find the saved file of a device. Return: 0, or a negative errno after a message. */
static int remove_find_file(const struct devmap_device *dev, char **file)
{
	_cleanup_free_ char *path = saved_path(dev->name), *remove = NULL;

	*file = saved_file_of(dev->name, dev->uuid);
	if (*file || !saved_file_exists(dev->name))
		return 0;
	remove = name_noclone("remove", dev->name);
	log_err("%s cannot be read, or belongs to another device that had the name %s before (its UUID differs); without --forget, \"%s\" removes the active device and keeps this file",
		path, dev->name, remove);
	return -EEXIST;
}

/*
 * Remove a saved file, and print its table, because this table may be the only record of the place
 * of the data.
 */
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
	log_note("%s is removed%s", path, damage || !*table ? "" : "; the file had this table:");
	for (line = strtok_r(table, "\n", &rest); line && !damage;
	     line = strtok_r(NULL, "\n", &rest))
		log_note("%s", line);
	return 0;
}

/*
 * After the device was removed, remove its saved file, or tell the user that the file stays.
 * @waits: the device still exists, and the kernel removes it later. In this case the unit of the
 * device is not stopped now, because stopping the unit would unmount the device.
 */
static int remove_saved(const struct options *o, const char *file, bool waits)
{
	_cleanup_free_ char *path = saved_path(file), *forget = name_noclone("remove --forget", file);
	int r = 0;

	if (opt(o, OPT_FORGET))
		r = remove_forget(file);
	/*
	 * stopping the unit does not wait for the lock of the saved file: either the file is
	 * removed, or this command has not locked it
	 */
	if (!waits)
		saved_unit("stop", file);
	if (opt(o, OPT_FORGET))
		return r;
	if (saved_file_get(file)->damage)
		log_note("the file %s stays, and is damaged: \"%s\" removes the file", path, forget);
	else
		log_note("%s is still saved in %s and will be activated at boot; \"%s\" removes this file",
			 file, path, forget);
	return 0;
}

/* Return: the dmsetup command that removes a device, a new string. */
static char *remove_words(const struct options *o, const char *name)
{
	_cleanup_free_ char *dmsetup = name_command("remove", name);

	return xasprintf("%s --%s%s", dmsetup, opt(o, OPT_WHEN_UNUSED) ? "deferred" : "retry",
			 opt(o, OPT_NOUDEVSYNC) ? " --noudevsync" : "");
}

static void remove_print(const struct options *o, const char *command,
			 const struct devmap_device *dev, const struct partition_devices *parts,
			 const char *file)
{
	_cleanup_free_ char *path = file ? saved_path(file) : xstrdup(""), *line = NULL;
	_cleanup_free_ char *quoted = shell_quote(path), *words = remove_words(o, dev->name);
	struct strbuf b = { 0 };
	unsigned int i;

	for (i = parts->nr; i--;) {
		_cleanup_free_ char *part = remove_words(o, parts->dev[i].name);

		strbuf_add(&b, "%s && ", part);
	}
	strbuf_add(&b, "%s%s%s", words, file ? " && rm " : "", file ? quoted : "");
	line = strbuf_take(&b);
	output_dry_run_parts(o, command, dev->name, NULL, NULL, NULL,
			     parts->nr ? partitions_list(parts) : NULL, line);
}

/* Is a device in use by anything but its partition devices? Return: true after a message. */
static bool remove_is_used(const struct options *o, const struct devmap_device *dev,
			   const struct partition_devices *parts)
{
	bool used = partitions_others_use(dev, parts, !opt(o, OPT_DRY_RUN));

	if (used)
		remove_report_users(dev, parts);
	return used;
}

/*
 * Check that a device and its partition devices are not in use, before the first of them is
 * removed.
 */
static int remove_check_unused(const struct options *o, const struct devmap_device *dev,
			       const struct partition_devices *parts)
{
	const struct partition_devices none = { 0 };
	bool used = false;
	unsigned int i;

	for (i = 0; i < parts->nr; i++)
		used |= remove_is_used(o, &parts->dev[i], &none);
	return remove_is_used(o, dev, parts) || used ? -EBUSY : 0;
}

/*
 * Remove a device. @may_be_gone: it is no error if the kernel or another process has already
 * removed the device. If a process has opened the device since remove_check_unused(), the function
 * logs the users.
 */
static int remove_one(const struct devmap_device *dev, bool may_be_gone)
{
	const struct partition_devices none = { 0 };
	int r = may_be_gone ? devmap_remove_existing(dev) : devmap_remove(dev);

	if (r == -EBUSY)
		remove_report_users(dev, &none);
	return r;
}

static int remove_all(const struct devmap_device *dev, const struct partition_devices *parts)
{
	_cleanup_free_ char *remove = name_noclone("remove", dev->name);
	unsigned int removed = 0;
	int r = 0, late = 0;
	sigset_t old;

	stop_block(&old);
	while (removed < parts->nr && !r) {
		r = remove_one(&parts->dev[parts->nr - removed - 1], true);
		r = devmap_note_late(r, &late);
		removed += !r;
	}
	/*
	 * if the device was to be removed when it is not in use, the kernel has removed it together
	 * with its last partition device
	 */
	if (!r)
		r = remove_one(dev, removed);
	if (!devmap_is_done(r) && removed)
		log_err("%s stays, but %u of its %u partitions are removed: \"%s\" removes the rest when it is not in use",
			dev->name, removed, parts->nr, remove);
	stop_unblock(&old);
	return r ? r : late;
}

int remove_unused(const struct options *o, const char *command, const struct devmap_device *dev,
		  const struct partition_devices *parts, const char *file)
{
	int r = remove_check_unused(o, dev, parts);

	if (r)
		return r;
	if (opt(o, OPT_DRY_RUN))
		remove_print(o, command, dev, parts, file);
	else
		r = remove_all(dev, parts);
	return r;
}

/*
 * It is no error if the device is gone: another process may have removed a partition device, and the
 * kernel may remove the device of an image with its last partition device.
 */
static int remove_rest_when_unused(const struct devmap_device *dev)
{
	_cleanup_devmap_device_ struct devmap_device now = { 0 };

	return devmap_is_absent(devmap_look(dev, &now)) ? 0 : devmap_remove_when_unused(dev);
}

/*
 * Remove a device now, or let the kernel remove the device later. @waits: set to true if the device
 * still exists because it is in use.
 */
static int remove_when_unused(const struct options *o, const struct devmap_device *dev,
			      const struct partition_devices *parts, const char *file, bool *waits)
{
	_cleanup_devmap_device_ struct devmap_device now = { 0 };
	unsigned int i;
	int r = 0, late = 0;

	if (opt(o, OPT_DRY_RUN)) {
		remove_print(o, "remove", dev, parts, file);
		return 0;
	}
	/*
	 * if udev is late, the kernel has already accepted the request: continue with the next
	 * device
	 */
	for (i = parts->nr + 1; i-- && !r;) {
		r = i ? remove_rest_when_unused(&parts->dev[i - 1]) :
		    parts->nr ? remove_rest_when_unused(dev) : devmap_remove_when_unused(dev);
		r = devmap_note_late(r, &late);
	}
	*waits = !r && !devmap_look(dev, &now) && now.deferred_remove;
	if (*waits)
		log_note("%s is in use: the kernel removes the device when its last user closes it", dev->name);
	return r ? r : late;
}

/*
 * The command prints the table of the file that it removes, but without arguments that may contain
 * a key. Refuse to remove a file that may be the only record of such arguments.
 */
static int remove_check_hidden(const struct options *o, const char *file)
{
	const struct saved_file *f = saved_file_get(file);
	const struct target *hidden = f->damage ? NULL : table_hidden(&f->saved.table);
	_cleanup_free_ char *path = saved_path(file);

	if (!hidden || opt(o, OPT_FORCE))
		return 0;
	log_err("%s may be the only record of the arguments of its target \"%s\", which may contain a key and are not printed: copy the file first; --force removes it",
		path, hidden->type);
	return -EPERM;
}

/*
 * Lock the saved file that the command will remove. If this file cannot be removed, return an
 * error, so that the device stays as well.
 */
static int remove_lock(const struct options *o, const char *file, int *lock)
{
	_cleanup_free_ char *path = saved_path(file);
	const char *why = saved_file_unwritable(file);

	if (why) {
		log_err("%s cannot be removed: %s", path, why);
		return -EROFS;
	}
	*lock = opt(o, OPT_DRY_RUN) ? -1 : saved_file_lock(file);
	if (*lock < 0 && !opt(o, OPT_DRY_RUN))
		return *lock;
	return remove_check_hidden(o, file);
}

static int remove_say_changed(const char *name)
{
	log_err("%s: another process has changed the device or its saved file meanwhile: try again",
		name);
	return -EAGAIN;
}

/*
 * Check that the device still exists and that @file is still its saved file. Another process may
 * have changed this while the command waited for the lock. @dev: set to the present state of the
 * device
 */
static int remove_look_again(struct devmap_device *dev, const char *file)
{
	struct devmap_device before = *dev;
	_cleanup_free_ char *found = NULL;
	bool same = !devmap_info(before.name, dev) && !strcmp(dev->uuid, before.uuid);
	int r = same ? remove_find_file(dev, &found) : remove_say_changed(before.name);

	devmap_device_free(&before);
	if (!r && (!found || strcmp(found, file)))
		r = remove_say_changed(dev->name);
	return r;
}

/*
 * Is it safe to remove the device? The device may have the last copy of its data, or another
 * program may be changing the device. A device without a live table is the leftover of an
 * interrupted command, so no program is changing it.
 */
static int remove_check(const struct options *o, const struct devmap_device *dev)
{
	_cleanup_free_ char *lost = live_lost_file(dev, false);

	if (lost && opt(o, OPT_FORCE))
		log_warn("%s: %s", dev->name, lost);
	if (opt(o, OPT_FORCE))
		return 0;
	if (lost) {
		log_err("%s stays active: %s; --force removes the device", dev->name, lost);
		return -EBUSY;
	}
	return dev->live_table ? select_check_alone(dev, "; --force removes the device") : 0;
}

/*
 * Check that it is safe to remove the device and its partition devices. Return: 0, or a negative
 * errno after a message.
 */
static int remove_check_all(const struct options *o, const struct devmap_device *dev,
			    const struct partition_devices *parts)
{
	int r = remove_check(o, dev);
	unsigned int i;

	for (i = 0; i < parts->nr && !r; i++)
		r = remove_check(o, &parts->dev[i]);
	return r;
}

/* Print the result with --json. @waits: the device still exists, and the kernel removes it later */
static void remove_report(const struct options *o, const struct devmap_device *dev,
			  const struct partition_devices *parts, bool waits)
{
	struct json_object *out = output_device("remove", dev);

	output_add_bool(out, "deferred_remove", waits);
	if (parts->nr)
		json_object_object_add(out, "partitions", partitions_list(parts));
	output_print(o, out);
}

static int remove_device(const struct options *o, const char *word)
{
	_cleanup_devmap_device_ struct devmap_device dev = { 0 };
	_cleanup_partitions_ struct partition_devices parts = { 0 };
	_cleanup_free_ char *file = NULL;
	_cleanup_close_ int lock = -1;
	bool waits = false;
	sigset_t old;
	int r = select_device(word, &dev) ? : select_check_owner(o, &dev);

	if (r)
		return r;
	if (!opt(o, OPT_FORGET))
		file = saved_file_of(dev.name, dev.uuid);
	else
		r = remove_find_file(&dev, &file);
	if (!r && file && opt(o, OPT_FORGET))
		r = remove_lock(o, file, &lock) ? : remove_look_again(&dev, file);
	/* with the lock, no other command changes the device after these checks */
	r = r ? : partitions_find(&dev, &parts) ? : remove_check_all(o, &dev, &parts);
	if (r)
		return r;
	/*
	 * block signals: a signal during the wait for udev would end the command after the device
	 * is removed, and before its saved file is removed
	 */
	stop_block(&old);
	if (opt(o, OPT_WHEN_UNUSED))
		r = remove_when_unused(o, &dev, &parts, opt(o, OPT_FORGET) ? file : NULL, &waits);
	else
		r = remove_unused(o, "remove", &dev, &parts, opt(o, OPT_FORGET) ? file : NULL);
	if (devmap_is_done(r) && file && !opt(o, OPT_DRY_RUN))
		r = remove_saved(o, file, waits) ? : r;
	if (devmap_is_done(r) && !opt(o, OPT_DRY_RUN))
		remove_report(o, &dev, &parts, waits);
	stop_unblock(&old);
	return r;
}

/* Does a saved file exist, but no device of that name? */
static bool remove_is_absent(const char *name)
{
	_cleanup_devmap_device_ struct devmap_device dev = { 0 };

	return saved_file_exists(name) && devmap_is_absent(devmap_info(name, &dev));
}

/*
 * If the device of a saved file is active under another name, tell the user that the device stays
 * active, and is no longer saved.
 */
static void remove_say_renamed(const char *name)
{
	const char *uuid = saved_file_get(name)->saved.uuid;
	_cleanup_free_ char *active = uuid ? devmap_name_of_uuid(uuid) : NULL;
	const struct saved_file *original = active ? saved_file_find(active, uuid) : NULL;

	if (original && !strcmp(original->name, name))
		log_note("%s is active under the name %s, and stays active until the next boot", name,
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
	output_dry_run(o, "remove", name, NULL, NULL, NULL, line);
	return 0;
}

int cmd_remove(const struct options *o, const char *word)
{
	_cleanup_free_ char *name = select_new_name(word);

	if (opt(o, OPT_FORGET) && remove_is_absent(name))
		return remove_file(o, name);
	return remove_device(o, word);
}
