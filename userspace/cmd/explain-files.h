/* SPDX-License-Identifier: GPL-2.0-only */
/* noclone explain: the backing files under a table. */
#ifndef NOCLONE_EXPLAIN_FILES_H
#define NOCLONE_EXPLAIN_FILES_H

#include "model/table.h"
#include "model/trouble.h"

struct json_object;

/*
 * Print what they are and who uses them, marked with their @troubles; with
 * @json, add an object for each to @array instead.
 */
void explain_files(const struct table *t, const struct troubles *troubles,
		   struct json_object *array, bool json);

#endif /* NOCLONE_EXPLAIN_FILES_H */
