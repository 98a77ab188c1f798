/* SPDX-License-Identifier: GPL-2.0-only */
/* Find the mapped devices that a command works on, and check that the command is permitted. */
#ifndef NOCLONE_SELECT_H
#define NOCLONE_SELECT_H

#include "cli/options.h"
#include "system/devmap.h"
#include "system/live.h"

/*
 * Return: the name of a mapped device that is given as NAME, /dev/mapper/NAME, VG/LV, /dev/VG/LV,
 * dm-N or /dev/dm-N, a new string.
 */
char *select_name(const char *word);
/* Return: the name of a new device from NAME or /dev/mapper/NAME, a new string. */
char *select_new_name(const char *word);
/* Look a device up.  Return: 0, or a negative errno after a message. */
int select_device(const char *word, struct devmap_device *dev);
/* Read the live table of a device. Return: 0, or a negative errno after a message. */
int select_table(const char *name, struct table *t);
int select_live(const struct devmap_device *dev, struct live *live);
/*
 * If the word is the path of a regular file and not the name of a device, add the devices that have
 * a target on this file. Return: whether the word is such a path, and the devices can be listed.
 */
bool select_file(struct names *names, const char *word);
/**
 * select_check_owner - may the tool change this device?
 * @o: --force permits every device
 * @dev: the device
 *
 * The tool leaves devices of LVM, cryptsetup and similar programs to these programs. A device is
 * ours if it has our UUID prefix, or no UUID and a target of this module.
 *
 * Return: 0, or -EPERM after a message.
 */
int select_check_owner(const struct options *o, const struct devmap_device *dev);

/*
 * Fail if another program is changing the device. @force: the last part of the message, behind the
 * command that ends the change.
 *
 * Return: 0, or -EBUSY after a message.
 */
int select_check_alone(const struct devmap_device *dev, const char *force);

/*
 * Find the devices that the command line names, by a name or by their backing file. Without a word,
 * find all devices that have a target of this module, or with @all every mapped device.
 *
 * Return: 0, or a negative errno after messages; @names has the existing devices nevertheless.
 */
int select_names(struct names *names, int argc, char **argv, bool all);

#endif /* NOCLONE_SELECT_H */
