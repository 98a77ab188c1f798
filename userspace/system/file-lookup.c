// SPDX-License-Identifier: GPL-2.0-only
/*
 * Read facts about files with statx() and statfs(), which open no file, and so disturb no other
 * program. A regular file is opened, for reading, only if its map is requested.
 */
#include "system/file-lookup.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <linux/fiemap.h>
#include <linux/fs.h>
#include <linux/magic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "noclone-refusals.h"
#include "base/ask.h"
#include "base/util.h"
#include "model/facts.h"
#include "model/file-map.h"
#include "system/blockdev.h"
#include "system/mount.h"
#include "system/silence.h"

#define SOME_EXTENTS	128

static int file_add_holes(int fd, uint64_t bytes, struct file_map *map)
{
	off_t at = 0, data;

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

/*
 * Find holes by SEEK_HOLE. An unwritten extent looks like a hole if none of its pages is in the
 * cache. After an error the map is empty, because it would lack the holes behind the error.
 */
static int file_seek_holes(int fd, uint64_t bytes, struct file_map *map)
{
	int r = fsync(fd) ? -errno : file_add_holes(fd, bytes, map);

	if (r)
		file_map_free(map);
	map->known = !r;
	return r;
}

int file_read_map(int fd, uint64_t bytes, struct file_map *map)
{
	_cleanup_free_ struct fiemap *all = NULL;
	unsigned int nr = SOME_EXTENTS;

	memset(map, 0, sizeof(*map));
	/* repeat with a larger array until FIEMAP leaves a part of the array empty */
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
			       file_seek_holes(fd, bytes, map) : -errno;
	} while (all->fm_mapped_extents == nr);
	file_map_extents(map, all->fm_extents, all->fm_mapped_extents, bytes);
	return 0;
}

char *file_real_path(const char *path)
{
	_cleanup_free_ char *head = xstrdup(path), *tail = xstrdup(path);
	_cleanup_free_ char *dir = NULL;
	char *real = realpath(path, NULL);

	/* a path with a slash at its end cannot be the path of a file */
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

static const char *file_problem_of(mode_t mode)
{
	if (S_ISREG(mode))
		return NULL;
	return S_ISDIR(mode) ? NOCLONE_ERR_PATH_DIRECTORY :
	       S_ISBLK(mode) ? NOCLONE_ERR_PATH_BLOCK : NOCLONE_ERR_PATH_KIND;
}

/*
 * Set the alignment of direct I/O. The module takes the alignment from the same source: from the
 * file or, if the file system does not report it, from the disk below.
 */
static void file_find_align(struct file_facts *f, const struct statx *st)
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

static void file_take(struct file_facts *f, const struct statx *st)
{
	f->problem = file_problem_of(st->stx_mode);
	f->id = (struct file_id) {
		true, makedev(st->stx_dev_major, st->stx_dev_minor), st->stx_ino,
	};
	f->disk = mount_disk(f->id.filesystem);
	f->bytes = st->stx_size;
	f->allocated = st->stx_blocks;
	f->immutable = st->stx_attributes & STATX_ATTR_IMMUTABLE;
	f->append_only = st->stx_attributes & STATX_ATTR_APPEND;
	f->readonly = f->immutable || access(f->path, W_OK);
	file_find_align(f, st);
}

/*
 * Set the free space and the block size. A tmpfs without a limit reports 0 blocks, so its free
 * space is not known.
 */
static void file_ask_system(struct file_facts *f)
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

/*
 * Read the map. After a failure the map stays unknown, and the checks that need the map report that
 * it is unknown.
 */
static void file_take_map(struct file_facts *f)
{
	_cleanup_close_ int fd = open(f->path, O_RDONLY | O_CLOEXEC);

	if (fd >= 0)
		file_read_map(fd, f->bytes, &f->map);
}

static int file_look(const char *path, bool map, struct file_facts *f)
{
	struct statx st;

	memset(f, 0, sizeof(*f));
	f->path = realpath(path, NULL);
	if (!f->path ||
	    statx(AT_FDCWD, f->path, 0, STATX_BASIC_STATS | STATX_DIOALIGN, &st)) {
		int r = -errno;

		facts_free_file(f);
		return r;
	}
	file_take(f, &st);
	file_ask_system(f);
	if (map && !f->problem)
		file_take_map(f);
	return 0;
}

/**
 * struct file_query - the question of file_lookup(), and the fixed part of the answer; the list of
 *	gaps (@facts.map.gap) and the path (@facts.path) follow the struct in the pipe
 * @path: the argument of file_lookup()
 * @map: the argument of file_lookup()
 * @error: the result of file_look(): 0 or a negative errno
 * @facts: the facts. Pointers to constant strings are valid in both processes, because the separate
 *	process is a copy of the command
 */
struct file_query {
	const char *path;
	bool map;
	int error;
	struct file_facts facts;
};

static void file_answer(int out, void *data)
{
	struct file_query *q = data;
	const struct file_map *map = &q->facts.map;
	struct strbuf b = { 0 };

	q->error = file_look(q->path, q->map, &q->facts);
	strbuf_append(&b, (const char *)q, sizeof(*q));
	if (map->nr_gaps)
		strbuf_append(&b, (const char *)map->gap, map->nr_gaps * sizeof(*map->gap));
	if (q->facts.path)
		strbuf_append(&b, q->facts.path, strlen(q->facts.path));
	if (write(out, b.text, b.len) < 0)
		_exit(1);
}

/* Take the facts from the answer. If the answer is incomplete, the separate process was killed. */
static int file_take_answer(const struct answer *a, struct file_facts *f)
{
	struct file_query q = { .error = -EIO };
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
	struct file_query q = { .path = path, .map = map };
	_cleanup_answer_ struct answer a = { 0 };
	int r;

	memset(f, 0, sizeof(*f));
	r = silence_ask(file_answer, &q, path, true, &a, &f->silence);
	return r ? r : file_take_answer(&a, f);
}
