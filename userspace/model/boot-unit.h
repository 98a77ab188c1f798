/* SPDX-License-Identifier: GPL-2.0-only */
/* What systemd has to know of a saved device: names and dependencies of its unit. */
#ifndef NOCLONE_BOOT_UNIT_H
#define NOCLONE_BOOT_UNIT_H

#include <stdbool.h>

#include "model/table.h"

/* The units of saved devices begin with it. */
#define BOOT_UNIT_PREFIX	"noclone-device@"

/* As systemd-escape(1), and with @path as its option --path: a new string. */
char *boot_unit_escape(const char *text, bool path);
/* "noclone-device@NAME.service": a new string */
char *boot_unit_service(const char *name);
/* The unit of a path below /dev, "dev-sda.device": a new string */
char *boot_unit_device(const char *path);

/**
 * boot_unit_print - the part of the unit that depends on the table
 * @t: its table, as much of it as could be read
 * @crypttab: text of crypttab(5).  systemd has no device unit for an encrypted device
 *	without a file system, as a leg may be, so the unit that opens it is waited for.
 *
 * Return: a drop-in for boot_unit_service(): a new string.
 */
char *boot_unit_print(const struct table *t, const char *crypttab);
/* The device unit of a leg: a new string, NULL for a number, which is no name. */
char *boot_unit_leg(const struct leg *leg);

#endif /* NOCLONE_BOOT_UNIT_H */
