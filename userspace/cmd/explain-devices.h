/* SPDX-License-Identifier: GPL-2.0-only */
/* noclone explain: the devices under a table. */
#ifndef NOCLONE_EXPLAIN_DEVICES_H
#define NOCLONE_EXPLAIN_DEVICES_H

#include "model/table.h"
#include "model/trouble.h"

struct json_object;

/*
 * Print what they are and who uses them, marked with their @troubles; with
 * @json, add an object for each to @array instead.
 */
void explain_devices(const struct table *t, const struct troubles *troubles,
		     struct json_object *array, bool json);

#endif /* NOCLONE_EXPLAIN_DEVICES_H */
