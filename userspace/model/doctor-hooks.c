// SPDX-License-Identifier: GPL-2.0-only
/* What udev and systemd run for this project. */
#include "model/doctor.h"

#define RULES		"/etc/udev/rules.d:/run/udev/rules.d:/usr/local/lib/udev/rules.d:" \
			"/usr/lib/udev/rules.d:/lib/udev/rules.d"
#define GENERATORS	"/run/systemd/system-generators:/etc/systemd/system-generators:" \
			"/usr/local/lib/systemd/system-generators:" \
			"/usr/lib/systemd/system-generators:/lib/systemd/system-generators"

const struct hook doctor_hooks[HOOK_NR] = {
	[HOOK_POLICY_RULE] = {
		"90-dm-noclone-policy.rules", RULES, "/run/udev",
		"the policy is not applied to devices that are made later",
	},
	[HOOK_DEVICE_RULE] = {
		"90-dm-noclone-device.rules", RULES, "/run/udev",
		"a saved device that is activated by hand may be in the way at shutdown",
	},
	[HOOK_GENERATOR] = {
		"noclone-generator", GENERATORS, "/run/systemd/system",
		"saved devices are not activated at boot",
	},
};

static bool is_needed(const struct doctor_facts *d, enum hook_id id)
{
	return id == HOOK_POLICY_RULE ? doctor_count_rules(d) : d->nr_saved;
}

static void judge_hook(const struct hook *hook, const struct hook_facts *facts,
		       struct findings *f)
{
	if (!facts->path)
		finding_fix(finding_add(f, FINDING_WARNING, "hooks", "%s is not installed: %s",
					hook->name, hook->without),
			    "make install, or install the package noclone-tools: it has %s",
			    hook->name);
	else if (facts->off)
		finding_fix(finding_add(f, FINDING_NOTE, "hooks", "%s turns it off: %s",
					facts->path, hook->without), "rm %s", facts->path);
	else
		finding_add(f, FINDING_OK, "hooks", "%s is installed", facts->path);
}

void doctor_judge_hooks(const struct doctor_facts *d, struct findings *f)
{
	enum hook_id id;

	for (id = 0; id < HOOK_NR; id++)
		if (d->hook[id].has_user && is_needed(d, id))
			judge_hook(&doctor_hooks[id], &d->hook[id], f);
}
