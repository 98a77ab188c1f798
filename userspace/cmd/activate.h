/* SPDX-License-Identifier: GPL-2.0-only */
/* Activate a saved device. activate-loop.c has the loop that calls these functions. */
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
/*
 * Do all legs and backing files of the saved device exist? A leg may be another saved device, which
 * has to be activated first.
 */
bool activate_is_ready(const char *name);

#endif /* NOCLONE_ACTIVATE_H */
