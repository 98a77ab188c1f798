// SPDX-License-Identifier: GPL-2.0-only
/*
 * The signatures on the legs of a saved device, and on the other sectors of the legs' disks. The
 * saved file of the device records these signatures.
 */
#include "system/signatures.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/util.h"
#include "model/finding.h"
#include "model/saved.h"
#include "model/table-target.h"
#include "system/blockdev.h"
#include "system/content.h"
#include "system/parts.h"

/*
 * Return: the path of a backing file, or of the device node of a leg, a new string; or NULL with
 * errno set if the file or device does not exist. If the file system of a file does not answer, the
 * function assumes that the file exists.
 */
static char *signatures_leg_path(const struct target *t, unsigned int leg)
{
	_cleanup_free_ char *silence = t->path ? content_file_silence(t->path) : NULL;
	_cleanup_facts_ struct device_facts f = { 0 };
	int r;

	if (t->path)
		return !silence && access(t->path, F_OK) ? NULL : xstrdup(t->path);
	r = blockdev_locate(t->legs[leg].device, &f);
	errno = -r;
	return r ? NULL : xstrdup(f.path);
}

static bool signatures_leg_exists(const struct target *t, unsigned int leg)
{
	_cleanup_free_ char *path = t->path ? signatures_leg_path(t, leg) : NULL;
	struct disk_range range;

	return t->path ? path != NULL : !blockdev_range(t->legs[leg].device, 0, 0, &range);
}

char *signatures_missing(const struct table *t)
{
	struct target *target = NULL;
	unsigned int i;

	while ((target = table_next_leg(t, target, &i)))
		if (!signatures_leg_exists(target, i))
			return xstrdup(target->legs[i].device);
	return NULL;
}

/*
 * Return: the signature that the leg at @path has now, a new string; or NULL with errno set and the
 * reason in @problem. The functions content_read...() call libblkid in a child process, which the
 * command leaves behind if the device or file does not answer.
 */
static char *signatures_read_leg(const struct target *t, unsigned int leg, const char *path,
				    char **problem)
{
	_cleanup_content_ struct content c = { 0 };
	int r = t->path ? content_read_file(path, t->legs->start, t->length, &c) :
		content_read(path, t->legs[leg].start, target_leg_length(t), &c);

	if (!r)
		return c.nr ? content_signature_words(c.signature) : xstrdup(SIGNATURE_NONE);
	*problem = c.problem;
	c.problem = NULL;
	errno = -r;
	return NULL;
}

/* Return: the signatures of a disk, except for those on legs of the table, a new string. */
static char *signatures_disk_words(const struct table *table, const struct device_facts *f,
				 const struct content *c)
{
	_cleanup_parts_ struct parts own = { 0 };
	struct strbuf b = { 0 };
	unsigned int i;

	if (c->nr)
		parts_add_table(&own, "", table);
	for (i = 0; i < c->nr; i++) {
		_cleanup_free_ char *words = content_signature_words(&c->signature[i]);
		_cleanup_free_ char *word = saved_disk_word(words);

		if (!parts_have_sector(&own, f, c->signature[i].sector))
			strbuf_add(&b, "%s%s", b.len ? " " : "", word);
	}
	return b.len ? strbuf_take(&b) : xstrdup(SIGNATURE_NONE);
}

/*
 * Record the signatures on the rest of a leg's disk, that is, on the sectors outside all legs of
 * the table. Return: 0, or a negative errno after a message.
 */
static int signatures_record_disk(const struct table *table, const struct target *t,
				  struct leg *leg, bool accepts)
{
	_cleanup_facts_ struct device_facts f = { 0 };
	_cleanup_content_ struct content c = { 0 };
	bool known = saved_disk_is_known(leg->disk);
	int r = 0;

	if (known && !accepts)
		return 0;
	if (!t->path)
		r = blockdev_lookup(leg->device, &f);
	if (!r && !t->path && f.sectors != target_leg_length(t))
		r = content_read_all(&f, &c);
	if (r == -EBUSY || r == -ETIMEDOUT || r == -EINTR) {
		log_err("%s: cannot be read: %s", leg->device, c.problem ? c.problem : strerror(-r));
		return r;
	}
	if (r && known)
		return 0;
	free(leg->disk);
	leg->disk = r ? xstrdup(SIGNATURE_UNREAD) : signatures_disk_words(table, &f, &c);
	return 0;
}

int signatures_record(struct table *table, bool planned, bool accepts)
{
	struct target *t = NULL;
	unsigned int i;
	int r;

	while ((t = table_next_leg(table, t, &i))) {
		_cleanup_free_ char *path = signatures_leg_path(t, i), *problem = NULL;
		char *found = path ? signatures_read_leg(t, i, path, &problem) : NULL;

		if (!found && (!planned || !t->path || path)) {
			r = -errno;
			log_err("%s: cannot be read: %s", t->legs[i].device,
				problem ? problem : strerror(-r));
			return r;
		}
		free(t->legs[i].signature);
		t->legs[i].signature = found ? found : xstrdup(SIGNATURE_NONE);
		r = signatures_record_disk(table, t, &t->legs[i], accepts);
		if (r)
			return r;
	}
	return 0;
}

/*
 * Compare the signature of a leg with the record in the saved file, and report a difference.
 * @is_first: the leg is the first leg of the table
 * @found: the signature that the leg has now
 * @first: the signature of the first leg, or NULL; it is set if this leg is the first one and is
 *	accepted
 */
static void signatures_judge(const struct target *t, unsigned int leg, bool is_first,
			   const char *found, char **first, struct findings *findings)
{
	enum finding_level level;
	_cleanup_free_ char *why = saved_refusal(t, leg, is_first, found, *first, &level);

	if (why)
		finding_at(findings, level, t->line, "%s%s", why, level == FINDING_ERROR ?
			   " (\"noclone activate --force\" and then \"noclone save\" accept the signature that the device or file has now)" : "");
	else if (is_first)
		*first = xstrdup(found);
}

void signatures_check(struct table *table, bool rename, struct findings *findings)
{
	const char *check = findings->check;
	_cleanup_free_ char *first = NULL;
	struct target *t = NULL;
	bool is_first = true;
	unsigned int i;

	findings->check = CHECK_SIGNATURE;
	for (; (t = table_next_leg(table, t, &i)); is_first = false) {
		_cleanup_free_ char *path = signatures_leg_path(t, i), *found = NULL, *problem = NULL;

		if (!path)
			continue;
		found = signatures_read_leg(t, i, path, &problem);
		if (found)
			signatures_judge(t, i, is_first, found, &first, findings);
		/*
		 * with ENOSPC, the leg ends behind the end of its disk, and lint_table() reports
		 * this
		 */
		else if (errno != ENOSPC)
			finding_at(findings, FINDING_ERROR, t->line, "%s: cannot be read: %s",
				   path, problem);
		if (!rename || t->path)
			continue;
		free(t->legs[i].device);
		t->legs[i].device = xstrdup(path);
	}
	findings->check = check;
}
