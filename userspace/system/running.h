/* SPDX-License-Identifier: GPL-2.0-only */
/* What runs: a device's table, its status, and what is wrong below it. */
#ifndef NOCLONE_RUNNING_H
#define NOCLONE_RUNNING_H

#include "system/dm.h"
#include "model/status.h"
#include "model/table.h"
#include "model/trouble.h"

struct json_object;

/**
 * struct running - a live table
 * @table: as the kernel prints it, and with each file's id
 * @lines: status lines
 * @status: each of them taken apart; empty for targets of others
 */
struct running {
	struct table table;
	struct dm_lines lines;
	struct status *status;
};

/* Return: 0 or a negative errno; running_free() in any case. */
int running_get(const char *name, struct running *r);
/* "on", "off:reason", or NULL if no target has a fast path: a new string. */
char *running_fastpath(const struct running *r);
/* After a load: warn if an engine runs that is not the one asked for. */
void running_tell_stand_in(const char *name);
/* What is wrong below the target of a status line, or below all of them. */
void running_troubles_of(const struct running *r, unsigned int line,
			 struct troubles *troubles);
void running_troubles(const struct running *r, struct troubles *troubles);
/* The same as [{"kind", "start", "name", "text"}...] */
struct json_object *troubles_json(const struct troubles *troubles);
void running_free(struct running *r);

#define _cleanup_running_ __attribute__((cleanup(running_free)))

#endif /* NOCLONE_RUNNING_H */
