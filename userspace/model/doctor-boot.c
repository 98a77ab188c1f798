// SPDX-License-Identifier: GPL-2.0-only
/* The policy, and the units that apply it. */
#include "model/doctor.h"

#include <string.h>

#define WHAT	"policy"
#define PATH	"/etc/noclone/policy"

static void judge_rules(const struct boot_facts *b, struct findings *f)
{
	unsigned int i;

	for (i = 0; i < b->policy.nr; i++) {
		if (!b->policy.line[i].pattern || !b->matched || b->matched[i])
			continue;
		finding_fix(finding_add(f, FINDING_NOTE, WHAT, PATH ":%u: \"%s\" matches no device",
					i + 1, b->policy.line[i].text),
			    "correct the name, unless the device comes later");
	}
}

static unsigned int count_rules(const struct policy *p)
{
	unsigned int i, n = 0;

	for (i = 0; i < p->nr; i++)
		n += !!p->line[i].pattern;
	return n;
}

static void judge_policy(const struct boot_facts *b, struct findings *f)
{
	unsigned int i, rules = count_rules(&b->policy);

	if (b->unreadable) {
		finding_add(f, FINDING_NOTE, WHAT, "cannot look at " PATH ": %s", b->unreadable);
		return;
	}
	if (!b->has_policy) {
		finding_fix(finding_add(f, FINDING_NOTE, WHAT,
					"there is none: no device of other programs is enabled at boot"),
			    "noclone enable NAME");
		return;
	}
	for (i = 0; i < b->problems.nr; i++)
		finding_fix(finding_add(f, FINDING_PROBLEM, WHAT, PATH ":%u: %s",
					b->problems.problem[i].line, b->problems.problem[i].text),
			    "correct that line: until then the policy is not applied");
	if (!b->problems.nr)
		finding_add(f, FINDING_OK, WHAT, "%u rule%s", rules, rules == 1 ? "" : "s");
	judge_rules(b, f);
}

static bool is(const char *word, const char *expected)
{
	return word && !strcmp(word, expected);
}

static void judge_unit(const struct unit_facts *u, bool needed, struct findings *f)
{
	if (is(u->active, "failed"))
		finding_fix(finding_add(f, FINDING_PROBLEM, u->name, "the unit has failed"),
			    "journalctl -u %s has the reason", u->name);
	else if (is(u->load, "not-found") || is(u->load, "masked"))
		finding_fix(finding_add(f, needed ? FINDING_WARNING : FINDING_NOTE, u->name,
					"the unit is %s", is(u->load, "masked") ?
					"masked" : "not installed"),
			    is(u->load, "masked") ? "systemctl unmask %s" :
			    "make install, or install the package noclone-tools: it has %s",
			    u->name);
	else if (is(u->enabled, "disabled"))
		finding_fix(finding_add(f, needed ? FINDING_WARNING : FINDING_NOTE, u->name,
					"the unit is disabled: nothing applies the policy at boot"),
			    "systemctl enable %s", u->name);
	else if (u->enabled && *u->enabled)
		finding_add(f, FINDING_OK, u->name, "the unit is %s", u->enabled);
	else
		finding_add(f, FINDING_NOTE, u->name,
			    "cannot look at the unit: systemd does not answer");
}

void doctor_judge_boot(const struct doctor_facts *d, struct findings *f)
{
	const struct boot_facts *b = &d->boot;
	unsigned int i;

	judge_policy(b, f);
	for (i = 0; i < b->nr_units; i++)
		judge_unit(&b->unit[i], count_rules(&b->policy), f);
}
