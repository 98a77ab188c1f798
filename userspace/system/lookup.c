// SPDX-License-Identifier: GPL-2.0-only
/*
 * Facts come from sysfs, statx() and statfs(): asking for them opens no device or file and
 * cannot disturb one.  Only the map of a regular file needs it open, for reading.
 */
#include "system/lookup.h"

#include <blkid/blkid.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <libgen.h>
#include <libmount/libmount.h>
#include <linux/fiemap.h>
#include <linux/fs.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "noclone-refusals.h"
#include "base/util.h"
#include "system/sysfs.h"

#define READAHEAD	"queue/read_ahead_kb"

char *blockdev_sysfs(dev_t devno, const char *attribute)
{
	return xasprintf("/sys/dev/block/%u:%u/%s", major(devno), minor(devno),
			 attribute);
}

char *blockdev_attribute(dev_t devno, const char *attribute)
{
	_cleanup_free_ char *path = blockdev_sysfs(devno, attribute);

	return sysfs_line(path);
}

char *blockdev_attribute_now(dev_t devno, const char *attribute)
{
	_cleanup_free_ char *path = blockdev_sysfs(devno, attribute);

	return read_line_of(path);
}

static uint64_t lookup_sysfs_number(dev_t devno, const char *attribute)
{
	_cleanup_free_ char *text = blockdev_attribute(devno, attribute);

	return text ? strtoull(text, NULL, 10) : 0;
}

uint64_t blockdev_readahead(dev_t devno)
{
	_cleanup_free_ char *kib = blockdev_attribute_now(devno, READAHEAD);

	return kib ? strtoull(kib, NULL, 10) : 0;
}

void blockdev_set_readahead(dev_t devno, uint64_t kib)
{
	_cleanup_free_ char *path = blockdev_sysfs(devno, READAHEAD);
	_cleanup_close_ int fd = open(path, O_WRONLY | O_CLOEXEC);

	if (fd < 0 || dprintf(fd, "%llu", (unsigned long long)kib) < 0)
		log_verbose("%s: %s", path, strerror(errno));
}

dev_t blockdev_parse_number(const char *text)
{
	unsigned int maj, min;
	char rest;

	if (!text || sscanf(text, "%u:%u%c", &maj, &min, &rest) != 2)
		return 0;
	return makedev(maj, min);
}

dev_t blockdev_at(const char *path)
{
	struct stat st;

	if (!path || stat(path, &st) || !S_ISBLK(st.st_mode))
		return 0;
	return st.st_rdev;
}

/* A word of its uevent, such as "sda1" behind "DEVNAME=": a new string, or NULL. */
static char *lookup_uevent(dev_t devno, const char *key)
{
	_cleanup_free_ char *path = blockdev_sysfs(devno, "uevent");
	const char *line = sysfs_text(path);

	while (line && !str_starts(line, key)) {
		line = strchr(line, '\n');
		line += !!line;
	}
	return line ? first_line(line + strlen(key)) : NULL;
}

/* As SCSI and NVMe have it: two disks with the same one are two paths. */
static char *lookup_wwid_of(dev_t disk)
{
	char *wwid = blockdev_attribute(disk, "device/wwid");

	if (!wwid)
		wwid = blockdev_attribute(disk, "wwid");
	if (wwid && !*wwid) {
		free(wwid);
		wwid = NULL;
	}
	return wwid;
}

/* A partition has the queue of its disk. */
static uint64_t lookup_queue_number(const struct device_facts *f, const char *name)
{
	_cleanup_free_ char *attribute = xasprintf("queue/%s", name);

	return lookup_sysfs_number(f->disk, attribute);
}

void blockdev_limits(struct device_facts *f)
{
	_cleanup_free_ char *zoned = blockdev_attribute(f->disk, "queue/zoned");

	f->wwid = lookup_wwid_of(f->disk);
	f->logical_block = MAX(lookup_queue_number(f, "logical_block_size"), SECTOR_SIZE);
	f->physical_block = MAX(lookup_queue_number(f, "physical_block_size"),
				f->logical_block);
	f->minimum_io = lookup_queue_number(f, "minimum_io_size");
	f->optimal_io = lookup_queue_number(f, "optimal_io_size");
	f->discard_granularity = lookup_queue_number(f, "discard_granularity");
	if (zoned && strcmp(zoned, "none"))
		f->zone_sectors = lookup_queue_number(f, "chunk_sectors");
}

/* Where it is: what a range of its sectors needs. */
static int lookup_place(dev_t devno, struct device_facts *f)
{
	_cleanup_free_ char *name = lookup_uevent(devno, "DEVNAME=");
	_cleanup_free_ char *type = lookup_uevent(devno, "DEVTYPE="), *disk = NULL;

	memset(f, 0, sizeof(*f));
	if (!name)
		return -ENXIO;
	f->path = xasprintf("/dev/%s", name);
	f->devno = f->disk = devno;
	if (!type || strcmp(type, "partition"))
		return 0;
	disk = blockdev_attribute(devno, "../dev");
	f->disk = blockdev_parse_number(disk);
	f->offset = lookup_sysfs_number(devno, "start");
	return 0;
}

int blockdev_lookup_number(dev_t devno, struct device_facts *f)
{
	int r = lookup_place(devno, f);

	if (r)
		return r;
	f->sectors = lookup_sysfs_number(devno, "size");
	f->readonly = lookup_sysfs_number(devno, "ro");
	return 0;
}

static void lookup_answer_tag(int out, void *data)
{
	_cleanup_free_ char *path = chdir("/") ? NULL : blkid_evaluate_tag(data, NULL, NULL);

	if (path)
		dprintf(out, "%s", path);
}

/*
 * libblkid reads from all disks, also from those that do not answer, if udev has no such link.
 * Return: 0 or a negative errno.
 */
static int lookup_tag(const char *name, char **path)
{
	_cleanup_answer_ struct answer a = { 0 };
	int r = ask(lookup_answer_tag, (char *)name, name, &a);

	if (!r && !a.length)
		r = -ENOENT;
	*path = r ? NULL : xstrdup(a.text);
	return r;
}

/*
 * The path that UUID= and the like stand for, or the name itself. Return: 0 or a negative errno.
 */
static int lookup_name(const char *name, char **path)
{
	if (*name != '/' && strchr(name, '='))
		return lookup_tag(name, path);
	*path = xstrdup(name);
	return 0;
}

int blockdev_lookup(const char *name, struct device_facts *f)
{
	_cleanup_free_ char *found = NULL, *real = NULL;
	dev_t devno = blockdev_parse_number(name);
	struct stat st;
	int r;

	memset(f, 0, sizeof(*f));
	if (devno)
		return blockdev_lookup_number(devno, f);
	r = lookup_name(name, &found);
	if (r)
		return r;
	real = realpath(found, NULL);
	if (!real || stat(real, &st))
		return -errno;
	if (!S_ISBLK(st.st_mode))
		return -ENOTBLK;
	r = blockdev_lookup_number(st.st_rdev, f);
	if (!r) {
		free(f->path);
		f->path = xstrdup(real);
	}
	return r;
}

dev_t blockdev_number(const char *name)
{
	_cleanup_free_ char *found = NULL;
	dev_t devno = blockdev_parse_number(name);

	return devno || lookup_name(name, &found) ? devno : blockdev_at(found);
}

int blockdev_range(const char *name, uint64_t first, uint64_t sectors, struct disk_range *range)
{
	_cleanup_facts_ struct device_facts f = { 0 };
	int r = lookup_place(blockdev_number(name), &f);

	if (!r)
		*range = facts_range(&f, first, sectors);
	return r;
}

dev_t blockdev_kernel_number(const char *name)
{
	_cleanup_free_ char *path = xasprintf("/sys/class/block/%s/dev", name);
	_cleanup_free_ char *number = sysfs_line(path);

	return blockdev_parse_number(number);
}

char *blockdev_mapped_name(dev_t devno)
{
	return blockdev_attribute(devno, "dm/name");
}

dev_t blockdev_mapped_number(const char *name)
{
	_cleanup_dir_ DIR *dir = opendir("/sys/block");
	const char *entry;
	dev_t devno = 0;

	while (!devno && (entry = read_name(dir))) {
		_cleanup_free_ char *path = NULL, *found = NULL;

		path = xasprintf("/sys/block/%s/dm/name", entry);
		found = sysfs_line(path);
		if (found && !strcmp(found, name))
			devno = blockdev_kernel_number(entry);
	}
	return devno;
}

/* Files */

#define SOME_EXTENTS	128

/* Unwritten extents look like holes, but only when nothing of them is cached. */
static int lookup_seek_holes(int fd, uint64_t bytes, struct file_map *map)
{
	off_t at = 0, data;

	if (fsync(fd))
		return -errno;
	map->known = true;
	while ((uint64_t)at < bytes) {
		data = lseek(fd, at, SEEK_DATA);
		if (data < 0 && errno != ENXIO)
			return -errno;
		if (data < 0)
			data = bytes;
		file_map_gap(map, at, MIN((uint64_t)data, bytes));
		if ((uint64_t)data >= bytes)
			return 0;
		map->extents++;
		at = lseek(fd, data, SEEK_HOLE);
		if (at < 0)
			return -errno;
	}
	return 0;
}

int fiemap_read(int fd, uint64_t bytes, struct file_map *map)
{
	_cleanup_free_ struct fiemap *all = NULL;
	unsigned int nr = SOME_EXTENTS;

	memset(map, 0, sizeof(*map));
	/* from the start again, with more room, until some is left */
	do {
		nr *= 4;
		all = xrealloc_array(all, 1, sizeof(*all) + nr * sizeof(*all->fm_extents));
		*all = (struct fiemap) {
			.fm_length = FIEMAP_MAX_OFFSET,
			.fm_flags = FIEMAP_FLAG_SYNC,
			.fm_extent_count = nr,
		};
		if (ioctl(fd, FS_IOC_FIEMAP, all))
			return errno == EOPNOTSUPP || errno == ENOTTY ?
			       lookup_seek_holes(fd, bytes, map) : -errno;
	} while (all->fm_mapped_extents == nr);
	file_map_extents(map, all->fm_extents, all->fm_mapped_extents, bytes);
	return 0;
}

char *file_real_path(const char *path)
{
	_cleanup_free_ char *head = xstrdup(path), *tail = xstrdup(path);
	_cleanup_free_ char *dir = NULL;
	char *real = realpath(path, NULL);

	/* no file has a slash at its end */
	if (real || errno != ENOENT || path[strlen(path) - 1] == '/')
		return real;
	dir = realpath(dirname(head), NULL);
	return dir ? xasprintf("%s/%s", strcmp(dir, "/") ? dir : "",
			       basename(tail)) : NULL;
}

struct file_id file_id_of_fd(int fd)
{
	struct stat st = { 0 };
	bool known = !fstat(fd, &st);

	return (struct file_id) { known, st.st_dev, st.st_ino };
}

struct file_id file_id_of(const char *path)
{
	_cleanup_file_facts_ struct file_facts f = { 0 };

	file_lookup(path, false, &f);
	return f.id;
}

static const char *lookup_problem_of(mode_t mode)
{
	if (S_ISREG(mode))
		return NULL;
	return S_ISDIR(mode) ? NOCLONE_ERR_PATH_DIRECTORY :
	       S_ISBLK(mode) ? NOCLONE_ERR_PATH_BLOCK : NOCLONE_ERR_PATH_KIND;
}

/* The device of a mount that has a number of its own, as btrfs has. */
static dev_t lookup_mount_source(dev_t filesystem)
{
	struct libmnt_table *table = mnt_new_table();
	struct libmnt_fs *fs = NULL;
	dev_t disk;

	if (!table)
		return 0;
	if (!mnt_table_parse_mtab(table, NULL))
		fs = mnt_table_find_devno(table, filesystem, MNT_ITER_BACKWARD);
	disk = fs ? blockdev_at(mnt_fs_get_srcpath(fs)) : 0;
	mnt_unref_table(table);
	return disk;
}

dev_t file_system_disk(dev_t filesystem)
{
	return major(filesystem) ? filesystem : lookup_mount_source(filesystem);
}

/* Is the file below the mount point?  Its length then; else 0. */
static size_t lookup_below(const char *path, const char *mount)
{
	size_t length = mount ? strlen(mount) : 0;

	if (length == 1)
		return 1;
	return length && !strncmp(path, mount, length) && strchr("/", path[length]) ? length : 0;
}

dev_t file_mounted_device(const char *path)
{
	struct libmnt_iter *iter = mnt_new_iter(MNT_ITER_FORWARD);
	struct libmnt_table *table = mnt_new_table();
	size_t best = 0, length;
	struct libmnt_fs *fs;
	dev_t devno = 0;

	if (!iter || !table || mnt_table_parse_mtab(table, NULL))
		mnt_reset_table(table);
	/* a later mount hides an earlier one of the same place */
	while (iter && !mnt_table_next_fs(table, iter, &fs)) {
		length = lookup_below(path, mnt_fs_get_target(fs));
		if (!length || length < best)
			continue;
		best = length;
		devno = mnt_fs_get_devno(fs);
		if (devno && !major(devno))
			devno = blockdev_at(mnt_fs_get_srcpath(fs));
	}
	mnt_free_iter(iter);
	mnt_unref_table(table);
	return devno;
}

/* As in the module: from the file, else from the disk below. */
static void lookup_find_align(struct file_facts *f, const struct statx *st)
{
	_cleanup_facts_ struct device_facts disk = { 0 };

	f->align_from = "none";
	if (st->stx_mask & STATX_DIOALIGN) {
		f->align = st->stx_dio_offset_align;
		f->align_from = "statx";
	} else if (f->disk && !blockdev_lookup_number(f->disk, &disk)) {
		blockdev_limits(&disk);
		f->align = disk.logical_block;
		f->align_from = "disk";
	}
}

static void lookup_take(struct file_facts *f, const struct statx *st)
{
	f->problem = lookup_problem_of(st->stx_mode);
	f->id = (struct file_id) {
		true, makedev(st->stx_dev_major, st->stx_dev_minor), st->stx_ino,
	};
	f->disk = file_system_disk(f->id.filesystem);
	f->bytes = st->stx_size;
	f->allocated = st->stx_blocks;
	f->immutable = st->stx_attributes & STATX_ATTR_IMMUTABLE;
	f->append_only = st->stx_attributes & STATX_ATTR_APPEND;
	f->readonly = f->immutable || access(f->path, W_OK);
	lookup_find_align(f, st);
}

/* An unlimited tmpfs reports 0 blocks. */
static void lookup_ask_file_system(struct file_facts *f)
{
	struct statfs fs;

	if (statfs(f->path, &fs))
		return;
	if (!f->problem && (fs.f_type == OVERLAYFS_SUPER_MAGIC || fs.f_type == ECRYPTFS_SUPER_MAGIC))
		f->problem = NOCLONE_ERR_STACKED;
	f->block = fs.f_bsize;
	f->has_free = fs.f_blocks;
	f->free = (uint64_t)fs.f_bavail * fs.f_frsize;
}

/* On failure the map stays unknown, and the checks that need it report that. */
static void lookup_read_map(struct file_facts *f)
{
	_cleanup_close_ int fd = open(f->path, O_RDONLY | O_CLOEXEC);

	if (fd >= 0)
		fiemap_read(fd, f->bytes, &f->map);
}

static int lookup_look(const char *path, bool map, struct file_facts *f)
{
	struct statx st;

	memset(f, 0, sizeof(*f));
	f->path = realpath(path, NULL);
	if (!f->path ||
	    statx(AT_FDCWD, f->path, 0, STATX_BASIC_STATS | STATX_DIOALIGN, &st)) {
		int r = -errno;

		file_facts_free(f);
		return r;
	}
	lookup_take(f, &st);
	lookup_ask_file_system(f);
	if (map && !f->problem)
		lookup_read_map(f);
	return 0;
}

/**
 * struct lookup_query - what file_lookup() asks, and the answer but for the strings and gaps
 * @path: argument of file_lookup()
 * @map: another one
 * @error: 0 or a negative errno
 * @facts: pointers to constant words are those of this process, too, which is a copy
 */
struct lookup_query {
	const char *path;
	bool map;
	int error;
	struct file_facts facts;
};

static void lookup_answer_file(int out, void *data)
{
	struct lookup_query *q = data;
	const struct file_map *map = &q->facts.map;
	struct strbuf b = { 0 };

	q->error = lookup_look(q->path, q->map, &q->facts);
	strbuf_append(&b, (const char *)q, sizeof(*q));
	if (map->nr_gaps)
		strbuf_append(&b, (const char *)map->gap, map->nr_gaps * sizeof(*map->gap));
	if (q->facts.path)
		strbuf_append(&b, q->facts.path, strlen(q->facts.path));
	if (write(out, b.text, b.len) < 0)
		_exit(1);
}

/* Without all of the answer, the process was ended by another one. */
static int lookup_take_answer(const struct answer *a, struct file_facts *f)
{
	struct lookup_query q = { .error = -EIO };
	size_t gaps = 0;

	if (a->length >= sizeof(q))
		memcpy(&q, a->text, sizeof(q));
	gaps = q.facts.map.nr_gaps * sizeof(*f->map.gap);
	if (!q.error && a->length <= sizeof(q) + gaps)
		return -EIO;
	if (q.error)
		return q.error;
	*f = q.facts;
	f->map.gap = gaps ? xrealloc_array(NULL, gaps, 1) : NULL;
	if (gaps)
		memcpy(f->map.gap, a->text + sizeof(q), gaps);
	f->path = xstrdup(a->text + sizeof(q) + gaps);
	return 0;
}

int file_lookup(const char *path, bool map, struct file_facts *f)
{
	struct lookup_query q = { .path = path, .map = map };
	_cleanup_answer_ struct answer a = { 0 };
	int r;

	memset(f, 0, sizeof(*f));
	r = silence_ask(lookup_answer_file, &q, path, true, &a, &f->silence);
	return r ? r : lookup_take_answer(&a, f);
}

/* The running system as a source of facts. */
#define STANDS_ON_DEPTH	32

static int lookup_device(const char *name, struct device_facts *f)
{
	int r = blockdev_lookup(name, f);

	if (!r)
		blockdev_limits(f);
	return r;
}

static int lookup_file(const struct facts_source *src __unused, const char *path, bool map,
		       struct file_facts *facts)
{
	return file_lookup(path, map, facts);
}

/* The disk below a loop device is not among its slaves in sysfs. */
static dev_t lookup_disk_below_loop(dev_t loop)
{
	_cleanup_file_facts_ struct file_facts f = { 0 };
	_cleanup_free_ char *path = blockdev_attribute(loop, "loop/backing_file");

	return path && !file_lookup(path, false, &f) ? f.disk : 0;
}

/* A partition stands on its disk. */
static bool lookup_stands_on(dev_t upper, dev_t lower, unsigned int depth)
{
	_cleanup_free_ char *pattern = blockdev_sysfs(upper, "{slaves/*,..}/dev");
	dev_t below = lookup_disk_below_loop(upper);
	bool found = upper == lower;
	glob_t paths = { 0 };
	size_t i;

	if (found || !depth)
		return found;
	if (below)
		return lookup_stands_on(below, lower, depth - 1);
	glob(pattern, GLOB_BRACE, NULL, &paths);
	for (i = 0; !found && i < paths.gl_pathc; i++) {
		_cleanup_free_ char *number = sysfs_line(paths.gl_pathv[i]);
		dev_t next = blockdev_parse_number(number);

		found = next && lookup_stands_on(next, lower, depth - 1);
	}
	globfree(&paths);
	return found;
}

static bool lookup_source_stands_on(dev_t upper, dev_t lower)
{
	return lookup_stands_on(upper, lower, STANDS_ON_DEPTH);
}

const struct facts_source system_facts = {
	.lookup = lookup_device,
	.lookup_file = lookup_file,
	.stands_on = lookup_source_stands_on,
};
