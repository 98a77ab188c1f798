/* SPDX-License-Identifier: GPL-2.0-only */
/* Devices of this module without it: dm's own targets, and loop devices for files. */
#ifndef NOCLONE_STAND_IN_H
#define NOCLONE_STAND_IN_H

#include <stdbool.h>

#include "model/table.h"

/**
 * struct stand_in - a table that maps the same sectors without the module
 * @table: the table
 * @loop: its loop devices, open until something else holds them
 * @nr: how many
 */
struct stand_in {
	struct table table;
	int *loop;
	unsigned int nr;
};

/* Return: 0, or a negative errno after a message; stand_in_free() in any case. */
int stand_in_make(struct stand_in *s, const struct table *t, bool readonly);
void stand_in_free(struct stand_in *s);

#define _cleanup_stand_in_ __attribute__((cleanup(stand_in_free)))

#endif /* NOCLONE_STAND_IN_H */
