// SPDX-License-Identifier: GPL-2.0-only
/*
 * The users of a block device, of some of its sectors, or of a file.
 *
 * The kernel counts how often a device is open, but does not say by which processes. The tool finds
 * these processes by their file descriptors in /proc, and the file systems that are mounted in
 * containers by the mount tables in /proc.
 */
#include "system/uses.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <libmount/libmount.h>
#include <linux/magic.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/log.h"
#include "base/util.h"
#include "model/name.h"
#include "model/table-target.h"
#include "system/blockdev.h"
#include "system/devmap.h"
#include "system/content.h"
#include "system/file-lookup.h"
#include "system/live.h"
#include "system/sysfs.h"

static const struct {
	const char *name, *words, *remedy;
} use_kinds[] = {
	[USE_MOUNT] = { "mount", "mounted at", "umount it first" },
	[USE_SWAP] = { "swap", "swap", "swapoff first" },
	[USE_HOLDER] = { "holder", "held by", "remove this holder first" },
	[USE_EXCLUSIVE] = { "exclusive", "opened exclusively by", NULL },
	[USE_SIGNATURE] = { "signature", "holds a signature:", NULL },
	[USE_PROCESS] = { "process", "open in", "end this process" },
	[USE_LOOP] = { "loop", "under the loop device", NULL },
	[USE_UNREADABLE] = { "unreadable", "cannot be read:", "use another device" },
};

const char *use_kind_name(enum use_kind kind)
{
	return use_kinds[kind].name;
}

char *use_describe(const struct use *use)
{
	/* the label, the mount point, or the name of a process may have control characters */
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

static struct use *uses_add(struct uses *uses, enum use_kind kind, const char *by, bool harmless)
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

/* Return: the paths below /sys or /proc that match @pattern. */
static glob_t uses_paths(const char *pattern)
{
	glob_t found = { 0 };

	glob(pattern, GLOB_BRACE, NULL, &found);
	return found;
}

/*
 * Is the process a kernel thread, or is it ending? A kernel thread has no open files, and a process
 * that is ending runs no program that could use its files. @process: its folder in /proc
 */
static bool uses_has_no_files(const char *process)
{
	_cleanup_free_ char *program = xasprintf("%s/exe", process);
	char target;

	return readlink(program, &target, 1) < 0 && errno == ENOENT;
}

/*
 * Return: the paths of the entries that all processes have in @folders, which is a word such as
 * "fd" or "{fd,map_files}". Kernel threads are left out first, because each mapped device has one,
 * and reading their empty folders would take most of the time.
 */
static glob_t uses_open_files(const char *folders)
{
	_cleanup_glob_ glob_t processes = uses_paths("/proc/[0-9]*");
	glob_t found = { 0 };
	size_t i;

	for (i = 0; i < processes.gl_pathc; i++) {
		_cleanup_free_ char *pattern = xasprintf("%s/%s/*", processes.gl_pathv[i], folders);

		if (!uses_has_no_files(processes.gl_pathv[i]))
			glob(pattern, GLOB_BRACE | (found.gl_pathv ? GLOB_APPEND : 0), NULL, &found);
	}
	return found;
}

static bool uses_overlap(const struct device_facts *a, const struct device_facts *b)
{
	const struct disk_range x = facts_range(a, 0, a->sectors);
	const struct disk_range y = facts_range(b, 0, b->sectors);

	return a->devno == b->devno || facts_ranges_meet(&x, &y);
}

bool uses_share(const struct device_facts *f, dev_t devno)
{
	_cleanup_facts_ struct device_facts other = { 0 };

	return devno == f->devno ||
	       (devno && !blockdev_lookup_number(devno, &other) && uses_overlap(f, &other));
}

static bool uses_file_is_it(const struct file_facts *f, const char *path)
{
	const struct file_id theirs = path ? file_id_of(path) : (struct file_id) { 0 };

	return file_id_same(&f->id, &theirs);
}

/*
 * Find the mounts of the device @f, or the swap areas on it, or the swap area in the file @file.
 * @name: with @file, the path of the file for messages; otherwise NULL
 */
static void uses_collect_table(struct uses *uses, enum use_kind kind,
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

		/*
		 * a mount of btrfs has another device number than its disk, so the source of the
		 * mount is also compared
		 */
		if (file ? uses_file_is_it(file, source) :
		    uses_share(f, mnt_fs_get_devno(fs)) ||
		    uses_share(f, blockdev_at(source)))
			uses_add(uses, kind, name ?: kind == USE_MOUNT ?
				 mnt_fs_get_target(fs) : source, false);
	}
	mnt_free_iter(iter);
	mnt_unref_table(table);
}

/*
 * Does the table map any sector of @range? If no leg shows this, but the tool does not understand
 * all targets of the table, return @unknown.
 */
static bool uses_table_maps(const struct table *t, const struct disk_range *range, bool unknown)
{
	struct target *target = NULL;
	unsigned int i;

	while ((target = table_next_leg(t, target, &i))) {
		struct disk_range leg;

		if (!target->path && !blockdev_range(target->legs[i].device, target->legs[i].start,
						     target_leg_length(target), &leg) &&
		    facts_ranges_meet(&leg, range))
			return true;
	}
	for (i = 0; unknown && i < t->nr; i++)
		if (!t->targets[i].understood)
			return true;
	return false;
}

/*
 * Does the mapped device map any sector of @range? If its tables cannot be read or do not show
 * this, return @unknown. A device that another command is just making has an inactive table, but no
 * live table. @name: set to the name of the device, a new string, or to NULL if it is not known
 */
static bool uses_maps(dev_t devno, const struct disk_range *range, bool unknown, char **name)
{
	const struct devmap_device dev = { .uuid = (char *)"", .devno = devno };
	_cleanup_table_ struct table live = { 0 }, inactive = { 0 };
	_cleanup_devmap_device_ struct devmap_device now = { 0 };
	int r = devmap_look_table(&dev, DEVMAP_TABLE, &now, &live);

	/* a user who is not permitted to use device-mapper finds the name in sysfs */
	*name = r ? blockdev_mapped_name(devno) : xstrdup(now.name);
	if (r || (now.inactive_table && devmap_table_of(&now, DEVMAP_INACTIVE_TABLE, &inactive)) ||
	    (!live.nr && !inactive.nr))
		return unknown;
	return uses_table_maps(&live, range, unknown) ||
	       uses_table_maps(&inactive, range, unknown);
}

static bool uses_is_mapped(const char *kernel_name)
{
	return str_starts(kernel_name, "dm-");
}

/*
 * Return: the number of a holder. @mapped: the number of another mapped device, or 0. All mapped
 * devices have the same major number, and "dm-5" has the minor number 5, so a file of sysfs is read
 * only for the first of perhaps thousands of holders.
 */
static dev_t uses_holder_number(const char *kernel_name, dev_t mapped)
{
	return mapped && uses_is_mapped(kernel_name) ?
	       makedev(major(mapped), strtoul(kernel_name + strlen("dm-"), NULL, 10)) :
	       blockdev_kernel_number(kernel_name);
}

static void uses_collect_holder(struct uses *uses, const struct use_query *q,
				const char *kernel_name, dev_t devno)
{
	const struct disk_range range = facts_range(q->facts, q->first, q->sectors);
	_cleanup_free_ char *by = NULL, *dm_name = NULL;
	bool harmless = q->surely;

	if (devno && devno == q->self)
		return;
	if (devno && uses_is_mapped(kernel_name))
		harmless = !uses_maps(devno, &range, !q->surely, &dm_name);
	by = dm_name ? xasprintf("%s (%s)", kernel_name, dm_name) :
		       xstrdup(kernel_name);
	uses_add(uses, USE_HOLDER, by, harmless)->devno = devno;
}

void uses_holders(dev_t devno, struct names *holders)
{
	_cleanup_free_ char *pattern = blockdev_sysfs(devno, "{holders,*/holders,../holders}/*");
	_cleanup_glob_ glob_t found = uses_paths(pattern);
	size_t i;

	for (i = 0; i < found.gl_pathc; i++)
		names_add(holders, strrchr(found.gl_pathv[i], '/') + 1);
}

static void uses_collect_holders(struct uses *uses, const struct use_query *q)
{
	_cleanup_names_ struct names holders = { 0 };
	dev_t devno, mapped = 0;
	unsigned int i;

	uses_holders(q->facts->devno, &holders);
	for (i = 0; i < holders.nr; i++) {
		devno = uses_holder_number(holders.name[i], mapped);
		if (uses_is_mapped(holders.name[i]))
			mapped = devno;
		uses_collect_holder(uses, q, holders.name[i], devno);
	}
}

/*
 * Try to open the device exclusively. If the open fails, this is reported only if no mount, swap or
 * holder was found, because these make the open fail. The open may wait for the device as a read
 * does. A process that is left behind in open() would get the device open later, and hold it. So
 * this process opens the device only after another process has got an answer from the device.
 */
static void uses_collect_exclusive(struct uses *uses, const struct use_query *q)
{
	_cleanup_free_ char *silence = content_silence(q->facts->path);
	int fd = silence ? -1 : open(q->facts->path, O_RDONLY | O_EXCL | O_CLOEXEC | O_NONBLOCK);

	/* any other error will also occur, and be reported, at the first read */
	if (fd >= 0)
		close(fd);
	else if (!silence && errno == EBUSY && !uses->nr && !q->self)
		uses_add(uses, USE_EXCLUSIVE, "another program", false);
}

/* Look for a signature in the sectors of the query, except for the first @q->known sectors. */
static void uses_collect_signature(struct uses *uses, const struct use_query *q)
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
		uses_add(uses, USE_UNREADABLE, c.problem, false);
	if (r < 0 || !c.nr)
		return;
	s = c.signature;
	by = s->label ? xasprintf("%s, label \"%s\"", s->type, s->label) : xstrdup(s->type);
	uses_add(uses, USE_SIGNATURE, by, false);
}

/*
 * Is the loop device @loop on the device of the query? @file: the backing file of the loop device,
 * which is a path below /dev. @apart: set to true if the loop device is on other sectors than those
 * of the query
 */
static bool uses_loop_is_on(const struct use_query *q, const char *file, dev_t loop,
			    bool *apart)
{
	_cleanup_free_ char *offset = blockdev_attribute(loop, "loop/offset");
	_cleanup_facts_ struct device_facts f = { 0 }, own = { 0 };
	const struct disk_range range = facts_range(q->facts, q->first, q->sectors);
	struct disk_range part;
	uint64_t at;

	if (!offset || !parse_u64(offset, &at) || blockdev_lookup(file, &f) ||
	    blockdev_lookup_number(loop, &own) || !uses_overlap(q->facts, &f))
		return false;
	part = facts_range(&f, at >> SECTOR_SHIFT, own.sectors);
	*apart = !facts_ranges_meet(&part, &range);
	return true;
}

/* Find the loop devices on a device or, if @q is NULL, on a file. */
static void uses_collect_loops(struct uses *uses, const struct use_query *q,
			       const struct file_facts *file)
{
	_cleanup_dir_ DIR *dir = opendir("/sys/block");
	const char *name;

	while ((name = read_name(dir))) {
		_cleanup_free_ char *path = xasprintf("/sys/block/%s/loop/backing_file", name);
		_cleanup_free_ char *below = str_starts(name, "loop") ? sysfs_line(path) : NULL;
		_cleanup_free_ char *by = xasprintf("/dev/%s", name);
		bool apart = false;

		/*
		 * if @file is NULL, only backing files below /dev are looked up, because other
		 * backing files may be on a server that does not answer
		 */
		if (below && (file ? uses_file_is_it(file, below) :
		    str_starts(below, "/dev/") &&
		    uses_loop_is_on(q, below, blockdev_kernel_number(name), &apart)))
			uses_add(uses, USE_LOOP, by, apart);
	}
}

void uses_collect(struct uses *uses, const struct use_query *query)
{
	uses_collect_table(uses, USE_MOUNT, query->facts, NULL, NULL);
	uses_collect_table(uses, USE_SWAP, query->facts, NULL, NULL);
	uses_collect_holders(uses, query);
	if (query->exclusive && !query->live)
		uses_collect_exclusive(uses, query);
	uses_collect_loops(uses, query, NULL);
	if (!query->live)
		uses_collect_signature(uses, query);
}

bool uses_hold(const struct device_facts *f, uint64_t sector, dev_t self)
{
	const struct use_query query = {
		.facts = f, .first = sector, .sectors = 1, .self = self, .surely = true,
	};
	_cleanup_uses_ struct uses uses = { 0 };
	bool held = false;
	unsigned int i;

	uses_collect_holders(&uses, &query);
	uses_collect_loops(&uses, &query, NULL);
	for (i = 0; i < uses.nr; i++)
		held |= !uses.use[i].harmless;
	return held;
}

/*
 * Does the table have a target on the file? If @pinned is true, only a target that pins the file
 * counts. Files are compared by inode. An older module reports only the path of a file, which may
 * lead to another file now.
 */
static bool uses_table_has(const struct table *table, const struct file_facts *f, bool pinned)
{
	unsigned int i;

	for (i = 0; i < table->nr; i++) {
		const struct target *t = &table->targets[i];

		if ((!pinned || t->engine == ENGINE_EXTENT) &&
		    (t->id.known ? file_id_same(&t->id, &f->id) : uses_file_is_it(f, t->path)))
			return true;
	}
	return false;
}

bool uses_pin_file(const struct file_facts *f, dev_t devno)
{
	_cleanup_free_ char *name = devno ? blockdev_mapped_name(devno) : NULL;
	_cleanup_live_ struct live live = { 0 };
	int r = name ? live_get_number(devno, &live) : 0;

	return (r && !devmap_is_absent(r)) || uses_table_has(&live.table, f, true);
}

/*
 * Does the live table of the device have the file, or its inactive table, which another command may
 * make live? If this is not known, return true. If @shares is true, a live table that is read-only
 * and does not pin the file does not count.
 */
static bool uses_file_is_mapped(const char *name, const struct file_facts *f, bool shares)
{
	_cleanup_devmap_device_ struct devmap_device now = { 0 };
	_cleanup_table_ struct table table = { 0 }, inactive = { 0 };
	_cleanup_live_ struct live live = { 0 };
	int r = devmap_look_table(&(struct devmap_device) { .name = (char *)name }, DEVMAP_TABLE,
				  &now, &table);

	if (!r && now.inactive_table)
		devmap_table_of(&now, DEVMAP_INACTIVE_TABLE, &inactive);
	/* only the status of the device has the inodes of its files */
	if (!r && table_has_file(&table))
		r = live_get_of(&now, &live);
	if (uses_table_has(&inactive, f, false))
		return true;
	if (r || !uses_table_has(&live.table, f, false))
		return r && !devmap_is_absent(r);
	return !shares || !now.readonly || uses_table_has(&live.table, f, true);
}

void uses_collect_file(struct uses *uses, const struct file_facts *f, dev_t self,
		       bool shares)
{
	_cleanup_free_ char *own = self ? blockdev_mapped_name(self) : NULL;
	_cleanup_free_ char *name = name_encode_path(f->path);
	_cleanup_names_ struct names mapped = { 0 };
	unsigned int i;

	uses_collect_table(uses, USE_SWAP, NULL, f, name);
	uses_collect_loops(uses, NULL, f);
	devmap_names(&mapped);
	for (i = 0; i < mapped.nr; i++)
		if ((!own || strcmp(own, mapped.name[i])) &&
		    uses_file_is_mapped(mapped.name[i], f, shares))
			uses_add(uses, USE_HOLDER, mapped.name[i], false);
}

static char *uses_process_words(int pid)
{
	_cleanup_free_ char *path = xasprintf("/proc/%d/comm", pid);
	_cleanup_free_ char *comm = read_line_of(path);

	return xasprintf("process %d (%s)", pid, comm ? comm : "?");
}

/*
 * Get the device number and the inode number of an open file from the cache of the kernel, because
 * a request to a file server may wait forever. A descriptor that is no file, such as a pipe, has a
 * link that is not a path.
 */
static bool uses_stat_fd(const char *fd, struct statx *st)
{
	char target;

	return readlink(fd, &target, 1) == 1 && target == '/' &&
	       !statx(AT_FDCWD, fd, AT_STATX_DONT_SYNC, STATX_TYPE | STATX_INO, st);
}

/*
 * Return: the device number of an open block device, whatever the name of its node is; or 0 if the
 * descriptor is no block device.
 */
static dev_t uses_number_of_fd(const char *fd)
{
	struct statx st;

	if (!uses_stat_fd(fd, &st) || !S_ISBLK(st.stx_mode))
		return 0;
	return makedev(st.stx_rdev_major, st.stx_rdev_minor);
}

static bool uses_fd_is_file(const char *fd, const struct file_id *id)
{
	struct statx st;

	return uses_stat_fd(fd, &st) && st.stx_ino == id->inode &&
	       makedev(st.stx_dev_major, st.stx_dev_minor) == id->filesystem;
}

/* Is the descriptor open for writing? The mode of its link in /proc shows this. */
static bool uses_may_write(const char *fd)
{
	struct stat st;

	return !lstat(fd, &st) && st.st_mode & S_IWUSR;
}

/*
 * Does the process serve the disk? The attribute "pid" of an NBD disk names the thread that made
 * the disk, and this thread belongs to the server.
 */
static bool uses_serves(int pid, dev_t devno)
{
	_cleanup_free_ char *server = blockdev_attribute_now(devno, "pid");
	_cleanup_free_ char *path = server ? xasprintf("/proc/%d/task/%s", pid, server) : NULL;

	return path && !access(path, F_OK);
}

/* Add a process. A process that has a device open more than once is added once. */
static void uses_add_opener(struct uses *uses, dev_t devno, int pid)
{
	_cleanup_free_ char *by = uses_process_words(pid);
	unsigned int i;

	for (i = 0; i < uses->nr; i++)
		if (uses->use[i].devno == devno && !strcmp(uses->use[i].by, by))
			return;
	uses_add(uses, USE_PROCESS, by, false)->devno = devno;
}

void uses_find_openers(struct uses *uses, dev_t device, bool writing)
{
	_cleanup_glob_ glob_t found = uses_open_files("fd");
	size_t i;

	for (i = 0; i < found.gl_pathc; i++) {
		const char *path = found.gl_pathv[i];
		dev_t devno = uses_number_of_fd(path);
		int pid = atoi(path + strlen("/proc/"));

		/* the tool may have inherited descriptors, and does not count as a writer */
		if (devno && (!device || devno == device) &&
		    (!writing || (pid != getpid() && uses_may_write(path) &&
					   !uses_serves(pid, devno))))
			uses_add_opener(uses, devno, pid);
	}
}

/*
 * Does the file belong to a server that decides about leases? On NFSv4 and SMB, the kernel grants a
 * lease only if the server has granted a delegation or an oplock, and the server may refuse it for
 * any reason.
 */
static bool uses_server_decides(int fd)
{
	struct statfs fs;

	/* f_type is signed, so the numbers of SMB are negative in it on a machine of 32 bits */
	switch (fstatfs(fd, &fs) ? 0 : (uint32_t)fs.f_type) {
	case NFS_SUPER_MAGIC:
	case SMB_SUPER_MAGIC:
	case CIFS_SUPER_MAGIC:
	case SMB2_SUPER_MAGIC:
		return true;
	default:
		return false;
	}
}

int uses_lease(int fd, int kind)
{
	/*
	 * the kernel sends SIGIO when another process opens the file; by default, SIGIO would end
	 * this process
	 */
	signal(SIGIO, SIG_IGN);
	if (!fcntl(fd, F_SETLEASE, kind))
		return 0;
	return errno == EAGAIN && uses_server_decides(fd) ? -EOPNOTSUPP : -errno;
}

/*
 * Find out whether a file has a writer. The kernel refuses a read lease if the file is open for
 * writing anywhere: in any process, as a mapping, in io_uring, in a message that passes its
 * descriptor through a socket, or in the NFS server.
 *
 * Return: 0 if there is no writer, -EAGAIN if there is one, or another negative errno if this is
 * not known.
 */
static int uses_try_lease(const char *path)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);

	/*
	 * EAGAIN: another process has a write lease, and this does not show whether that process
	 * writes
	 */
	if (fd < 0)
		return errno == EAGAIN ? -EBUSY : -errno;
	return uses_lease(fd, F_RDLCK);
}

void uses_find_writers(struct uses *uses, const struct file_facts *f, bool counted)
{
	int lease = counted ? -EOPNOTSUPP : uses_try_lease(f->path);
	glob_t found = { 0 };
	size_t i;

	if (!lease)
		return;
	found = uses_open_files("{fd,map_files}");
	for (i = 0; i < found.gl_pathc; i++) {
		const char *path = found.gl_pathv[i];
		int pid = atoi(path + strlen("/proc/"));

		if (pid != getpid() && uses_fd_is_file(path, &f->id) && uses_may_write(path))
			uses_add_opener(uses, 0, pid);
	}
	globfree(&found);
	if (lease == -EAGAIN && !uses->nr)
		uses_add(uses, USE_PROCESS, "a process that this /proc does not show", false);
}

static void uses_find_foreign_mount(struct uses *uses, dev_t devno, const char *mountinfo)
{
	struct libmnt_table *table = mnt_new_table_from_file(mountinfo);
	struct libmnt_fs *fs = table ? mnt_table_find_devno(table, devno, MNT_ITER_FORWARD) : NULL;

	if (fs) {
		_cleanup_free_ char *who = uses_process_words(atoi(mountinfo + strlen("/proc/")));
		_cleanup_free_ char *by = xasprintf("%s in the mount namespace of %s",
						    mnt_fs_get_target(fs), who);

		uses_add(uses, USE_MOUNT, by, false);
	}
	mnt_unref_table(table);
}

void uses_find_lasting(struct uses *uses, dev_t devno)
{
	_cleanup_facts_ struct device_facts f = { 0 };
	struct use_query query = { .facts = &f, .live = true };

	if (blockdev_lookup_number(devno, &f))
		return;
	query.sectors = f.sectors;
	uses_collect(uses, &query);
}

void uses_find_open(struct uses *uses, dev_t devno)
{
	_cleanup_glob_ glob_t mounts = uses_paths("/proc/[0-9]*/mountinfo");
	size_t i;

	uses_find_lasting(uses, devno);
	uses_find_openers(uses, devno, false);
	for (i = 0; !uses->nr && i < mounts.gl_pathc; i++)
		uses_find_foreign_mount(uses, devno, mounts.gl_pathv[i]);
}
