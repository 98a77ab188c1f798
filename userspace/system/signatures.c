// SPDX-License-Identifier: GPL-2.0-only
/* Signatures of legs and backing files: recording and comparing them. */
#include "system/signatures.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "base/util.h"
#include "system/blockdev.h"
#include "system/identity.h"

/* A leg or backing file. */
struct signatures_part {
	struct target *t;
	unsigned int leg;
	const char *name;
	char *path;		/* its node, or NULL if it does not exist, */
	int error;		/* for that reason */
};

static void signatures_part_free(struct signatures_part *p)
{
	free(p->path);
}

#define _cleanup_part_ __attribute__((cleanup(signatures_part_free)))

static struct signatures_part signatures_part(const struct table *t, unsigned int nr)
{
	_cleanup_facts_ struct device_facts f = { 0 };
	struct signatures_part p = { .leg = nr };

	p.t = saved_part(t, &p.leg);
	p.name = p.t->path ? p.t->path : p.t->legs[p.leg].device;
	if (p.t->path)
		p.error = access(p.name, F_OK) ? -errno : 0;
	else
		p.error = blockdev_lookup(p.name, &f);
	if (!p.error)
		p.path = xstrdup(p.t->path ? p.name : f.path);
	return p;
}

char *signatures_missing(const struct table *t)
{
	unsigned int i, nr = saved_parts(t);

	for (i = 0; i < nr; i++) {
		_cleanup_part_ struct signatures_part p = signatures_part(t, i);

		if (!p.path)
			return xstrdup(p.name);
	}
	return NULL;
}

/* A file may be about to grow; libblkid does not read beyond its end. */
static char *signatures_of_file(const struct target *t)
{
	uint64_t sectors, end;
	struct stat st;

	if (stat(t->path, &st))
		return NULL;
	sectors = st.st_size >> SECTOR_SHIFT;
	end = MIN(sectors, t->file_start + t->length);
	return end <= t->file_start ? xstrdup(SIGNATURE_NONE) :
	       identity_signature(t->path, t->file_start, end - t->file_start);
}

/* A new string, or NULL with an error. */
static char *signatures_find(struct signatures_part *p)
{
	const struct target *t = p->t;
	char *found = NULL;

	if (p->path && t->path)
		found = signatures_of_file(t);
	else if (p->path)
		found = identity_signature(p->path, t->legs[p->leg].start, target_leg_length(t));
	if (p->path && !found)
		p->error = -errno;
	return found;
}

int signatures_record(struct saved *s, bool planned)
{
	unsigned int i, nr = saved_parts(&s->table);

	saved_drop_signatures(s);
	for (i = 0; i < nr; i++) {
		_cleanup_part_ struct signatures_part p = signatures_part(&s->table, i);
		_cleanup_free_ char *found = signatures_find(&p);

		if (!found && !(planned && p.t->path && !p.path)) {
			log_err("%s: cannot be read: %s", p.name, strerror(-p.error));
			return p.error;
		}
		saved_add_signature(s, found ? found : SIGNATURE_NONE);
	}
	return 0;
}

/* @first: signature of the device, once it is accepted.  Return: is it another one? */
static bool signatures_check_part(const struct saved *s, unsigned int nr,
				  struct signatures_part *p, char **first,
				  struct problems *problems)
{
	_cleanup_free_ char *found = signatures_find(p), *why = NULL;
	enum severity severity = PROBLEM_NOTE;

	if (!found) {
		problem_add(problems, PROBLEM_ERROR, p->t->line, "%s: cannot be read: %s",
			    p->path, strerror(-p->error));
		return false;
	}
	why = saved_refusal(s, nr, found, *first, &severity);
	if (why)
		problem_add(problems, severity, p->t->line, "%s", why);
	else if (!nr)
		*first = xstrdup(found);
	return why && severity == PROBLEM_ERROR;
}

unsigned int signatures_check(struct saved *s, bool rename, struct problems *problems)
{
	_cleanup_free_ char *first = NULL;
	unsigned int i, others = 0;

	for (i = 0; i < s->nr; i++) {
		_cleanup_part_ struct signatures_part p = signatures_part(&s->table, i);

		if (!p.path)
			continue;
		others += signatures_check_part(s, i, &p, &first, problems);
		if (!rename || p.t->path)
			continue;
		free(p.t->legs[p.leg].device);
		p.t->legs[p.leg].device = xstrdup(p.path);
	}
	return others;
}
