/* SPDX-License-Identifier: GPL-2.0-only */
/* What systemd has to know of a saved device: names and dependencies of its unit. */
#ifndef NOCLONE_BOOT_UNIT_H
#define NOCLONE_BOOT_UNIT_H

#include <stdbool.h>

#include "model/table.h"

/* As systemd-escape(1), and with @path as its option --path: a new string. */
char *boot_unit_escape(const char *text, bool path);
/* "noclone-device@NAME.service": a new string */
char *boot_unit_service(const char *name);
/* The unit of a path below /dev, "dev-sda.device": a new string */
char *boot_unit_device(const char *path);

/**
 * boot_unit_print - the part of the unit that depends on the table
 * @t: its table, as much of it as could be read
 *
 * Return: a drop-in for boot_unit_service(): a new string.
 */
char *boot_unit_print(const struct table *t);

#endif /* NOCLONE_BOOT_UNIT_H */
