// SPDX-License-Identifier: GPL-2.0-only
/*
 * Users of sectors of a block device: mounts, swap, holders, loop devices, exclusive
 * openers, and signatures of data.
 */
#include "system/device-uses.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <libmount/libmount.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "base/util.h"
#include "model/table.h"
#include "system/blockdev.h"
#include "system/identity.h"
#include "system/live.h"

bool device_uses_share(const struct device_facts *f, dev_t devno)
{
	_cleanup_facts_ struct device_facts other = { 0 };

	if (devno == f->devno)
		return true;
	if (!devno || blockdev_lookup_number(devno, &other) ||
	    other.disk != f->disk)
		return false;
	return f->offset < other.offset + other.sectors &&
	       other.offset < f->offset + f->sectors;
}

static dev_t users_number_of_path(const char *path)
{
	struct stat st;

	if (!path || stat(path, &st) || !S_ISBLK(st.st_mode))
		return 0;
	return st.st_rdev;
}

static void users_collect_table(struct uses *uses, const struct device_facts *f,
				struct libmnt_table *table, enum use_kind kind)
{
	struct libmnt_iter *iter = mnt_new_iter(MNT_ITER_FORWARD);
	struct libmnt_fs *fs;

	while (iter && !mnt_table_next_fs(table, iter, &fs)) {
		/* btrfs mounts have a number of their own: compare the source too */
		if (device_uses_share(f, mnt_fs_get_devno(fs)) ||
		    device_uses_share(f, users_number_of_path(mnt_fs_get_source(fs))))
			uses_add(uses, kind, kind == USE_MOUNT ?
				mnt_fs_get_target(fs) : mnt_fs_get_source(fs),
				false);
	}
	mnt_free_iter(iter);
}

static void users_collect_mounts(struct uses *uses, const struct device_facts *f)
{
	struct libmnt_table *table = mnt_new_table();

	if (!table)
		return;
	if (!mnt_table_parse_mtab(table, NULL))
		users_collect_table(uses, f, table, USE_MOUNT);
	mnt_unref_table(table);
}

static void users_collect_swaps(struct uses *uses, const struct device_facts *f)
{
	struct libmnt_table *table = mnt_new_table();

	if (!table)
		return;
	if (!mnt_table_parse_swaps(table, NULL))
		users_collect_table(uses, f, table, USE_SWAP);
	mnt_unref_table(table);
}

static bool users_leg_touches(const struct target *t, const struct leg *leg,
			      const struct disk_range *range)
{
	_cleanup_facts_ struct device_facts f = { 0 };
	uint64_t first;

	if (blockdev_lookup(leg->device, &f) || f.disk != range->disk)
		return false;
	first = f.offset + leg->start;
	return first < range->end && range->first < first + target_leg_length(t);
}

static bool users_target_touches(const struct target *t, const void *range)
{
	unsigned int i;

	for (i = 0; i < t->nr_legs; i++)
		if (users_leg_touches(t, &t->legs[i], range))
			return true;
	return false;
}

static bool users_target_is_unknown(const struct target *t, const void *data __unused)
{
	return !t->understood;
}

/*
 * Does the mapped device map any of the sectors?  @unknown, if its tables do not say.  One
 * that is just being made has a table, but no live one.
 */
static bool users_maps(const char *name, const struct disk_range *range, bool unknown)
{
	_cleanup_table_ struct table live = { 0 }, inactive = { 0 };

	if (live_table(name, &live) || live_inactive_table(name, &inactive) ||
	    (!live.nr && !inactive.nr))
		return unknown;
	return table_any(&live, users_target_touches, range) ||
	       table_any(&inactive, users_target_touches, range) ||
	       (unknown && (table_any(&live, users_target_is_unknown, NULL) ||
			    table_any(&inactive, users_target_is_unknown, NULL)));
}

struct disk_range device_uses_range(const struct use_query *q)
{
	uint64_t first = q->facts->offset + q->first;

	return (struct disk_range) { q->facts->disk, first, first + q->sectors };
}

static void users_collect_holder(struct uses *uses, const struct use_query *q,
				 const char *kernel_name)
{
	_cleanup_free_ char *by = NULL, *dm_name = NULL;
	const struct disk_range range = device_uses_range(q);
	dev_t devno = blockdev_kernel_number(kernel_name);

	if (devno && devno == q->self)
		return;
	dm_name = devno ? blockdev_mapped_name(devno) : NULL;
	by = dm_name ? xasprintf("%s (%s)", kernel_name, dm_name) :
		       xstrdup(kernel_name);
	uses_add(uses, USE_HOLDER, by,
		 dm_name ? !users_maps(dm_name, &range, !q->surely) : q->surely);
}

static void users_collect_holders_in(struct uses *uses, const struct use_query *q,
				     const char *path)
{
	DIR *dir = opendir(path);
	struct dirent *entry;

	while (dir && (entry = readdir(dir)))
		if (entry->d_name[0] != '.')
			users_collect_holder(uses, q, entry->d_name);
	if (dir)
		closedir(dir);
}

/* Holders of the device, of its partitions, and of the disk it is a part of. */
static void users_collect_holders(struct uses *uses, const struct use_query *q)
{
	_cleanup_free_ char *own = blockdev_sysfs(q->facts->devno, "holders");
	_cleanup_free_ char *base = blockdev_sysfs(q->facts->devno, "");
	_cleanup_free_ char *up = blockdev_sysfs(q->facts->devno, "../holders");
	struct dirent *entry;
	DIR *dir;

	users_collect_holders_in(uses, q, own);
	if (q->facts->disk != q->facts->devno) {
		users_collect_holders_in(uses, q, up);
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
		users_collect_holders_in(uses, q, path);
	}
	if (dir)
		closedir(dir);
}

/* Not if a mount, swap or holder is known already: that is why it fails. */
static void users_collect_exclusive(struct uses *uses, const struct use_query *q)
{
	int fd = open(q->facts->path, O_RDONLY | O_EXCL | O_CLOEXEC | O_NONBLOCK);

	if (fd >= 0)
		close(fd);
	else if (errno != EBUSY && errno != EACCES)
		log_warn("%s: %s", q->facts->path, strerror(errno));
	/* without root nothing comes of it anyway, and the caller says so */
	else if (errno == EBUSY && !uses->nr && !q->self)
		uses_add(uses, USE_EXCLUSIVE, "someone else", false);
}

/* In the requested sectors, behind those whose data are known. */
static void users_collect_signature(struct uses *uses, const struct use_query *q)
{
	_cleanup_free_ char *suspended = blockdev_attribute(q->facts->devno, "dm/suspended");
	_cleanup_free_ char *type = NULL, *label = NULL, *by = NULL;
	int r;

	if (q->known >= q->sectors)
		return;
	/* a read waits until the device is resumed */
	if (suspended && *suspended == '1') {
		uses_add(uses, USE_UNREADABLE, "it is suspended", false);
		return;
	}
	r = identity_probe(q->facts, q->first + q->known, q->sectors - q->known, &type, &label);
	if (r == -EACCES)
		log_verbose("%s: only root may look for signatures", q->facts->path);
	else if (r < 0)
		uses_add(uses, USE_UNREADABLE, strerror(-r), false);
	if (r <= 0)
		return;
	by = label ? xasprintf("%s, label \"%s\"", type, label) : xstrdup(type);
	uses_add(uses, USE_SIGNATURE, by, false);
}

/* Its file is looked at below /dev only: elsewhere a server may not answer. */
static void users_collect_loop(struct uses *uses, const struct use_query *q, dev_t loop)
{
	_cleanup_free_ char *file = blockdev_attribute(loop, "loop/backing_file");
	_cleanup_free_ char *offset = blockdev_attribute(loop, "loop/offset");
	_cleanup_facts_ struct device_facts f = { 0 }, own = { 0 };
	const struct disk_range range = device_uses_range(q);
	struct disk_range part;
	uint64_t at;

	if (!file || !offset || !str_starts(file, "/dev/") || !parse_u64(offset, &at) ||
	    blockdev_lookup(file, &f) || blockdev_lookup_number(loop, &own) ||
	    !device_uses_share(q->facts, f.devno))
		return;
	part = device_uses_range(&(struct use_query) {
		.facts = &f, .first = at >> SECTOR_SHIFT, .sectors = own.sectors,
	});
	uses_add(uses, USE_LOOP, own.path, part.first >= range.end || range.first >= part.end);
}

static void users_collect_loops(struct uses *uses, const struct use_query *q)
{
	DIR *dir = opendir("/sys/block");
	struct dirent *entry;

	while (dir && (entry = readdir(dir)))
		if (str_starts(entry->d_name, "loop"))
			users_collect_loop(uses, q, blockdev_kernel_number(entry->d_name));
	if (dir)
		closedir(dir);
}

static void users_collect_claims(struct uses *uses, const struct use_query *query)
{
	users_collect_mounts(uses, query->facts);
	users_collect_swaps(uses, query->facts);
	users_collect_holders(uses, query);
}

void device_uses_collect_live(struct uses *uses, const struct use_query *query)
{
	users_collect_claims(uses, query);
	users_collect_loops(uses, query);
}

bool device_uses_hold(const struct device_facts *f, uint64_t sector, dev_t self)
{
	const struct use_query query = {
		.facts = f, .first = sector, .sectors = 1, .self = self, .surely = true,
	};
	_cleanup_uses_ struct uses uses = { 0 };
	bool held = false;
	unsigned int i;

	users_collect_holders(&uses, &query);
	users_collect_loops(&uses, &query);
	for (i = 0; i < uses.nr; i++)
		held |= !uses.use[i].harmless;
	return held;
}

void device_uses_collect(struct uses *uses, const struct use_query *query)
{
	users_collect_claims(uses, query);
	if (query->exclusive)
		users_collect_exclusive(uses, query);
	users_collect_loops(uses, query);
	users_collect_signature(uses, query);
}
