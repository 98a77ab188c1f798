// SPDX-License-Identifier: GPL-2.0-only
/*
 * A device may be put under a table when nothing else uses the same sectors:
 * no mount, no swap, no holder, no exclusive opener, no signature.
 *
 * Several dm devices may share a disk, each with sectors of its own, as LVM
 * does it.  So a holder whose table can be read and that maps other sectors
 * is harmless, and the exclusive open that it causes to fail is as well.
 */
#include "system/guard.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <libmount/libmount.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/log.h"
#include "base/util.h"
#include "model/path.h"
#include "model/table-parse.h"
#include "system/device.h"
#include "system/dm.h"
#include "system/file.h"

static const char * const kind_names[] = {
	"mount", "swap", "holder", "exclusive", "signature",
};

const char *use_kind_name(enum use_kind kind)
{
	return kind_names[kind];
}

char *use_describe(const struct use *use)
{
	static const char * const words[] = {
		"mounted at", "swap", "held by", "opened exclusively by",
		"holds a signature:",
	};

	return xasprintf("%s %s%s", words[use->kind], use->by,
			 use->harmless ? " (on other sectors)" : "");
}

void uses_add(struct uses *uses, enum use_kind kind, const char *by,
	      bool harmless)
{
	GROW(uses->use, uses->nr);
	uses->use[uses->nr++] = (struct use) { kind, xstrdup(by), harmless };
}

void uses_free(struct uses *uses)
{
	unsigned int i;

	for (i = 0; i < uses->nr; i++)
		free(uses->use[i].by);
	free(uses->use);
	memset(uses, 0, sizeof(*uses));
}

/* Do the two devices share sectors?  A disk shares with its partitions. */
static bool same_sectors(const struct device_facts *f, dev_t devno)
{
	_cleanup_facts_ struct device_facts other = { 0 };

	if (devno == f->devno)
		return true;
	if (!devno || device_lookup_number(devno, &other) ||
	    other.disk != f->disk)
		return false;
	return f->offset < other.offset + other.sectors &&
	       other.offset < f->offset + f->sectors;
}

static dev_t number_of_path(const char *path)
{
	struct stat st;

	if (!path || stat(path, &st) || !S_ISBLK(st.st_mode))
		return 0;
	return st.st_rdev;
}

static void collect_table(struct uses *uses, const struct device_facts *f,
			  struct libmnt_table *table, enum use_kind kind)
{
	struct libmnt_iter *iter = mnt_new_iter(MNT_ITER_FORWARD);
	struct libmnt_fs *fs;

	while (iter && !mnt_table_next_fs(table, iter, &fs)) {
		/* btrfs mounts have a number of their own: ask the source too */
		if (same_sectors(f, mnt_fs_get_devno(fs)) ||
		    same_sectors(f, number_of_path(mnt_fs_get_source(fs))))
			uses_add(uses, kind, kind == USE_MOUNT ?
				mnt_fs_get_target(fs) : mnt_fs_get_source(fs),
				false);
	}
	mnt_free_iter(iter);
}

static void collect_mounts(struct uses *uses, const struct device_facts *f)
{
	struct libmnt_table *table = mnt_new_table();

	if (!table)
		return;
	if (!mnt_table_parse_mtab(table, NULL))
		collect_table(uses, f, table, USE_MOUNT);
	mnt_unref_table(table);
}

static void collect_swaps(struct uses *uses, const struct device_facts *f)
{
	struct libmnt_table *table = mnt_new_table();

	if (!table)
		return;
	if (!mnt_table_parse_swaps(table, NULL))
		collect_table(uses, f, table, USE_SWAP);
	mnt_unref_table(table);
}

/* Sectors in question, as a range on the whole disk. */
struct disk_range {
	dev_t disk;
	uint64_t first, end;
};

static bool leg_touches(const struct target *t, const struct leg *leg,
			const struct disk_range *range)
{
	_cleanup_facts_ struct device_facts f = { 0 };
	uint64_t first;

	if (device_lookup(leg->device, &f) || f.disk != range->disk)
		return false;
	first = f.offset + leg->start;
	return first < range->end && range->first < first + target_leg_length(t);
}

/* Does the dm device map any of the sectors?  Yes, if that is not known. */
static bool dm_touches(const char *dm_name, const struct disk_range *range)
{
	_cleanup_problems_ struct problems ignored = { 0 };
	_cleanup_dm_lines_ struct dm_lines lines = { 0 };
	_cleanup_table_ struct table t = { 0 };
	unsigned int i, j;

	if (dm_get_table(dm_name, &lines) || !lines.nr)
		return true;
	for (i = 0; i < lines.nr; i++)
		table_add(&t, lines.line[i].start, lines.line[i].length,
			  lines.line[i].type, lines.line[i].params, &ignored);
	for (i = 0; i < t.nr; i++) {
		if (!t.targets[i].understood)
			return true;
		for (j = 0; j < t.targets[i].nr_legs; j++)
			if (leg_touches(&t.targets[i], &t.targets[i].legs[j],
					range))
				return true;
	}
	return false;
}

static void collect_holder(struct uses *uses, const struct use_query *q,
			   const char *kernel_name)
{
	_cleanup_free_ char *path = xasprintf("/dev/%s", kernel_name);
	_cleanup_free_ char *by = NULL, *dm_name = NULL;
	struct disk_range range = {
		.disk = q->facts->disk,
		.first = q->facts->offset + q->first,
	};
	dev_t devno = number_of_path(path);

	range.end = range.first + q->sectors;
	if (devno && devno == q->self)
		return;
	dm_name = devno ? device_dm_name(devno) : NULL;
	by = dm_name ? xasprintf("%s (%s)", kernel_name, dm_name) :
		       xstrdup(kernel_name);
	uses_add(uses, USE_HOLDER, by, dm_name && !dm_touches(dm_name, &range));
}

static void collect_holders_in(struct uses *uses, const struct use_query *q,
			       const char *path)
{
	DIR *dir = opendir(path);
	struct dirent *entry;

	while (dir && (entry = readdir(dir)))
		if (entry->d_name[0] != '.')
			collect_holder(uses, q, entry->d_name);
	if (dir)
		closedir(dir);
}

/* Holders of the device, of its partitions, and of the disk it is a part of. */
static void collect_holders(struct uses *uses, const struct use_query *q)
{
	_cleanup_free_ char *own = device_sysfs(q->facts->devno, "holders");
	_cleanup_free_ char *base = device_sysfs(q->facts->devno, "");
	_cleanup_free_ char *up = device_sysfs(q->facts->devno, "../holders");
	struct dirent *entry;
	DIR *dir;

	collect_holders_in(uses, q, own);
	if (q->facts->disk != q->facts->devno) {
		collect_holders_in(uses, q, up);
		return;
	}
	dir = opendir(base);
	while (dir && (entry = readdir(dir))) {
		_cleanup_free_ char *path = xasprintf("%s%s/partition", base,
						      entry->d_name);

		if (entry->d_name[0] == '.' || access(path, F_OK))
			continue;
		free(path);
		path = xasprintf("%s%s/holders", base, entry->d_name);
		collect_holders_in(uses, q, path);
	}
	if (dir)
		closedir(dir);
}

/* A mount, swap or holder explains why it fails: then it says nothing new. */
static void collect_exclusive(struct uses *uses, const struct use_query *q)
{
	int fd = open(q->facts->path, O_RDONLY | O_EXCL | O_CLOEXEC | O_NONBLOCK);

	if (fd >= 0)
		close(fd);
	else if (errno != EBUSY)
		log_warn("%s: %s", q->facts->path, strerror(errno));
	else if (!uses->nr && !q->self)
		uses_add(uses, USE_EXCLUSIVE, "someone else", false);
}

static bool has_harmless_holder(const struct uses *uses)
{
	unsigned int i;

	for (i = 0; i < uses->nr; i++)
		if (uses->use[i].harmless)
			return true;
	return false;
}

/*
 * A signature in the wanted sectors counts, and so does one at the start of
 * the device (a partition table, a file system) even if the wanted sectors
 * begin later, unless the start belongs to a neighbour.
 */
static void collect_signature(struct uses *uses, const struct use_query *q)
{
	_cleanup_free_ char *type = NULL, *label = NULL, *by = NULL;
	int r = device_probe(q->facts->path, q->first, q->sectors, &type,
			     &label);

	if (!r && q->sectors != q->facts->sectors && !has_harmless_holder(uses)) {
		r = device_probe(q->facts->path, 0, q->facts->sectors, &type,
				 &label);
	}
	if (r < 0)
		log_verbose("%s: cannot look for signatures: %s",
			    q->facts->path, strerror(-r));
	if (r <= 0)
		return;
	by = label ? xasprintf("%s, label \"%s\"", type, label) : xstrdup(type);
	uses_add(uses, USE_SIGNATURE, by, false);
}

void uses_collect(struct uses *uses, const struct use_query *query)
{
	collect_mounts(uses, query->facts);
	collect_swaps(uses, query->facts);
	collect_holders(uses, query);
	if (query->exclusive)
		collect_exclusive(uses, query);
	collect_signature(uses, query);
}

/* A device that was under the table before may stay: nobody else moved in. */
static bool leg_was_ours(const struct use_query *q)
{
	struct disk_range range = {
		.disk = q->facts->disk,
		.first = q->facts->offset + q->first,
	};
	_cleanup_free_ char *name = q->self ? device_dm_name(q->self) : NULL;

	range.end = range.first + q->sectors;
	return name && dm_touches(name, &range);
}

static void guard_leg(const struct target *t, const struct leg *leg, dev_t self,
		      bool exclusive, struct problems *problems)
{
	_cleanup_facts_ struct device_facts f = { 0 };
	_cleanup_uses_ struct uses uses = { 0 };
	struct use_query query = {
		.facts = &f,
		.first = leg->start,
		.sectors = target_leg_length(t),
		.self = self,
		.exclusive = exclusive,
	};
	unsigned int i;
	bool ours;

	if (device_lookup(leg->device, &f))
		return;
	ours = leg_was_ours(&query);
	uses_collect(&uses, &query);
	for (i = 0; i < uses.nr; i++) {
		_cleanup_free_ char *text = use_describe(&uses.use[i]);

		if (uses.use[i].harmless ||
		    (ours && uses.use[i].kind == USE_SIGNATURE))
			continue;
		problem_add(problems, PROBLEM_ERROR, t->line, "%s: %s",
			    leg->device, text);
	}
}

/* What is in the way, and what puts it out of the way. */
static char *file_use_problem(const struct use *use)
{
	if (use->kind == USE_SWAP)
		return xasprintf("File is in use as swap space: swapoff %s first",
				 use->by);
	if (str_starts(use->by, "/dev/loop"))
		return xasprintf("File is in use by a loop device: losetup --detach %s first",
				 use->by);
	return xasprintf("File is in use by another noclone-file device: %s",
			 use->by);
}

static void guard_file(const struct target *t, dev_t self,
		       struct problems *problems)
{
	_cleanup_file_facts_ struct file_facts f = { 0 };
	_cleanup_free_ char *name = path_encode(t->path);
	_cleanup_uses_ struct uses uses = { 0 };
	unsigned int i;

	if (file_lookup(t->path, false, &f))
		return;
	file_uses(&uses, &f, self);
	for (i = 0; i < uses.nr; i++) {
		_cleanup_free_ char *text = file_use_problem(&uses.use[i]);

		problem_add(problems, PROBLEM_ERROR, t->line, "%s: %s", name,
			    text);
	}
}

void guard_table(const struct table *t, dev_t self, bool exclusive,
		 struct problems *problems)
{
	unsigned int i, j;

	for (i = 0; i < t->nr; i++) {
		if (t->targets[i].path)
			guard_file(&t->targets[i], self, problems);
		for (j = 0; j < t->targets[i].nr_legs; j++)
			guard_leg(&t->targets[i], &t->targets[i].legs[j], self,
				  exclusive, problems);
	}
}
