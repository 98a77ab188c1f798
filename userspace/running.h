/* SPDX-License-Identifier: GPL-2.0-only */
/* What runs: a device's table with the status of each of its lines. */
#ifndef NOCLONE_RUNNING_H
#define NOCLONE_RUNNING_H

#include "status.h"
#include "table.h"

/**
 * struct running - a live table
 * @table: as the kernel prints it, and with each file's id
 * @status: of each line; empty for targets of others
 */
struct running {
	struct table table;
	struct status *status;
};

/* Return: 0 or a negative errno; running_free() in any case. */
int running_get(const char *name, struct running *r);
void running_free(struct running *r);

#define _cleanup_running_ __attribute__((cleanup(running_free)))

#endif /* NOCLONE_RUNNING_H */
