// SPDX-License-Identifier: GPL-2.0-only
/* The policy, and the units that apply it. */
#include "model/doctor.h"

#include <string.h>

#include "model/boot-unit.h"

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

unsigned int doctor_count_rules(const struct doctor_facts *d)
{
	const struct policy *p = &d->boot.policy;
	unsigned int i, n = 0;

	for (i = 0; i < p->nr; i++)
		n += !!p->line[i].pattern;
	return n;
}

static void judge_policy(const struct doctor_facts *d, struct findings *f)
{
	unsigned int i, rules = doctor_count_rules(d);
	const struct boot_facts *b = &d->boot;

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

/* False: it is as a unit of systemd should be. */
static bool judge_state(const struct unit_facts *u, enum finding_level level, struct findings *f)
{
	_cleanup_free_ char *name = shell_quote(u->name);

	if (is(u->active, "failed"))
		finding_fix(finding_add(f, FINDING_PROBLEM, u->name, "the unit has failed"),
			    "journalctl -u %s has the reason", name);
	else if (is(u->load, "masked"))
		finding_fix(finding_add(f, level, u->name, "the unit is masked"),
			    "systemctl unmask %s", name);
	else if (is(u->load, "not-found"))
		finding_fix(finding_add(f, level, u->name, "the unit is not installed"),
			    "make install, or install the package noclone-tools: it has %s", name);
	else
		return false;
	return true;
}

/* Of a saved device; somebody may have left that out on purpose. */
static void judge_device_unit(const struct unit_facts *u, struct findings *f)
{
	judge_state(u, is(u->load, "masked") ? FINDING_NOTE : FINDING_WARNING, f);
}

static void judge_unit(const struct unit_facts *u, bool needed, struct findings *f)
{
	if (judge_state(u, needed ? FINDING_WARNING : FINDING_NOTE, f))
		return;
	if (is(u->enabled, "disabled"))
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

	judge_policy(d, f);
	for (i = 0; i < b->nr_units; i++)
		if (str_starts(b->unit[i].name, BOOT_UNIT_PREFIX))
			judge_device_unit(&b->unit[i], f);
		else
			judge_unit(&b->unit[i], doctor_count_rules(d), f);
}
