/* SPDX-License-Identifier: GPL-2.0-only */
/* The mapped devices of the running system whose fast path may be switched. */
#ifndef NOCLONE_CANDIDATES_H
#define NOCLONE_CANDIDATES_H

#include "model/switch-plan.h"

/*
 * Add a device to a plan, and the linear and striped devices below that belong to the same
 * logical volume.  Return: 0, or a negative errno after a message.
 */
int candidates_add(struct switch_plan *p, const char *name);
/* Add all devices that are suitable: 0, or a negative errno after a message. */
int candidates_add_all(struct switch_plan *p);
/* The state of the fast path now, see struct candidate: a new string, or NULL. */
char *candidate_state(const struct candidate *c);

#endif /* NOCLONE_CANDIDATES_H */
