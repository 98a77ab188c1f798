/* SPDX-License-Identifier: GPL-2.0-only */
/* Deactivate a saved device. activate-loop.c has the loop that calls these functions. */
#ifndef NOCLONE_DEACTIVATE_H
#define NOCLONE_DEACTIVATE_H

#include <stdbool.h>

#include "cli/options.h"

/*
 * Deactivate a saved device.
 *
 * Return: the new state in a few words, "" if a plan was printed, or NULL after a message.
 */
const char *deactivate_device(const struct options *o, const char *name);
/* Can the device be deactivated now? Devices that stand on it have to be deactivated first. */
bool deactivate_is_ready(const char *name);

#endif /* NOCLONE_DEACTIVATE_H */
