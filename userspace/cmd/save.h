/* SPDX-License-Identifier: GPL-2.0-only */
/* Saving devices, so that they come back at boot. */
#ifndef NOCLONE_SAVE_H
#define NOCLONE_SAVE_H

#include "cli/options.h"

/* Save a device that is active: 0, or a negative errno after a message. */
int save_device(const struct options *o, const char *name);
/*
 * Put into the file of an active device what its legs have on them now.  It holds them,
 * so this has been written through it.
 */
void save_signatures(const char *name);
/* After a change of an active device: its file does not know. */
void save_hint(const char *name);

#endif /* NOCLONE_SAVE_H */
