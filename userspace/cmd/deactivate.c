// SPDX-License-Identifier: GPL-2.0-only
/* noclone deactivate: remove saved devices that are not in use, and keep their files. */
#include "cmd/deactivate.h"

#include "cmd/partitions.h"

#include <errno.h>
#include <string.h>

#include "base/log.h"
#include "base/stop.h"
#include "base/util.h"
#include "model/name.h"
#include "model/table-target.h"
#include "system/live.h"
#include "system/signatures.h"
#include "system/saved-file.h"
#include "cli/select.h"
#include "cmd/remove.h"

/*
 * Does the active device with the UUID of the saved file @name belong to another saved file? A user
 * may have copied a saved file. Return: true after a message.
 */
static bool deactivate_is_copy(const char *name, const char *active, const char *uuid)
{
	_cleanup_free_ char *file = active ? saved_file_of(active, uuid) : NULL;
	bool copy = file && strcmp(file, name);

	if (copy)
		log_note("%s and the saved file of %s have the same UUID, and the active device belongs to the file of %s",
			 name, file, file);
	return copy;
}

/*
 * Find the device of a saved file, even if the device has another name now. Return: 0, or a
 * negative errno; after a message, unless the device does not exist.
 */
static int deactivate_find(const char *name, const struct saved *s, struct devmap_device *dev)
{
	_cleanup_free_ char *active = s->uuid ? devmap_name_of_uuid(s->uuid) : NULL;
	int r = deactivate_is_copy(name, active, s->uuid) ? -ENXIO :
		devmap_info(active ? active : name, dev);

	if (!r && strcmp(dev->name, name))
		log_note("%s is active under the name %s", name, dev->name);
	if (r && !devmap_is_absent(r))
		log_err("%s: %s", name, devmap_reason(r));
	return r;
}

/*
 * Record the present signatures of the legs in the saved file. The device holds its legs, so all
 * data on the legs was written through the device. The device does not hold the other sectors of
 * the disks, so the old record of these sectors stays.
 *
 * If an interrupted command has left a new file beside the saved file, nothing is recorded: the
 * user has to choose one of the two files, and a new record would hide the difference. Nothing is
 * recorded either if "activate --force" has accepted legs with other signatures: then only "save"
 * records signatures.
 */
static void deactivate_record(const char *file, struct saved *s)
{
	_cleanup_free_ char *left = saved_file_leftover(file, s->uuid), *text = NULL;
	sigset_t before;
	int r;

	if (left || saved_file_is_forced(file) || saved_file_unwritable(file) ||
	    signatures_record(&s->table, false, false))
		return;
	text = saved_print(s);
	if (saved_file_says(file, text))
		return;
	stop_block(&before);
	r = saved_file_replace(file, text);
	stop_unblock(&before);
	if (r)
		log_warn("the present signatures of the legs of %s cannot be written to its saved file: %s", file,
			 strerror(-r));
}

/*
 * Return: a text about the thing that the user would lose without the device, a new string, or
 * NULL. This is a table that the saved file does not have, or the data of a backing file whose path
 * leads to another file or to no file. @match: set to the result of comparing the table with the
 * saved file, unless this file is damaged
 */
static char *deactivate_loss(const struct devmap_device *dev, const struct saved *s,
			     const char *damage, enum saved_match *match)
{
	_cleanup_free_ char *save = name_noclone("save", dev->name);
	_cleanup_table_ struct table live = { 0 };

	if (damage)
		return xasprintf("its file is damaged (%s), and \"%s\" writes the file again", damage,
				 save);
	devmap_table_of(dev, DEVMAP_TABLE, &live);
	*match = saved_file_compare(&s->table, &live);
	if (*match == SAVED_DIFFERS)
		return xasprintf("its table differs from the table in its file, and the next activation uses the table in its file; \"%s\" saves the present table",
				 save);
	return live_lost_file(dev, true);
}

/*
 * May the device be removed? At shutdown, the unit gives --force: a device that differs from its
 * saved file is then removed nevertheless, because /etc may be read-only, so that its table could
 * not be saved.
 *
 * Return: false after a message.
 */
static bool deactivate_check(const struct options *o, const char *file, struct saved *s,
			     const char *damage, const struct devmap_device *dev)
{
	bool other = s->uuid ? strcmp(s->uuid, dev->uuid) :
			       !name_uuid_is_noclone(dev->uuid);
	enum saved_match match = SAVED_UNKNOWN;
	_cleanup_free_ char *loss = other ? NULL : deactivate_loss(dev, s, damage, &match);
	const struct target *hidden = table_hidden(&s->table);
	_cleanup_free_ char *remove = name_noclone("remove", dev->name);

	if (hidden)
		log_warn("%s: target \"%s\" is not a target of dm-noclone: the arguments of this target may differ from the arguments in the saved file",
			 dev->name, hidden->type);

	/* another device may have had this name when the file was saved */
	if (other)
		log_err("%s stays active: its UUID is %s, and another device is saved under its name; \"%s\" removes the active device",
			dev->name, *dev->uuid ? dev->uuid : "none", remove);
	else if (loss && opt(o, OPT_FORCE))
		log_warn("%s: %s", dev->name, loss);
	else if (loss)
		log_err("%s stays active: %s; --force deactivates the device", dev->name, loss);
	/*
	 * record the signatures even if the device is in use and cannot be removed: at shutdown
	 * LVM, for example, may hold the device until the end
	 */
	if (!loss && match == SAVED_SAME && !opt(o, OPT_DRY_RUN))
		deactivate_record(file, s);
	return !other && (!loss || opt(o, OPT_FORCE));
}

/*
 * Check that no other program is changing a partition of the device, unless --force is given.
 * Return: 0, or a negative errno after a message.
 */
static int deactivate_check_partitions(const struct options *o,
				       const struct partition_devices *parts)
{
	unsigned int i;
	int r = 0;

	for (i = 0; i < parts->nr && !opt(o, OPT_FORCE) && !r; i++)
		if (parts->dev[i].live_table)
			r = select_check_alone(&parts->dev[i], "; --force deactivates the device");
	return r;
}

static const char *deactivate_remove(const struct options *o, const char *file,
				     const struct devmap_device *dev)
{
	_cleanup_partitions_ struct partition_devices parts = { 0 };
	int r = partitions_find(dev, &parts) ? : deactivate_check_partitions(o, &parts) ? :
		remove_unused(o, "deactivate", dev, &parts, NULL);

	if (!devmap_is_done(r))
		return NULL;
	if (opt(o, OPT_DRY_RUN))
		return "";
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
	r = deactivate_find(name, &s, &dev);
	if (r)
		return devmap_is_absent(r) ? "not active" : NULL;
	if (dev.live_table && !opt(o, OPT_FORCE) &&
	    select_check_alone(&dev, "; --force deactivates the device"))
		return NULL;
	return deactivate_check(o, name, &s, damage, &dev) ? deactivate_remove(o, name, &dev) : NULL;
}

/*
 * Deactivate a device. A device that is not saved is refused before the lock is taken, because
 * taking the lock creates a lock file.
 */
const char *deactivate_device(const struct options *o, const char *name)
{
	_cleanup_devmap_device_ struct devmap_device dev = { 0 };
	_cleanup_free_ char *file = NULL, *hint = NULL;

	if (saved_file_exists(name))
		return deactivate_saved(o, name);
	if (!devmap_info(name, &dev))
		file = saved_file_of(name, dev.uuid);
	hint = file ? name_noclone("deactivate", file) : name_noclone("remove", name);
	if (file)
		log_err("%s is saved under the name %s: run \"%s\"", name, file, hint);
	else
		log_err("%s is not saved; if the device is active, \"%s\" removes the device", name, hint);
	return NULL;
}

/*
 * Is the device inactive or not in use? If another saved device stands on the device, the other
 * device has to be deactivated first.
 */
bool deactivate_is_ready(const char *name)
{
	_cleanup_devmap_device_ struct devmap_device dev = { 0 };

	return devmap_info(name, &dev) || !partitions_are_used(&dev);
}
