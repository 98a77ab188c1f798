/* SPDX-License-Identifier: GPL-2.0-only */
/* noclone enable and disable without --now: edit the policy. */
#ifndef NOCLONE_ENABLE_POLICY_H
#define NOCLONE_ENABLE_POLICY_H

#include "cli/options.h"
#include "model/policy.h"

/**
 * enable_policy - edit the policy
 * @o: --all, --include, --exclude, --dry-run
 * @argc: number of devices
 * @argv: the devices
 * @kind: what becomes of them
 *
 * Return: an exit code.
 */
int enable_policy(const struct options *o, int argc, char **argv,
		  enum policy_kind kind);

#endif /* NOCLONE_ENABLE_POLICY_H */
