/* SPDX-License-Identifier: GPL-2.0-only */
/* Commands on saved devices: one after the other, those first that others wait for. */
#ifndef NOCLONE_EACH_SAVED_H
#define NOCLONE_EACH_SAVED_H

#include <stdbool.h>

#include "cli/options.h"

#define EACH_SAVED_PLAN	""

/**
 * struct each_saved - a command on saved devices
 * @command: its name
 * @ready: does no other of the devices have to come first?
 * @run: the new state of the device in a few words, EACH_SAVED_PLAN if it has printed a plan;
 *	NULL after a message
 * @unit: makes the unit of the device follow; without the lock, for which the unit waits
 */
struct each_saved {
	const char *command;
	bool (*ready)(const char *name);
	const char *(*run)(const struct options *o, const char *name);
	void (*unit)(const char *name);
};

/* For the devices named, or with --all for all that are saved; returns an exit code. */
int each_saved(const struct each_saved *e, const struct options *o, int argc,
	       char **argv);

#endif /* NOCLONE_EACH_SAVED_H */
