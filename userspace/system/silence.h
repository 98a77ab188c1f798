/* SPDX-License-Identifier: GPL-2.0-only */
/* Questions to devices and files that may not answer. */
#ifndef NOCLONE_SILENCE_H
#define NOCLONE_SILENCE_H

#include <stdbool.h>

#include "base/ask.h"

/**
 * silence_ask - ask a device or a file with ask(), unless it stands on a suspended device
 * @function: asks the device or file, in a process that can be left behind
 * @data: the argument of @function
 * @path: the path of a device node or of a file; the path may lead through symbolic links
 * @file: @path is a file, not a device node
 * @a: set to the answer
 * @why: after an error: why there is no answer, as the end of "cannot be read: ..."
 *
 * Return: 0, -EBUSY if the device itself or a device below is suspended, or the negative errno of
 * ask().
 */
int silence_ask(ask_function function, void *data, const char *path, bool file, struct answer *a,
		char **why);

#endif /* NOCLONE_SILENCE_H */
