/* SPDX-License-Identifier: GPL-2.0-only */
/* The live table of a mapped device, and its status. */
#ifndef NOCLONE_LIVE_H
#define NOCLONE_LIVE_H

#include "model/status.h"
#include "model/table.h"
#include "system/devmap.h"

/* The live table alone.  Return: 0 or a negative errno. */
int live_table(const char *name, struct table *t);
/* The same for the table that is loaded and not running yet. */
int live_inactive_table(const char *name, struct table *t);

/**
 * struct live - a live table with its status
 * @table: the table; noclone-file targets have their inode
 * @raw: the status as the kernel prints it
 * @status: the same parsed, for stock targets with what the module says of the
 *	device; empty for targets of other modules, and without an answer
 */
struct live {
	struct table table;
	struct table raw;
	struct status *status;
};

/* Return: 0 or a negative errno; live_free() in any case. */
int live_get(const char *name, struct live *live);
/* The status of the first target that has a fast path, NULL if none has. */
const struct status *live_status(const struct live *live);
/* "on", "off:reason", or NULL if no target has a fast path: a new string. */
char *live_fastpath(const struct live *live);
/* After a load: warn if another engine runs than the requested one. */
void live_warn_stand_in(const char *name);
/* What is wrong below it. */
void live_below(const struct live *live, struct findings *findings);
/* Why the path of a backing file leads to another file, or to none: a new string, or NULL. */
char *live_lost_file(const char *name);
void live_free(struct live *live);

#define _cleanup_live_ __attribute__((cleanup(live_free)))

#endif /* NOCLONE_LIVE_H */
