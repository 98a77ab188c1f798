// SPDX-License-Identifier: GPL-2.0-only
/*
 * Device-mapper operations that change something.
 *
 * A device is made in three steps (create, load, resume) and not by libdm's
 * combined one, because that hides which step failed and with which errno.
 * Whatever the last step was, a device that did not get its table is removed.
 *
 * A reload loads into the inactive slot and then sends a single resume: the
 * kernel suspends, swaps and resumes in that one ioctl, so that killing this
 * process at any point leaves the old table or the new one running, never a
 * suspended device.
 */
#include <errno.h>
#include <libdevmapper.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/child.h"
#include "base/log.h"
#include "base/util.h"
#include "model/name.h"
#include "model/table-text.h"
#include "model/table.h"
#include "system/blockdev.h"
#include "system/devmap-task.h"
#include "system/devmap.h"
#include "system/identity.h"

static bool devmap_add_targets(struct dm_task *dmt, const struct table *t)
{
	unsigned int i;

	for (i = 0; i < t->nr; i++) {
		const struct target *target = &t->targets[i];
		_cleanup_free_ char *params = target_params(target, false,
							    identity_loadable, NULL);

		if (!dm_task_add_target(dmt, target->start, target->length,
					target->type, params))
			return false;
	}
	return true;
}

static int devmap_load(const char *name, const struct table *t, bool readonly)
{
	_cleanup_task_ struct dm_task *dmt = devmap_task_new(DM_DEVICE_RELOAD, name);

	if (!dmt || (readonly && !dm_task_set_ro(dmt)) || !devmap_add_targets(dmt, t))
		return -ENOMEM;
	return devmap_task_run(dmt, "loading the table of", name);
}

static int devmap_create_empty(const char *name, const char *uuid)
{
	_cleanup_task_ struct dm_task *dmt = devmap_task_new(DM_DEVICE_CREATE, name);

	if (!dmt || !dm_task_set_uuid(dmt, uuid))
		return -EINVAL;
	return devmap_task_run(dmt, DEVMAP_CREATING, name);
}

static int devmap_clear(const char *name)
{
	_cleanup_task_ struct dm_task *dmt = devmap_task_new(DM_DEVICE_CLEAR, name);

	return dmt ? devmap_task_run(dmt, "clearing the inactive table of", name) : -ENOMEM;
}

static int devmap_resume(const char *name)
{
	_cleanup_task_ struct dm_task *dmt = devmap_task_new(DM_DEVICE_RESUME, name);

	return dmt ? devmap_task_run_udev(dmt, "resuming", name) : -ENOMEM;
}

static int devmap_load_checked(const char *name, const struct table *t, bool readonly,
			       const struct devmap_check *check)
{
	int r = devmap_load(name, t, readonly);

	if (!r && check)
		r = check->loaded(name, check->data);
	return r;
}

static void devmap_give_back(int *lock)
{
	if (!lock || *lock < 0)
		return;
	close(*lock);
	*lock = -1;
}

int devmap_create(const char *name, const char *uuid, const struct table *t,
		  bool readonly, const struct devmap_check *check, int *lock)
{
	sigset_t old;
	int r;

	signals_block(&old);
	r = devmap_create_empty(name, uuid);
	if (!r) {
		r = devmap_load_checked(name, t, readonly, check);
		if (!r) {
			devmap_give_back(lock);
			r = devmap_resume(name);
		}
		/* with udev late, the device is complete */
		if (r && r != -ETIMEDOUT && !devmap_remove(name, true))
			log_verbose("%s: the incomplete device was removed", name);
	}
	signals_unblock(&old);
	return r;
}

/*
 * One ioctl suspends, swaps the tables and resumes.  Linux 6.1 sets the readahead anew then;
 * since 6.12 it becomes larger with the new table, not smaller than the user has set it.
 */
static int devmap_swap_tables(const char *name, dev_t devno)
{
	_cleanup_task_ struct dm_task *dmt = devmap_task_new(DM_DEVICE_RESUME, name);
	_cleanup_free_ char *kib = blockdev_attribute(devno, "queue/read_ahead_kb");
	uint32_t sectors = kib ? strtoul(kib, NULL, 10) << (10 - SECTOR_SHIFT) : 0;

	if (!dmt || !dm_task_set_read_ahead(dmt, sectors, DM_READ_AHEAD_MINIMUM_FLAG))
		return -ENOMEM;
	return devmap_task_run_udev(dmt, "switching the table of", name);
}

/*
 * After a failed switch the device may be suspended, with the old table still
 * in place and the new one either gone or back in the inactive slot.
 */
static void devmap_roll_back(const char *name, bool was_suspended)
{
	_cleanup_devmap_device_ struct devmap_device dev = { 0 };
	_cleanup_free_ char *command = name_command("resume", name);

	devmap_clear(name);
	if (!devmap_info(name, &dev) && dev.suspended && !was_suspended && devmap_resume(name))
		log_err("%s stays suspended; to resume it: %s", name, command);
	else
		log_err("%s keeps running with its old table", name);
}

int devmap_reload(const char *name, const struct table *t, bool readonly,
		  const struct devmap_check *check)
{
	_cleanup_devmap_device_ struct devmap_device before = { 0 };
	sigset_t old;
	int r;

	r = devmap_info(name, &before);
	if (r) {
		log_err("%s: %s", name, devmap_strerror(-r));
		return r;
	}
	if (check && check->alone && (before.inactive_table || before.suspended)) {
		log_err("%s: another process is changing it: try again", name);
		return -EBUSY;
	}

	signals_block(&old);
	r = devmap_load_checked(name, t, readonly, check);
	if (r) {
		/* a failed load keeps the inactive table of an earlier one */
		devmap_clear(name);
		log_err("%s keeps running with its old table", name);
	} else {
		/* when it fails, the device may be suspended until it is rolled back */
		log_hold();
		r = devmap_swap_tables(name, before.devno);
		if (r && r != -ETIMEDOUT)
			devmap_roll_back(name, before.suspended);
		log_release();
	}
	signals_unblock(&old);
	return r;
}

int devmap_remove(const char *name, bool retry)
{
	_cleanup_task_ struct dm_task *dmt = devmap_task_new(DM_DEVICE_REMOVE, name);

	if (!dmt || (retry && !dm_task_retry_remove(dmt)))
		return -ENOMEM;
	return devmap_task_run_udev(dmt, "removing", name);
}

bool devmap_remove_unfinished(const struct devmap_device *dev)
{
	if (dev->live_table || dev->open_count || devmap_remove(dev->name, true))
		return false;
	log_warn("%s: removed what an interrupted command had left", dev->name);
	return true;
}

int devmap_message(const char *name, uint64_t sector, const char *message,
		   char **response)
{
	_cleanup_task_ struct dm_task *dmt = devmap_task_new(DM_DEVICE_TARGET_MSG,
							     name);
	const char *answer;
	int r;

	*response = NULL;
	if (!dmt || !dm_task_set_sector(dmt, sector) ||
	    !dm_task_set_message(dmt, message))
		return -ENOMEM;
	r = devmap_task_run(dmt, "sending a message to", name);
	answer = r ? NULL : dm_task_get_message_response(dmt);
	if (answer)
		*response = xstrdup(answer);
	return r;
}
