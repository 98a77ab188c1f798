// SPDX-License-Identifier: GPL-2.0-only
/* Saved devices: their files, and whether they have come back. */
#include "model/doctor.h"

#include "model/saved.h"

static void judge_file(const struct saved_facts *s, const char *what, struct findings *f)
{
	_cleanup_free_ char *path = saved_path(s->name);
	unsigned int i;

	for (i = 0; i < s->problems.nr; i++) {
		const struct problem *p = &s->problems.problem[i];

		if (p->severity != PROBLEM_NOTE)
			finding_fix(finding_add(f, p->severity == PROBLEM_ERROR ?
						FINDING_PROBLEM : FINDING_WARNING, what,
						"%s:%u: %s", path, p->line, p->text),
				    "correct it, or noclone save %s while the device runs",
				    s->name);
	}
}

/* A loop device cannot be exchanged for its file while the device runs. */
static void judge_stand_in(const struct saved_facts *s, const char *what, struct findings *f)
{
	struct finding *found = finding_add(f, FINDING_WARNING, what,
					    "it runs on dm's own targets, as without the module");

	if (s->on_file)
		finding_fix(found, "when the module can be loaded and nobody uses the device: noclone deactivate %s, then noclone activate %s",
			    s->name, s->name);
	else
		finding_fix(found, "noclone convert %s, when the module can be loaded", s->name);
}

static void judge_saved(const struct saved_facts *s, struct findings *f)
{
	_cleanup_free_ char *what = xasprintf("saved device %s", s->name);

	if (s->unreadable) {
		finding_add(f, FINDING_NOTE, what, "cannot look at its file: %s", s->unreadable);
		return;
	}
	judge_file(s, what, f);
	if (s->active && s->stands_in)
		judge_stand_in(s, what, f);
	else if (s->active)
		finding_add(f, FINDING_OK, what, "it is active");
	else if (s->missing)
		finding_fix(finding_add(f, FINDING_PROBLEM, what,
					"it is not active, and %s is not there", s->missing),
			    "attach that disk, or activate the device; then noclone activate %s",
			    s->name);
	else
		finding_fix(finding_add(f, FINDING_WARNING, what, "it is not active"),
			    "noclone activate %s", s->name);
}

void doctor_judge_saved(const struct doctor_facts *d, struct findings *f)
{
	unsigned int i;

	for (i = 0; i < d->nr_saved; i++)
		judge_saved(&d->saved[i], f);
}
