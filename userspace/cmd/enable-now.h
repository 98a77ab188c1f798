/* SPDX-License-Identifier: GPL-2.0-only */
/* noclone enable --now and disable --now */
#ifndef NOCLONE_ENABLE_NOW_H
#define NOCLONE_ENABLE_NOW_H

#include "cli/options.h"
#include "model/switch-plan.h"

/**
 * enable_now - switch the fast path of devices until the next boot
 * @o: --all, --policy, --dry-run
 * @argc: number of devices
 * @argv: the devices
 * @wish: WISH_ON or WISH_OFF; with --policy, the policy decides
 *
 * Return: an exit code.
 */
int enable_now(const struct options *o, int argc, char **argv, enum wish wish);

#endif /* NOCLONE_ENABLE_NOW_H */
