// SPDX-License-Identifier: GPL-2.0-only
/*
 * The users of a block device, of sectors of one, or of a file.
 *
 * The kernel counts openers and does not name them: processes are found by their file
 * descriptors in /proc, and containers by the file systems that they have mounted.
 */
#include "system/users.h"

#include <ctype.h>
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
#include "base/read.h"
#include "base/util.h"
#include "model/facts.h"
#include "model/name.h"
#include "model/table.h"
#include "system/blockdev.h"
#include "system/devmap.h"
#include "system/file-lookup.h"
#include "system/identity.h"
#include "system/live.h"

/*
 * Users of sectors of a block device: mounts, swap, holders, loop devices, exclusive
 * openers, and signatures of data.
 */
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

static void users_collect_entries(struct uses *uses, const struct device_facts *f,
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

static void users_collect_table(struct uses *uses, const struct device_facts *f,
				enum use_kind kind)
{
	struct libmnt_table *table = mnt_new_table();
	int r = -ENOMEM;

	if (table && kind == USE_MOUNT)
		r = mnt_table_parse_mtab(table, NULL);
	else if (table)
		r = mnt_table_parse_swaps(table, NULL);
	if (!r)
		users_collect_entries(uses, f, table, kind);
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
	_cleanup_dir_ DIR *dir = opendir(path);
	const char *entry;

	while ((entry = read_name(dir)))
		users_collect_holder(uses, q, entry);
}

/* Holders of the device, of its partitions, and of the disk it is a part of. */
static void users_collect_holders(struct uses *uses, const struct use_query *q)
{
	_cleanup_free_ char *own = blockdev_sysfs(q->facts->devno, "holders");
	_cleanup_free_ char *base = blockdev_sysfs(q->facts->devno, "");
	_cleanup_free_ char *up = blockdev_sysfs(q->facts->devno, "../holders");
	const char *entry;
	_cleanup_dir_ DIR *dir = NULL;

	users_collect_holders_in(uses, q, own);
	if (q->facts->disk != q->facts->devno) {
		users_collect_holders_in(uses, q, up);
		return;
	}
	dir = opendir(base);
	while ((entry = read_name(dir))) {
		_cleanup_free_ char *path = xasprintf("%s%s/partition", base,
						      entry);

		if (access(path, F_OK))
			continue;
		free(path);
		path = xasprintf("%s%s/holders", base, entry);
		users_collect_holders_in(uses, q, path);
	}
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
	_cleanup_dir_ DIR *dir = opendir("/sys/block");
	const char *entry;

	while ((entry = read_name(dir)))
		if (str_starts(entry, "loop"))
			users_collect_loop(uses, q, blockdev_kernel_number(entry));
}

static void users_collect_claims(struct uses *uses, const struct use_query *query)
{
	users_collect_table(uses, query->facts, USE_MOUNT);
	users_collect_table(uses, query->facts, USE_SWAP);
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

/* Users of a file. */
static bool users_file_is_it(const struct file_facts *f, const char *path)
{
	const struct file_id ours = file_facts_id(f);
	const struct file_id theirs = path ? file_id_at(path) : (struct file_id) { 0 };

	return file_id_same(&ours, &theirs);
}

static void users_file_collect_swaps(struct uses *uses, const struct file_facts *f)
{
	struct libmnt_table *table = mnt_new_table();
	struct libmnt_iter *iter = mnt_new_iter(MNT_ITER_FORWARD);
	_cleanup_free_ char *name = path_encode(f->path);
	struct libmnt_fs *fs;

	if (table && iter && !mnt_table_parse_swaps(table, NULL))
		while (!mnt_table_next_fs(table, iter, &fs))
			if (users_file_is_it(f, mnt_fs_get_srcpath(fs)))
				uses_add(uses, USE_SWAP, name, false);
	mnt_free_iter(iter);
	mnt_unref_table(table);
}

static void users_file_collect_loops(struct uses *uses, const struct file_facts *f)
{
	_cleanup_dir_ DIR *dir = opendir("/sys/block");
	const char *entry;

	while ((entry = read_name(dir))) {
		_cleanup_free_ char *path = NULL, *file = NULL, *by = NULL;

		if (!str_starts(entry, "loop"))
			continue;
		path = xasprintf("/sys/block/%s/loop/backing_file",
				 entry);
		file = read_line_of(path);
		by = xasprintf("/dev/%s", entry);
		if (users_file_is_it(f, file))
			uses_add(uses, USE_HOLDER, by, false);
	}
}

/* By inode; an older module reports the path only, which may be another file. */
static bool users_file_runs_on(const struct target *t, const void *data)
{
	const struct file_facts *f = data;
	const struct file_id id = file_facts_id(f);

	return t->id.known ? file_id_same(&t->id, &id) : users_file_is_it(f, t->path);
}

static bool users_file_pins(const struct target *t, const void *data)
{
	return t->engine == ENGINE_EXTENT && users_file_runs_on(t, data);
}

/* Does a device have a target on the file, or one that pins it?  Maybe, if that is not known. */
static bool users_file_maps_named(const char *name, const struct file_facts *f,
				  bool pinned)
{
	_cleanup_live_ struct live live = { 0 };
	int r = live_get(name, &live);

	return (r && !devmap_is_absent(r)) ||
	       table_any(&live.table, pinned ? users_file_pins : users_file_runs_on, f);
}

/* As soon as it is resumed: another command may be between the two. */
static bool users_file_will_be_mapped(const char *name, const struct file_facts *f)
{
	_cleanup_table_ struct table inactive = { 0 };

	return !live_inactive_table(name, &inactive) && table_any(&inactive, users_file_runs_on, f);
}

bool file_uses_is_pinned(const struct file_facts *f, dev_t devno)
{
	_cleanup_free_ char *name = devno ? blockdev_mapped_name(devno) : NULL;

	return name && users_file_maps_named(name, f, true);
}

/* May another device use the file as well, if that only reads, too? */
static bool users_file_only_reads(const char *name, const struct file_facts *f)
{
	_cleanup_devmap_device_ struct devmap_device dev = { 0 };

	return !devmap_info(name, &dev) && dev.readonly && !users_file_maps_named(name, f, true);
}

struct mapped_search {
	struct uses *uses;
	const struct file_facts *facts;
	const char *self;
	bool shares;
};

static void users_file_add_if_mapped(const char *name, void *data)
{
	const struct mapped_search *s = data;

	if (s->self && !strcmp(s->self, name))
		return;
	if (users_file_will_be_mapped(name, s->facts) ||
	    (users_file_maps_named(name, s->facts, false) &&
	     !(s->shares && users_file_only_reads(name, s->facts))))
		uses_add(s->uses, USE_HOLDER, name, false);
}

static void users_file_collect_mapped(struct uses *uses, const struct file_facts *f,
				      dev_t self, bool shares)
{
	_cleanup_free_ char *own = self ? blockdev_mapped_name(self) : NULL;
	struct mapped_search search = { uses, f, own, shares };

	devmap_for_each(users_file_add_if_mapped, &search);
}

void file_uses_collect(struct uses *uses, const struct file_facts *f, dev_t self,
		       bool shares)
{
	users_file_collect_swaps(uses, f);
	users_file_collect_loops(uses, f);
	users_file_collect_mapped(uses, f, self, shares);
}

#define FDINFO_MAX	(64U << 10)

/* What is looked for: a device, and who uses it. */
struct search {
	struct uses *uses;
	dev_t devno;
};

typedef bool (*process_test)(const char *pid, void *data);
typedef bool (*fd_test)(const char *pid, const char *fd, dev_t devno, void *data);

static char *users_process_words(const char *pid)
{
	_cleanup_free_ char *path = xasprintf("/proc/%s/comm", pid);
	_cleanup_free_ char *comm = read_line_of(path);

	return xasprintf("process %s (%s)", pid, comm ? comm : "?");
}

/*
 * Of a block device, whatever its node is called.  stat() of a file waits for its server,
 * perhaps for ever; what is no file has no path.
 */
static dev_t users_number_of_fd(const char *fd)
{
	struct statx st;
	char target;

	if (readlink(fd, &target, 1) != 1 || target != '/' ||
	    statx(AT_FDCWD, fd, AT_STATX_DONT_SYNC, STATX_TYPE, &st) || !S_ISBLK(st.stx_mode))
		return 0;
	return makedev(st.stx_rdev_major, st.stx_rdev_minor);
}

/* Does @test hold for one of its file descriptors of block devices? */
static bool users_any_fd(const char *pid, fd_test test, void *data)
{
	_cleanup_free_ char *path = xasprintf("/proc/%s/fd", pid);
	_cleanup_dir_ DIR *dir = opendir(path);
	const char *entry;
	bool found = false;

	while (!found && (entry = read_name(dir))) {
		_cleanup_free_ char *fd = xasprintf("%s/%s", path, entry);
		dev_t devno = users_number_of_fd(fd);

		found = devno && test(pid, entry, devno, data);
	}
	return found;
}

static bool users_is_opener(const char *pid __unused, const char *fd __unused, dev_t devno,
			    void *data)
{
	const struct search *s = data;

	return devno == s->devno;
}

static bool users_find_opener(const char *pid, void *data)
{
	const struct search *s = data;

	if (users_any_fd(pid, users_is_opener, data)) {
		_cleanup_free_ char *by = users_process_words(pid);

		uses_add(s->uses, USE_PROCESS, by, false);
	}
	return false;
}

/* The line "flags:" has them as open(2), in octal. */
static bool users_may_write(const char *pid, const char *fd)
{
	_cleanup_free_ char *path = xasprintf("/proc/%s/fdinfo/%s", pid, fd);
	_cleanup_close_ int info = open(path, O_RDONLY | O_CLOEXEC);
	_cleanup_free_ char *text = info < 0 ? NULL : read_stream(info, FDINFO_MAX);
	const char *flags = text ? strstr(text, "flags:") : NULL;

	return flags && (strtoul(flags + strlen("flags:"), NULL, 8) & O_ACCMODE) != O_RDONLY;
}

/* As NBD has it, a thread of the process that serves the disk has made it. */
static bool users_serves(const char *pid, dev_t devno)
{
	_cleanup_free_ char *server = blockdev_attribute(devno, "pid");
	_cleanup_free_ char *path = server ? xasprintf("/proc/%s/task/%s", pid, server) : NULL;

	return path && !access(path, F_OK);
}

static bool users_add_writer(const char *pid, const char *fd, dev_t devno, void *data)
{
	_cleanup_free_ char *by = users_may_write(pid, fd) && !users_serves(pid, devno) ?
				  users_process_words(pid) : NULL;
	struct writers *w = data;
	unsigned int i;

	for (i = 0; by && i < w->nr; i++)
		if (w->writer[i].devno == devno && !strcmp(w->writer[i].by, by))
			return false;
	if (!by)
		return false;
	GROW(w->writer, w->nr);
	w->writer[w->nr++] = (struct writer) { devno, xstrdup(by) };
	return false;
}

static bool users_find_writers(const char *pid, void *data)
{
	/* the tool writes to none that it may have inherited */
	return atoi(pid) != getpid() && users_any_fd(pid, users_add_writer, data);
}

static bool users_find_foreign_mount(const char *pid, void *data)
{
	const struct search *s = data;
	_cleanup_free_ char *path = xasprintf("/proc/%s/mountinfo", pid);
	struct libmnt_table *table = mnt_new_table_from_file(path);
	struct libmnt_fs *fs = table ? mnt_table_find_devno(table, s->devno, MNT_ITER_FORWARD) : NULL;
	bool found = fs;

	if (found) {
		_cleanup_free_ char *who = users_process_words(pid);
		_cleanup_free_ char *by = xasprintf("%s in the mount namespace of %s",
						    mnt_fs_get_target(fs), who);

		uses_add(s->uses, USE_MOUNT, by, false);
	}
	mnt_unref_table(table);
	return found;
}

/* Until @test returns true. */
static void users_for_each_process(process_test test, void *data)
{
	_cleanup_dir_ DIR *dir = opendir("/proc");
	const char *entry;
	bool found = false;

	while (!found && (entry = read_name(dir)))
		if (isdigit((unsigned char)entry[0]))
			found = test(entry, data);
}

void open_uses_lasting(struct uses *uses, dev_t devno)
{
	_cleanup_facts_ struct device_facts f = { 0 };
	struct use_query query = { .facts = &f };

	if (blockdev_lookup_number(devno, &f))
		return;
	query.sectors = f.sectors;
	device_uses_collect_live(uses, &query);
}

void open_uses_collect(struct uses *uses, dev_t devno)
{
	struct search search = { uses, devno };

	open_uses_lasting(uses, devno);
	users_for_each_process(users_find_opener, &search);
	if (!uses->nr)
		users_for_each_process(users_find_foreign_mount, &search);
}

void open_uses_writers(struct writers *writers)
{
	users_for_each_process(users_find_writers, writers);
}

void open_uses_writers_free(struct writers *writers)
{
	unsigned int i;

	for (i = 0; i < writers->nr; i++)
		free(writers->writer[i].by);
	free(writers->writer);
}
