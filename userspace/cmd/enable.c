// SPDX-License-Identifier: GPL-2.0-only
/*
 * noclone enable and disable: the fast path on devices whose tables stay as they are.
 * With --now for this boot, else by the policy, which "--now --policy" applies: one
 * never implies the other.
 */
#include "base/log.h"
#include "model/policy.h"
#include "model/switch-plan.h"
#include "cli/options.h"
#include "cmd/cmd.h"
#include "cmd/enable-now.h"
#include "cmd/enable-policy.h"

#define OPT_RULES	(OPT_INCLUDE | OPT_EXCLUDE)

/* NULL, or what is wrong with the command line. */
static const char *usage(const struct options *o, int argc)
{
	if (opt(o, OPT_ALL) && argc)
		return "give devices or --all, not both";
	if (opt(o, OPT_POLICY) && opt(o, OPT_ALL))
		return "--policy is for all devices already";
	if (opt(o, OPT_POLICY) && !opt(o, OPT_NOW))
		return "--policy goes with --now: it applies the policy";
	if (opt(o, OPT_NOW) && opt(o, OPT_RULES))
		return "--include and --exclude edit the policy: give them without --now, then apply it with --now --policy";
	if (opt(o, OPT_ALL) && opt(o, OPT_RULES))
		return "--all replaces all rules of the policy: give --include and --exclude without it";
	if (!argc && !opt(o, OPT_ALL | OPT_POLICY | OPT_RULES))
		return "which devices? Give their names, or --all";
	return NULL;
}

static int run(const struct options *o, int argc, char **argv, bool enable)
{
	const char *wrong = usage(o, argc);

	if (wrong) {
		log_err("%s", wrong);
		return EXIT_USAGE;
	}
	if (opt(o, OPT_NOW))
		return enable_now(o, argc, argv, enable ? WISH_ON : WISH_OFF);
	return enable_policy(o, argc, argv,
			     enable ? POLICY_INCLUDE : POLICY_EXCLUDE);
}

int cmd_enable(const struct options *o, int argc, char **argv)
{
	return run(o, argc, argv, true);
}

int cmd_disable(const struct options *o, int argc, char **argv)
{
	return run(o, argc, argv, false);
}
