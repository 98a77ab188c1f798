// SPDX-License-Identifier: GPL-2.0-only
/*
 * A device keeps running when its disk or backing file is deleted, or when the
 * path names another file: neither its table nor "active" shows that.
 */
#include "model/below.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "model/facts.h"
#include "model/name.h"

struct search {
	struct findings *findings;
	const struct target *target;
	const struct status *status;
	const struct facts_source *src;
};

/* "stripe 1 of the target at sector 0", or without a stripe */
static char *below_leg_words(const struct target *t, unsigned int leg)
{
	if (t->kind != TARGET_STRIPED)
		return xasprintf("the target at sector %llu",
				 (unsigned long long)t->start);
	return xasprintf("stripe %u of the target at sector %llu", leg,
			 (unsigned long long)t->start);
}

static bool below_has_failed(const struct status *s, unsigned int leg)
{
	return s->health && leg < strlen(s->health) && s->health[leg] != 'A';
}

static void below_look_at_leg(const struct search *s, unsigned int leg)
{
	_cleanup_free_ char *words = below_leg_words(s->target, leg);
	const char *name = s->target->legs[leg].device;
	_cleanup_facts_ struct device_facts f = { 0 };

	/* no disk has this number: dm still references a deleted one */
	if (s->src->lookup(s->src, name, &f)) {
		s->findings->check = "device-deleted";
		finding_add(s->findings, FINDING_ERROR, name, "the disk of %s is gone", words);
	} else if (below_has_failed(s->status, leg)) {
		s->findings->check = "stripe-failed";
		finding_add(s->findings, FINDING_ERROR, f.path, "%s has had errors", words);
	}
}

static void below_look_at_file(const struct search *s)
{
	const char *links = status_fact(s->status, "links");
	_cleanup_free_ char *name = path_encode(s->target->path);
	_cleanup_file_facts_ struct file_facts f = { 0 };
	struct file_id named, runs = status_file_id(s->status);
	bool deleted = links && !strcmp(links, "0");
	_cleanup_free_ char *other = NULL;
	int r;

	if (!runs.known)
		return;
	r = s->src->lookup_file(s->src, s->target->path, false, &f);
	named = (struct file_id) { !r, f.filesystem, f.inode };
	if (file_id_differs(&runs, &named))
		other = xasprintf("it is another file now (inode %llu), ",
				  (unsigned long long)named.inode);
	else if (!deleted && r != -ENOENT && r != -ENOTDIR)
		return;
	s->findings->check = other ? "file-replaced" : deleted ? "file-deleted" : "file-missing";
	finding_add(s->findings, FINDING_ERROR, name, "%sthe device runs on inode %llu%s",
		    other ? other : "", (unsigned long long)runs.inode,
		    deleted ? ", which no longer has a name" :
		    other ? "" : ", which has another name");
}

void below_find(struct findings *findings, const struct target *t,
		const struct status *status, const struct facts_source *src)
{
	const struct search s = { findings, t, status, src };
	unsigned int i;

	if (!t->understood)
		return;
	for (i = 0; i < t->nr_legs; i++)
		below_look_at_leg(&s, i);
	if (t->path)
		below_look_at_file(&s);
}

/* "/dev/sdb (failed)": the check ends with that word. */
static char *below_mark(const struct finding *f)
{
	return xasprintf("%s (%s)", f->subject, strchr(f->check, '-') + 1);
}

static bool below_is_repeated(const struct findings *findings, unsigned int at)
{
	const struct finding *f = findings->finding;
	unsigned int i;

	for (i = 0; i < at; i++)
		if (!strcmp(f[i].check, f[at].check) && !strcmp(f[i].subject, f[at].subject))
			return true;
	return false;
}

char *below_brief(const struct findings *findings)
{
	struct strbuf b = { 0 };
	unsigned int i;

	for (i = 0; i < findings->nr; i++) {
		_cleanup_free_ char *mark = below_mark(&findings->finding[i]);

		if (!below_is_repeated(findings, i))
			strbuf_add(&b, "%s%s", b.len ? ", " : "", mark);
	}
	return strbuf_take(&b);
}
