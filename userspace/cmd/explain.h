/* SPDX-License-Identifier: GPL-2.0-only */
/* The parts of noclone explain. */
#ifndef NOCLONE_EXPLAIN_H
#define NOCLONE_EXPLAIN_H

#include "model/uses.h"
#include "model/table.h"
#include "model/trouble.h"

struct json_object;

/**
 * explain_running - say how a device runs
 * @name: its name
 * @troubles: gets what is wrong below it
 * @out: gets "fastpath", "suspended" and "troubles" if @json is true
 * @json: print nothing
 */
void explain_running(const char *name, struct troubles *troubles,
		     struct json_object *out, bool json);

/**
 * explain_files - say what the files under a table are, and who uses them
 * @t: table
 * @troubles: what is wrong with them
 * @array: gets an object for each file if @json is true
 * @json: print nothing
 */
void explain_files(const struct table *t, const struct troubles *troubles,
		   struct json_object *array, bool json);

/* [{"kind", "by"}...] */
struct json_object *explain_uses_json(const struct uses *uses);
/* A line for each use that is not a signature, or one that there are none. */
void explain_print_uses(const struct uses *uses);

#endif /* NOCLONE_EXPLAIN_H */
