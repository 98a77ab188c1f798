// SPDX-License-Identifier: GPL-2.0-only
/* Signatures of legs and backing files: recording and comparing them. */
#include "cmd/signatures.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/util.h"
#include "system/blockdev.h"
#include "system/identity.h"

/* NULL if it is missing, which others report. */
static char *path_of(const struct target *t, unsigned int part)
{
	_cleanup_facts_ struct device_facts f = { 0 };

	if (t->path)
		return access(t->path, F_OK) ? NULL : xstrdup(t->path);
	return blockdev_lookup(t->legs[part].device, &f) ? NULL : xstrdup(f.path);
}

static char *signature_of(const struct target *t, unsigned int part, const char *path)
{
	if (t->path)
		return identity_signature(path, t->file_start, t->length);
	return identity_signature(path, t->legs[part].start, target_leg_length(t));
}

static bool record(struct saved *s, const struct target *t, unsigned int part)
{
	_cleanup_free_ char *path = path_of(t, part);
	_cleanup_free_ char *found = path ? signature_of(t, part, path) : NULL;

	if (found)
		saved_add_signature(s, t, part, found);
	else if (path)
		log_warn("%s: cannot be read: %s", path, strerror(errno));
	return found || !path;
}

bool signatures_record(struct saved *s)
{
	unsigned int i, part;
	bool all = true;

	for (i = 0; i < s->table.nr; i++)
		for (part = 0; part < saved_parts(&s->table.targets[i]); part++)
			all &= record(s, &s->table.targets[i], part);
	return all;
}

struct check {
	const struct saved *saved;
	struct problems *problems;
	char *first;		/* signature of the device, once it is accepted */
	unsigned int others;
};

static void check(struct check *c, const struct target *t, unsigned int part,
		  const char *path)
{
	_cleanup_free_ char *found = signature_of(t, part, path), *why = NULL;
	enum severity severity = PROBLEM_ERROR;

	if (!found) {
		problem_add(c->problems, PROBLEM_ERROR, t->line, "%s: cannot be read: %s",
			    path, strerror(errno));
		return;
	}
	why = saved_refusal(c->saved, t, part, found);
	if (why && c->first &&
	    (saved_may_be_copy(c->saved, t, part, found, c->first) ||
	     saved_may_be_data(t, part, c->first)))
		severity = PROBLEM_WARNING;
	if (why)
		problem_add(c->problems, severity, t->line, "%s", why);
	else if (!t->start && !part)
		c->first = xstrdup(found);
	c->others += why && severity == PROBLEM_ERROR;
}

static void rename_leg(struct leg *leg, char **path)
{
	free(leg->device);
	leg->device = *path;
	*path = NULL;
}

unsigned int signatures_check(struct saved *s, bool rename, struct problems *problems)
{
	struct check c = { .saved = s, .problems = problems };
	unsigned int i, part;

	for (i = 0; i < s->table.nr; i++)
		for (part = 0; part < saved_parts(&s->table.targets[i]); part++) {
			struct target *t = &s->table.targets[i];
			_cleanup_free_ char *path = path_of(t, part);

			if (!path)
				continue;
			check(&c, t, part, path);
			if (rename && !t->path)
				rename_leg(&t->legs[part], &path);
		}
	free(c.first);
	return c.others;
}
