/* SPDX-License-Identifier: GPL-2.0-only */
/* Which mapped devices a command works on, and whether it may. */
#ifndef NOCLONE_SELECT_H
#define NOCLONE_SELECT_H

#include "cli/options.h"
#include "system/devmap.h"

/*
 * The name of a mapped device given as NAME, /dev/mapper/NAME, VG/LV, /dev/VG/LV,
 * dm-N or /dev/dm-N.
 */
char *select_name(const char *word);
/* The same for a name that is new: NAME or /dev/mapper/NAME. */
char *select_new_name(const char *word);
/* Look a device up.  Return: 0, or a negative errno after a message. */
int select_device(const char *word, struct devmap_device *dev);
/* The live table of a device.  Return: as above. */
int select_table(const char *name, struct table *t);
int select_live(const struct devmap_device *dev, struct live *live);
/**
 * select_check_owner - may the tool change this device?
 * @o: --force permits everything
 * @dev: the device
 *
 * Devices of LVM, cryptsetup and the like are left to those tools; ours have our
 * UUID prefix, or no UUID and a target of this module.
 *
 * Return: 0, or -EPERM after a message.
 */
int select_check_owner(const struct options *o, const struct devmap_device *dev);

/*
 * Is no other program changing the device?  @force: the end of the message, after what ends the
 * change.  Return: 0, or -EBUSY after a message.
 */
int select_check_alone(const struct devmap_device *dev, const char *force);

/*
 * The devices named on the command line; without any, all that have a target of
 * this module, or with @all every mapped device.  Return: 0, or a negative errno
 * after messages; @names has those that exist nevertheless.
 */
int select_names(struct names *names, int argc, char **argv, bool all);

#endif /* NOCLONE_SELECT_H */
