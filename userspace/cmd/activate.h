/* SPDX-License-Identifier: GPL-2.0-only */
/* Activating a saved device, for the loop over devices. */
#ifndef NOCLONE_ACTIVATE_H
#define NOCLONE_ACTIVATE_H

#include <stdbool.h>

#include "cli/options.h"

/*
 * Activate a saved device.
 *
 * Return: the state in a few words, "" if a plan was printed, or NULL after a message.
 */
const char *activate_device(const struct options *o, const char *name);
/* Do all legs exist? A leg may be another saved device. */
bool activate_is_ready(const char *name);

#endif /* NOCLONE_ACTIVATE_H */
