// SPDX-License-Identifier: GPL-2.0-only
/*
 * Faults below a mapped device. A device continues to run after its disk or its backing file was
 * deleted, and after the path of the backing file leads to another file. Neither the table of the
 * device nor the state "ACTIVE" in the output of dmsetup info shows such a fault.
 */
#include "model/below.h"

#include <errno.h>
#include <string.h>

#include "model/facts.h"
#include "model/finding.h"
#include "model/name.h"
#include "model/status.h"
#include "model/table-target.h"

/*
 * Return: "stripe 1 of the target at sector 0" for a striped target, and "the target at sector 0"
 * for other targets, a new string.
 */
static char *below_leg_words(const struct target *t, unsigned int leg)
{
	_cleanup_free_ char *stripe = t->kind == TARGET_STRIPED ?
		xasprintf("stripe %u of ", leg) : xstrdup("");

	return xasprintf("%sthe target at sector %llu", stripe, (unsigned long long)t->start);
}

static void below_look_at_leg(struct findings *findings, const struct target *t,
			      unsigned int leg, const char *health,
			      const struct facts_source *src)
{
	_cleanup_free_ char *words = below_leg_words(t, leg);
	const char *name = t->legs[leg].device;
	_cleanup_facts_ struct device_facts f = { 0 };

	/*
	 * a deleted disk is not found: dm still references the disk, but no disk has its number now
	 */
	if (src->lookup(name, &f)) {
		findings->check = "device-deleted";
		finding_add(findings, FINDING_ERROR, name, "the disk of %s is gone", words);
	} else if (health && leg < strlen(health) && health[leg] != 'A') {
		findings->check = "stripe-failed";
		finding_add(findings, FINDING_ERROR, f.path, "%s has had errors", words);
	}
}

static void below_look_at_file(struct findings *findings, const char *path,
			       const struct status *s, const struct facts_source *src)
{
	_cleanup_free_ char *name = name_encode_path(path), *other = NULL;
	_cleanup_file_facts_ struct file_facts f = { 0 };
	const char *links = status_fact(s, "links");
	const struct file_id runs = status_file_id(s);
	bool deleted = links && !strcmp(links, "0");
	int r;

	if (!runs.known)
		return;
	r = src->lookup_file(src, path, false, &f);
	if (file_id_differs(&runs, &f.id))
		other = xasprintf("another file has this path now (inode %llu), and ",
				  (unsigned long long)f.id.inode);
	else if (!deleted && r != -ENOENT && r != -ENOTDIR)
		return;
	findings->check = other ? "file-replaced" : deleted ? "file-deleted" : "file-missing";
	finding_add(findings, FINDING_ERROR, name, "%sthe device uses the file with inode %llu%s",
		    other ? other : "", (unsigned long long)runs.inode,
		    deleted ? ", which is deleted" :
		    other ? "" : ", which has another name now");
}

char *below_short_file(const struct target *t, const struct status *s)
{
	_cleanup_free_ char *has = NULL, *needs = NULL;
	const char *fact = status_fact(s, "size");
	uint64_t end = t->path ? t->legs->start + t->length : 0, size;

	if (!fact || !parse_u64(fact, &size) || size >= end)
		return NULL;
	has = size_format(size);
	needs = size_format(end);
	return xasprintf("the file has %s, and the target at sector %llu needs %s: the data behind the end of the file is lost",
			 has, (unsigned long long)t->start, needs);
}

static void below_look_at_size(struct findings *findings, const struct target *t,
			       const struct status *s)
{
	_cleanup_free_ char *words = below_short_file(t, s);
	_cleanup_free_ char *name = words ? name_encode_path(t->path) : NULL;

	findings->check = "file-short";
	if (words)
		finding_add(findings, FINDING_ERROR, name, "%s", words);
}

void below_find(struct findings *findings, const struct target *t,
		const struct status *s, const struct facts_source *src)
{
	unsigned int i;

	if (!t->understood)
		return;
	if (t->path)
		below_look_at_file(findings, t->path, s, src);
	below_look_at_size(findings, t, s);
	for (i = 0; !t->path && i < t->nr_legs; i++)
		below_look_at_leg(findings, t, i, s->health, src);
}

static const struct finding *below_first(const struct findings *findings, const char *name)
{
	unsigned int i;

	for (i = 0; i < findings->nr; i++)
		if (!strcmp(findings->finding[i].subject, name))
			return &findings->finding[i];
	return NULL;
}

char *below_brief(const struct findings *findings)
{
	struct strbuf b = { 0 };
	unsigned int i;

	for (i = 0; i < findings->nr; i++) {
		const struct finding *f = &findings->finding[i];

		/* print only the part of the check behind the first "-" */
		if (f == below_first(findings, f->subject))
			strbuf_add(&b, "%s%s (%s)", b.len ? ", " : "", f->subject,
				   strchr(f->check, '-') + 1);
	}
	return strbuf_take(&b);
}
