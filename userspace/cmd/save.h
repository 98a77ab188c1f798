/* SPDX-License-Identifier: GPL-2.0-only */
/* Saving devices, so that they come back at boot. */
#ifndef NOCLONE_SAVE_H
#define NOCLONE_SAVE_H

#include <stdbool.h>

#include "model/table.h"
#include "system/devmap.h"
#include "cli/options.h"

/* Save a device that is active: 0, or a negative errno after a message. */
int save_device(const struct options *o, const char *name);
/* Does it have a backing file, but runs on a loop device instead, for want of a module? */
bool save_is_stand_in(const struct devmap_device *dev, const struct table *live);

/**
 * save_refresh - bring the file of an active device up to date
 * @dev: the device, as saved; the caller has the lock of its file
 * @dry_run: write nothing
 *
 * If its table is the one that is saved, put into the file what the legs have on them now:
 * it holds them, so that has been written through it.  If it is another one, the file is
 * outdated: save that.
 *
 * Return: false if the table is another one.
 */
bool save_refresh(const struct devmap_device *dev, bool dry_run);
/* After a change of an active device: its file does not know. */
void save_hint(const char *name);

#endif /* NOCLONE_SAVE_H */
