// SPDX-License-Identifier: GPL-2.0-only
/*
 * A device keeps running when its disk or backing file is deleted, or when the
 * path names another file: neither its table nor "active" shows that.
 */
#include "model/trouble.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "model/facts.h"
#include "model/name.h"

struct search {
	struct troubles *troubles;
	const struct target *target;
	const struct status *status;
	const struct facts_source *src;
};

const char *trouble_kind_name(enum trouble_kind kind)
{
	static const char * const names[] = {
		"stripe-failed", "device-deleted", "file-deleted",
		"file-replaced", "file-missing",
	};

	return names[kind];
}

/* Takes @text over. */
static void trouble_add(const struct search *s, enum trouble_kind kind,
			const char *name, char *text)
{
	static const char * const brief[] = {
		"failed", "(deleted)", "(deleted)", "(replaced)", "(missing)",
	};
	struct troubles *t = s->troubles;

	GROW(t->trouble, t->nr);
	t->trouble[t->nr++] = (struct trouble) {
		.kind = kind,
		.start = s->target->start,
		.name = xstrdup(name),
		.brief = xasprintf("%s %s", name, brief[kind]),
		.text = text,
	};
}

/* "stripe 1 of the target at sector 0", or without a stripe */
static char *trouble_leg_words(const struct target *t, unsigned int leg)
{
	if (t->kind != TARGET_STRIPED)
		return xasprintf("the target at sector %llu",
				 (unsigned long long)t->start);
	return xasprintf("stripe %u of the target at sector %llu", leg,
			 (unsigned long long)t->start);
}

static bool trouble_has_failed(const struct status *s, unsigned int leg)
{
	return s->health && leg < strlen(s->health) && s->health[leg] != 'A';
}

static void trouble_look_at_leg(const struct search *s, unsigned int leg)
{
	_cleanup_free_ char *words = trouble_leg_words(s->target, leg);
	const char *name = s->target->legs[leg].device;
	_cleanup_facts_ struct device_facts f = { 0 };

	/* no disk has this number: dm still references a deleted one */
	if (s->src->lookup(s->src, name, &f))
		trouble_add(s, TROUBLE_DEVICE, name,
			    xasprintf("%s (deleted): the disk of %s is gone", name,
				      words));
	else if (trouble_has_failed(s->status, leg))
		trouble_add(s, TROUBLE_STRIPE, f.path,
			    xasprintf("%s, %s, has had errors", words, f.path));
}

static void trouble_add_replaced(const struct search *s, const char *name,
				 const struct file_id *runs,
				 const struct file_id *named, bool deleted)
{
	trouble_add(s, TROUBLE_REPLACED, name,
		    xasprintf("%s (replaced): it is another file now (inode %llu), the device runs on inode %llu%s",
			      name, (unsigned long long)named->inode,
			      (unsigned long long)runs->inode,
			      deleted ? ", which no longer has a name" : ""));
}

static void trouble_add_gone(const struct search *s, const char *name,
			     const struct file_id *runs, bool deleted)
{
	if (deleted)
		trouble_add(s, TROUBLE_DELETED, name,
			    xasprintf("%s (deleted): the device runs on inode %llu, which no longer has a name",
				      name, (unsigned long long)runs->inode));
	else
		trouble_add(s, TROUBLE_MISSING, name,
			    xasprintf("%s (missing): the device runs on inode %llu, which has another name",
				      name, (unsigned long long)runs->inode));
}

static void trouble_look_at_file(const struct search *s)
{
	const char *links = status_fact(s->status, "links");
	_cleanup_free_ char *name = path_encode(s->target->path);
	_cleanup_file_facts_ struct file_facts f = { 0 };
	struct file_id named, runs = status_file_id(s->status);
	bool deleted = links && !strcmp(links, "0");
	int r;

	if (!runs.known)
		return;
	r = s->src->lookup_file(s->src, s->target->path, false, &f);
	named = (struct file_id) { !r, f.filesystem, f.inode };
	if (file_id_differs(&runs, &named))
		trouble_add_replaced(s, name, &runs, &named, deleted);
	else if (deleted || r == -ENOENT || r == -ENOTDIR)
		trouble_add_gone(s, name, &runs, deleted);
}

void troubles_find(struct troubles *troubles, const struct target *t,
		   const struct status *status, const struct facts_source *src)
{
	const struct search s = { troubles, t, status, src };
	unsigned int i;

	if (!t->understood)
		return;
	for (i = 0; i < t->nr_legs; i++)
		trouble_look_at_leg(&s, i);
	if (t->path)
		trouble_look_at_file(&s);
}

static bool trouble_said_before(const struct troubles *t, unsigned int at)
{
	unsigned int i;

	for (i = 0; i < at; i++)
		if (!strcmp(t->trouble[i].brief, t->trouble[at].brief))
			return true;
	return false;
}

char *troubles_brief(const struct troubles *t)
{
	struct strbuf b = { 0 };
	unsigned int i;

	for (i = 0; i < t->nr; i++)
		if (!trouble_said_before(t, i))
			strbuf_add(&b, "%s%s", b.len ? ", " : "",
				   t->trouble[i].brief);
	return strbuf_take(&b);
}

const char *troubles_head(const struct troubles *t, const char *name)
{
	unsigned int i;

	for (i = 0; i < t->nr; i++)
		if (!strcmp(t->trouble[i].name, name))
			return t->trouble[i].brief;
	return name;
}

void troubles_free(struct troubles *t)
{
	unsigned int i;

	for (i = 0; i < t->nr; i++) {
		free(t->trouble[i].name);
		free(t->trouble[i].brief);
		free(t->trouble[i].text);
	}
	free(t->trouble);
	memset(t, 0, sizeof(*t));
}
