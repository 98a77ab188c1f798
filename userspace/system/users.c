// SPDX-License-Identifier: GPL-2.0-only
/*
 * The users of a block device, of sectors of one, or of a file.
 *
 * The kernel counts openers and does not name them: processes are found by their file
 * descriptors in /proc, and containers by the file systems that they have mounted.
 */
#include "system/users.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <libmount/libmount.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/util.h"
#include "model/name.h"
#include "system/lookup.h"
#include "system/devmap.h"
#include "system/content.h"
#include "system/sysfs.h"

static const struct {
	const char *name, *words, *remedy;
} use_kinds[] = {
	[USE_MOUNT] = { "mount", "mounted at", "umount it first" },
	[USE_SWAP] = { "swap", "swap", "swapoff first" },
	[USE_HOLDER] = { "holder", "held by", "remove that first" },
	[USE_EXCLUSIVE] = { "exclusive", "opened exclusively by", NULL },
	[USE_SIGNATURE] = { "signature", "holds a signature:", NULL },
	[USE_PROCESS] = { "process", "open in", "end it" },
	[USE_LOOP] = { "loop", "under the loop device", NULL },
	[USE_UNREADABLE] = { "unreadable", "cannot be read:", "use another device" },
};

const char *use_kind_name(enum use_kind kind)
{
	return use_kinds[kind].name;
}

char *use_describe(const struct use *use)
{
	/* a label, a mount point or the name of a process */
	_cleanup_free_ char *by = visible(use->by);

	return xasprintf("%s %s%s", use_kinds[use->kind].words, by,
			 use->harmless ? " (on other sectors)" : "");
}

char *use_remedy(const struct use *use)
{
	const char *remedy = use_kinds[use->kind].remedy;

	if (use->kind == USE_LOOP)
		return xasprintf("losetup --detach %s first", use->by);
	return remedy ? xstrdup(remedy) : NULL;
}

static struct use *users_add(struct uses *uses, enum use_kind kind, const char *by, bool harmless)
{
	GROW(uses->use, uses->nr);
	uses->use[uses->nr] = (struct use) { kind, xstrdup(by), harmless, 0 };
	return &uses->use[uses->nr++];
}

void uses_free(struct uses *uses)
{
	unsigned int i;

	for (i = 0; i < uses->nr; i++)
		free(uses->use[i].by);
	free(uses->use);
	memset(uses, 0, sizeof(*uses));
}

#define _cleanup_glob_ __attribute__((cleanup(globfree)))

/* The paths that match, below /sys or /proc. */
static glob_t users_paths(const char *pattern)
{
	glob_t found = { 0 };

	glob(pattern, GLOB_BRACE, NULL, &found);
	return found;
}

static bool users_share(const struct device_facts *a, const struct device_facts *b)
{
	const struct disk_range x = facts_range(a, 0, a->sectors);
	const struct disk_range y = facts_range(b, 0, b->sectors);

	return a->devno == b->devno || disk_ranges_meet(&x, &y);
}

bool device_uses_share(const struct device_facts *f, dev_t devno)
{
	_cleanup_facts_ struct device_facts other = { 0 };

	return devno == f->devno ||
	       (devno && !blockdev_lookup_number(devno, &other) && users_share(f, &other));
}

static bool users_file_is_it(const struct file_facts *f, const char *path)
{
	const struct file_id theirs = path ? file_id_of(path) : (struct file_id) { 0 };

	return file_id_same(&f->id, &theirs);
}

/* Mounts or swap of a device, or swap of a file, whose name is @name then. */
static void users_collect_table(struct uses *uses, enum use_kind kind,
				const struct device_facts *f, const struct file_facts *file,
				const char *name)
{
	struct libmnt_iter *iter = mnt_new_iter(MNT_ITER_FORWARD);
	struct libmnt_table *table = mnt_new_table();
	struct libmnt_fs *fs;

	if (kind == USE_MOUNT ? mnt_table_parse_mtab(table, NULL) :
				mnt_table_parse_swaps(table, NULL))
		mnt_reset_table(table);
	while (iter && !mnt_table_next_fs(table, iter, &fs)) {
		const char *source = mnt_fs_get_source(fs);

		/* btrfs mounts have a number of their own: compare the source too */
		if (file ? users_file_is_it(file, source) :
		    device_uses_share(f, mnt_fs_get_devno(fs)) ||
		    device_uses_share(f, blockdev_at(source)))
			users_add(uses, kind, name ?: kind == USE_MOUNT ?
				 mnt_fs_get_target(fs) : source, false);
	}
	mnt_free_iter(iter);
	mnt_unref_table(table);
}

/* Does the table map any of the sectors?  @unknown, if it does not say that it does. */
static bool users_table_maps(const struct table *t, const struct disk_range *range, bool unknown)
{
	struct target *target = NULL;
	unsigned int i;

	while ((target = table_next_leg(t, target, &i))) {
		struct disk_range leg;

		if (!target->path && !blockdev_range(target->legs[i].device, target->legs[i].start,
						     target_leg_length(target), &leg) &&
		    disk_ranges_meet(&leg, range))
			return true;
	}
	for (i = 0; unknown && i < t->nr; i++)
		if (!t->targets[i].understood)
			return true;
	return false;
}

/*
 * Does the mapped device map any of the sectors?  @unknown, if its tables do not say.  One
 * that is just being made has a table, but no live one.
 */
static bool users_maps(const char *name, const struct disk_range *range, bool unknown)
{
	_cleanup_table_ struct table live = { 0 }, inactive = { 0 };
	_cleanup_devmap_device_ struct devmap_device now = { 0 };

	if (devmap_look_table(&(struct devmap_device) { .name = (char *)name }, DEVMAP_TABLE, &now,
			      &live) ||
	    (now.inactive_table && devmap_table_of(&now, DEVMAP_INACTIVE_TABLE, &inactive)) ||
	    (!live.nr && !inactive.nr))
		return unknown;
	return users_table_maps(&live, range, unknown) ||
	       users_table_maps(&inactive, range, unknown);
}

static void users_collect_holder(struct uses *uses, const struct use_query *q,
				 const char *kernel_name)
{
	_cleanup_free_ char *by = NULL, *dm_name = NULL;
	const struct disk_range range = facts_range(q->facts, q->first, q->sectors);
	dev_t devno = blockdev_kernel_number(kernel_name);

	if (devno && devno == q->self)
		return;
	dm_name = devno ? blockdev_mapped_name(devno) : NULL;
	by = dm_name ? xasprintf("%s (%s)", kernel_name, dm_name) :
		       xstrdup(kernel_name);
	users_add(uses, USE_HOLDER, by,
		 dm_name ? !users_maps(dm_name, &range, !q->surely) : q->surely);
}

/* Holders of the device, of its partitions, and of the disk it is a part of. */
static void users_collect_holders(struct uses *uses, const struct use_query *q)
{
	_cleanup_free_ char *pattern = blockdev_sysfs(q->facts->devno,
						      "{holders,*/holders,../holders}/*");
	_cleanup_glob_ glob_t found = users_paths(pattern);
	size_t i;

	for (i = 0; i < found.gl_pathc; i++)
		users_collect_holder(uses, q, strrchr(found.gl_pathv[i], '/') + 1);
}

/*
 * Not if a mount, swap or holder is known already: that is why it fails.  An open may wait as a
 * read does, and in a process that is left behind it would take the device when it ends: it is
 * tried only where another process has got an answer.
 */
static void users_collect_exclusive(struct uses *uses, const struct use_query *q)
{
	_cleanup_free_ char *silence = content_silence(q->facts->path);
	int fd = silence ? -1 : open(q->facts->path, O_RDONLY | O_EXCL | O_CLOEXEC | O_NONBLOCK);

	/* any other error comes again with the first read */
	if (fd >= 0)
		close(fd);
	else if (!silence && errno == EBUSY && !uses->nr && !q->self)
		users_add(uses, USE_EXCLUSIVE, "someone else", false);
}

/* In the requested sectors, behind those whose data are known. */
static void users_collect_signature(struct uses *uses, const struct use_query *q)
{
	_cleanup_content_ struct content c = { 0 };
	_cleanup_free_ char *by = NULL;
	const struct signature *s;
	int r;

	if (q->known >= q->sectors)
		return;
	r = content_read_part(q->facts, q->first + q->known, q->sectors - q->known, &c);
	if (r == -EACCES)
		log_verbose("%s: only root may look for signatures", q->facts->path);
	else if (r < 0)
		users_add(uses, USE_UNREADABLE, c.problem, false);
	if (r < 0 || !c.nr)
		return;
	s = c.signature;
	by = s->label ? xasprintf("%s, label \"%s\"", s->type, s->label) : xstrdup(s->type);
	users_add(uses, USE_SIGNATURE, by, false);
}

/* Is the loop device on @file, below /dev, on the device?  @apart: but on other sectors. */
static bool users_loop_is_on(const struct use_query *q, const char *file, dev_t loop,
			     bool *apart)
{
	_cleanup_free_ char *offset = blockdev_attribute(loop, "loop/offset");
	_cleanup_facts_ struct device_facts f = { 0 }, own = { 0 };
	const struct disk_range range = facts_range(q->facts, q->first, q->sectors);
	struct disk_range part;
	uint64_t at;

	if (!offset || !parse_u64(offset, &at) || blockdev_lookup(file, &f) ||
	    blockdev_lookup_number(loop, &own) || !users_share(q->facts, &f))
		return false;
	part = facts_range(&f, at >> SECTOR_SHIFT, own.sectors);
	*apart = !disk_ranges_meet(&part, &range);
	return true;
}

/* Those on a device or, if @q is NULL, on a file. */
static void users_collect_loops(struct uses *uses, const struct use_query *q,
				const struct file_facts *file)
{
	_cleanup_dir_ DIR *dir = opendir("/sys/block");
	const char *name;

	while ((name = read_name(dir))) {
		_cleanup_free_ char *path = xasprintf("/sys/block/%s/loop/backing_file", name);
		_cleanup_free_ char *below = str_starts(name, "loop") ? sysfs_line(path) : NULL;
		_cleanup_free_ char *by = xasprintf("/dev/%s", name);
		bool apart = false;

		/* for a device, below /dev only: elsewhere a server may not answer */
		if (below && (file ? users_file_is_it(file, below) :
		    str_starts(below, "/dev/") &&
		    users_loop_is_on(q, below, blockdev_kernel_number(name), &apart)))
			users_add(uses, USE_LOOP, by, apart);
	}
}

void device_uses_collect(struct uses *uses, const struct use_query *query)
{
	users_collect_table(uses, USE_MOUNT, query->facts, NULL, NULL);
	users_collect_table(uses, USE_SWAP, query->facts, NULL, NULL);
	users_collect_holders(uses, query);
	if (query->exclusive && !query->live)
		users_collect_exclusive(uses, query);
	users_collect_loops(uses, query, NULL);
	if (!query->live)
		users_collect_signature(uses, query);
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
	users_collect_loops(&uses, &query, NULL);
	for (i = 0; i < uses.nr; i++)
		held |= !uses.use[i].harmless;
	return held;
}

/*
 * Does the table have the file, or with @pinned pin it?  By inode; an older module reports the
 * path only, which may be another file.
 */
static bool users_table_has(const struct table *table, const struct file_facts *f, bool pinned)
{
	unsigned int i;

	for (i = 0; i < table->nr; i++) {
		const struct target *t = &table->targets[i];

		if ((!pinned || t->engine == ENGINE_EXTENT) &&
		    (t->id.known ? file_id_same(&t->id, &f->id) : users_file_is_it(f, t->path)))
			return true;
	}
	return false;
}

bool file_uses_is_pinned(const struct file_facts *f, dev_t devno)
{
	_cleanup_free_ char *name = devno ? blockdev_mapped_name(devno) : NULL;
	_cleanup_live_ struct live live = { 0 };
	int r = name ? live_get(name, &live) : 0;

	return (r && !devmap_is_absent(r)) || users_table_has(&live.table, f, true);
}

/*
 * Does the device have the file, or will it, as soon as another command resumes it?  Yes, if
 * that is not known.  With @shares, one that only reads without pinning it does not count.
 */
static bool users_file_is_mapped(const char *name, const struct file_facts *f, bool shares)
{
	_cleanup_devmap_device_ struct devmap_device now = { 0 };
	_cleanup_table_ struct table table = { 0 }, inactive = { 0 };
	_cleanup_live_ struct live live = { 0 };
	int r = devmap_look_table(&(struct devmap_device) { .name = (char *)name }, DEVMAP_TABLE,
				  &now, &table);

	if (!r && now.inactive_table)
		devmap_table_of(&now, DEVMAP_INACTIVE_TABLE, &inactive);
	/* only the status has the inodes */
	if (!r && table_has_file(&table))
		r = live_get_of(&now, &live);
	if (users_table_has(&inactive, f, false))
		return true;
	if (r || !users_table_has(&live.table, f, false))
		return r && !devmap_is_absent(r);
	return !shares || !now.readonly || users_table_has(&live.table, f, true);
}

void file_uses_collect(struct uses *uses, const struct file_facts *f, dev_t self,
		       bool shares)
{
	_cleanup_free_ char *own = self ? blockdev_mapped_name(self) : NULL;
	_cleanup_free_ char *name = path_encode(f->path);
	_cleanup_names_ struct names mapped = { 0 };
	unsigned int i;

	users_collect_table(uses, USE_SWAP, NULL, f, name);
	users_collect_loops(uses, NULL, f);
	devmap_names(&mapped);
	for (i = 0; i < mapped.nr; i++)
		if ((!own || strcmp(own, mapped.name[i])) &&
		    users_file_is_mapped(mapped.name[i], f, shares))
			users_add(uses, USE_HOLDER, mapped.name[i], false);
}

static char *users_process_words(int pid)
{
	_cleanup_free_ char *path = xasprintf("/proc/%d/comm", pid);
	_cleanup_free_ char *comm = read_line_of(path);

	return xasprintf("process %d (%s)", pid, comm ? comm : "?");
}

/* stat() of a file waits for its server, perhaps for ever; what is no file has no path. */
static bool users_stat_fd(const char *fd, struct statx *st)
{
	char target;

	return readlink(fd, &target, 1) == 1 && target == '/' &&
	       !statx(AT_FDCWD, fd, AT_STATX_DONT_SYNC, STATX_TYPE | STATX_INO, st);
}

/* The number of an open block device, whatever its node is called; or 0. */
static dev_t users_number_of_fd(const char *fd)
{
	struct statx st;

	if (!users_stat_fd(fd, &st) || !S_ISBLK(st.stx_mode))
		return 0;
	return makedev(st.stx_rdev_major, st.stx_rdev_minor);
}

static bool users_fd_is_file(const char *fd, const struct file_id *id)
{
	struct statx st;

	return users_stat_fd(fd, &st) && st.stx_ino == id->inode &&
	       makedev(st.stx_dev_major, st.stx_dev_minor) == id->filesystem;
}

/* The mode of the link says how the file is open. */
static bool users_may_write(const char *fd)
{
	struct stat st;

	return !lstat(fd, &st) && st.st_mode & S_IWUSR;
}

/* As NBD has it, a thread of the process that serves the disk has made it. */
static bool users_serves(int pid, dev_t devno)
{
	_cleanup_free_ char *server = blockdev_attribute_now(devno, "pid");
	_cleanup_free_ char *path = server ? xasprintf("/proc/%d/task/%s", pid, server) : NULL;

	return path && !access(path, F_OK);
}

/* A process may have a device open more than once. */
static void users_add_opener(struct uses *uses, dev_t devno, int pid)
{
	_cleanup_free_ char *by = users_process_words(pid);
	unsigned int i;

	for (i = 0; i < uses->nr; i++)
		if (uses->use[i].devno == devno && !strcmp(uses->use[i].by, by))
			return;
	users_add(uses, USE_PROCESS, by, false)->devno = devno;
}

void openers_find(struct uses *uses, dev_t device, bool writing)
{
	_cleanup_glob_ glob_t found = users_paths("/proc/[0-9]*/fd/*");
	size_t i;

	for (i = 0; i < found.gl_pathc; i++) {
		const char *path = found.gl_pathv[i];
		dev_t devno = users_number_of_fd(path);
		int pid = atoi(path + strlen("/proc/"));

		/* the tool writes to none that it may have inherited */
		if (devno && (!device || devno == device) &&
		    (!writing || (pid != getpid() && users_may_write(path) &&
					   !users_serves(pid, devno))))
			users_add_opener(uses, devno, pid);
	}
}

/*
 * The kernel refuses a read lease of a file that is open for writing: in any process, mapped, in
 * io_uring, on its way through a socket, or by its NFS server.  Return: 0 if there is no writer,
 * -EAGAIN if there is one, or another negative errno: not known.
 */
static int users_try_lease(const char *path)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);

	/* a write lease of another process, which may write or not */
	if (fd < 0)
		return errno == EAGAIN ? -EBUSY : -errno;
	/* the signal of a process that opens the file meanwhile ends one that does not expect it */
	signal(SIGIO, SIG_IGN);
	return fcntl(fd, F_SETLEASE, F_RDLCK) ? -errno : 0;
}

void file_writers_find(struct uses *uses, const struct file_facts *f, bool counted)
{
	int lease = counted ? -EOPNOTSUPP : users_try_lease(f->path);
	glob_t found = { 0 };
	size_t i;

	if (!lease)
		return;
	found = users_paths("/proc/[0-9]*/{fd,map_files}/*");
	for (i = 0; i < found.gl_pathc; i++) {
		const char *path = found.gl_pathv[i];
		int pid = atoi(path + strlen("/proc/"));

		if (pid != getpid() && users_fd_is_file(path, &f->id) && users_may_write(path))
			users_add_opener(uses, 0, pid);
	}
	globfree(&found);
	if (lease == -EAGAIN && !uses->nr)
		users_add(uses, USE_PROCESS, "a process that is not in this /proc", false);
}

static void users_find_foreign_mount(struct uses *uses, dev_t devno, const char *mountinfo)
{
	struct libmnt_table *table = mnt_new_table_from_file(mountinfo);
	struct libmnt_fs *fs = table ? mnt_table_find_devno(table, devno, MNT_ITER_FORWARD) : NULL;

	if (fs) {
		_cleanup_free_ char *who = users_process_words(atoi(mountinfo + strlen("/proc/")));
		_cleanup_free_ char *by = xasprintf("%s in the mount namespace of %s",
						    mnt_fs_get_target(fs), who);

		users_add(uses, USE_MOUNT, by, false);
	}
	mnt_unref_table(table);
}

void open_uses_lasting(struct uses *uses, dev_t devno)
{
	_cleanup_facts_ struct device_facts f = { 0 };
	struct use_query query = { .facts = &f, .live = true };

	if (blockdev_lookup_number(devno, &f))
		return;
	query.sectors = f.sectors;
	device_uses_collect(uses, &query);
}

void open_uses_collect(struct uses *uses, dev_t devno)
{
	_cleanup_glob_ glob_t mounts = users_paths("/proc/[0-9]*/mountinfo");
	size_t i;

	open_uses_lasting(uses, devno);
	openers_find(uses, devno, false);
	for (i = 0; !uses->nr && i < mounts.gl_pathc; i++)
		users_find_foreign_mount(uses, devno, mounts.gl_pathv[i]);
}
