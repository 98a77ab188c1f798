// SPDX-License-Identifier: GPL-2.0-only
/* Saved devices: their files, and whether they have come back. */
#include "system/doctor-facts.h"

#include <errno.h>
#include <string.h>

#include "base/read.h"
#include "base/util.h"
#include "model/saved.h"
#include "system/blockdev.h"
#include "system/file-lookup.h"
#include "system/saved-file.h"

/* Does a target of this module run it?  Yes, if nobody could look. */
static bool is_own(const struct doctor_facts *d, const char *name)
{
	unsigned int i;

	for (i = 0; i < d->nr_devices; i++)
		if (!strcmp(d->device[i].name, name))
			return d->device[i].own;
	return true;
}

/* The first leg or file that does not exist: a new string, or NULL. */
static char *missing_of(const struct table *t)
{
	unsigned int i, j;

	for (i = 0; i < t->nr; i++) {
		_cleanup_file_facts_ struct file_facts file = { 0 };
		const struct target *target = &t->targets[i];

		if (target->path && file_lookup(target->path, false, &file) == -ENOENT)
			return xstrdup(target->path);
		for (j = 0; j < target->nr_legs; j++) {
			_cleanup_facts_ struct device_facts f = { 0 };

			if (blockdev_lookup(target->legs[j].device, &f))
				return xstrdup(target->legs[j].device);
		}
	}
	return NULL;
}

static void look_at_saved(const char *name, void *data)
{
	_cleanup_free_ char *text = saved_file_text(name);
	_cleanup_saved_ struct saved saved = { 0 };
	struct doctor_facts *d = data;
	struct saved_facts *s;
	int error = errno;

	GROW(d->saved, d->nr_saved);
	s = &d->saved[d->nr_saved++];
	*s = (struct saved_facts) {
		.name = xstrdup(name),
		.active = blockdev_mapped_number(name),
		.stands_in = !is_own(d, name),
	};
	if (!text) {
		s->unreadable = xstrdup(read_text_problem(error));
		return;
	}
	saved_parse(&saved, text, &s->problems);
	if (saved.outdated)
		problem_add(&s->problems, PROBLEM_WARNING, saved.outdated,
			    "the device has got another table since, and this one is not activated");
	s->missing = missing_of(&saved.table);
	s->on_file = table_has_file(&saved.table);
}

void doctor_gather_saved(struct doctor_facts *d)
{
	saved_file_for_each(look_at_saved, d);
}
