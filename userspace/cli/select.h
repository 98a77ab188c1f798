/* SPDX-License-Identifier: GPL-2.0-only */
/* Find the mapped devices that a command works on, and check that the command may change them. */
#ifndef NOCLONE_SELECT_H
#define NOCLONE_SELECT_H

#include "cli/options.h"
#include "system/devmap.h"
#include "system/live.h"

/*
 * Return: the name of the mapped device that @word gives as NAME, /dev/mapper/NAME, VG/LV,
 * /dev/VG/LV, dm-N or /dev/dm-N, a new string.
 */
char *select_name(const char *word);
/* Return: the name of a new device that @word gives as NAME or /dev/mapper/NAME, a new string. */
char *select_new_name(const char *word);
/*
 * Look up the mapped device that @word gives in a form that select_name() knows. Return: 0, or a
 * negative errno after a message.
 */
int select_device(const char *word, struct devmap_device *dev);
/* Read the live table of a device. Return: 0, or a negative errno after a message. */
int select_table(const char *name, struct table *t);
int select_live(const struct devmap_device *dev, struct live *live);
/*
 * If @word is the path of a regular file and not the name of a device, add the names of the devices
 * that have a target on this file to @names. Return: true if @word is such a path and the mapped
 * devices could be listed.
 */
bool select_file(struct names *names, const char *word);
/**
 * select_check_owner - check that the tool may change a device
 * @o: the options; with --force, the tool may change every device
 * @dev: the device
 *
 * Devices of LVM, cryptsetup and similar programs should only be changed by these programs. So
 * without --force the tool changes only a device whose UUID has the prefix of this tool, or a
 * device that has no UUID and has a target of this module.
 *
 * Return: 0, or -EPERM after a message.
 */
int select_check_owner(const struct options *o, const struct devmap_device *dev);

/*
 * Fail if the device is suspended or has a second table loaded, because another program may be
 * changing the device. @force: the end of the message, which follows the command that resumes the
 * device or drops the second table.
 */
int select_check_alone(const struct devmap_device *dev, const char *force);

/*
 * Find the devices that the words of the command line give by a name or by a backing file. If there
 * are no words, find all devices that this tool has made or that have a target of this module; with
 * @all, find all mapped devices.
 *
 * Return: 0, or a negative errno after messages. Even after an error, @names has the devices that
 * were found.
 */
int select_names(struct names *names, int argc, char **argv, bool all);

#endif /* NOCLONE_SELECT_H */
