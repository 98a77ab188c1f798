/* SPDX-License-Identifier: GPL-2.0-only */
/* Switching the fast path of devices, as "noclone enable" and "disable" have planned it. */
#ifndef NOCLONE_ENABLE_NOW_H
#define NOCLONE_ENABLE_NOW_H

#include "model/switch-plan.h"

/*
 * Carry out a plan, and fill in the state of each device after it.  Return: 0, or a negative
 * errno after a message, and no device is switched.
 */
int enable_now(struct switch_plan *p);

#endif /* NOCLONE_ENABLE_NOW_H */
