/* SPDX-License-Identifier: GPL-2.0-only */
/* noclone explain: the state of a running device. */
#ifndef NOCLONE_EXPLAIN_STATE_H
#define NOCLONE_EXPLAIN_STATE_H

#include "model/trouble.h"

struct json_object;

/**
 * explain_state - print the state of a running device
 * @name: its name
 * @troubles: gets what is wrong below it
 * @out: gets "fastpath", "suspended" and "troubles" if @json is true
 * @json: print nothing
 */
void explain_state(const char *name, struct troubles *troubles,
		   struct json_object *out, bool json);

#endif /* NOCLONE_EXPLAIN_STATE_H */
