// SPDX-License-Identifier: GPL-2.0-only
/*
 * Growing the file of a running noclone-file target.
 *
 * The target maps the old part only, so no I/O reaches the new one before the new table
 * runs.  Until then the growth can be undone without losing anything.
 */
#include "system/growth.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/child.h"
#include "base/log.h"
#include "base/util.h"
#include "model/name.h"
#include "system/blockdev.h"
#include "system/devmap.h"
#include "system/file-lookup.h"
#include "system/identity.h"
#include "system/live.h"
#include "system/guard.h"

#define ZEROES_AT_ONCE	(1U << 20)
#define UNPIN_TRIES	100
#define UNPIN_NAP_MS	50

static int growth_fail(const struct growth *g, const char *doing, int r)
{
	_cleanup_free_ char *name = path_encode(g->path);

	if (r == -ETXTBSY)
		log_err("%s: %s failed: it is pinned, by another device with the engine extent or as a swap file",
			name, doing);
	else if (r == -EINTR)
		log_err("%s: stopped", name);
	else if (r == -ESTALE)
		log_err("%s: it is another file than the one that the device runs on", name);
	else if (r == -EOPNOTSUPP)
		log_err("%s: its file system cannot reserve blocks: --allocate writes zeroes instead, and max takes what truncate(1) has added",
			name);
	else
		log_err("%s: %s failed: %s", name, doing, strerror(-r));
	return r;
}

static int growth_open_unpinned(const char *path)
{
	const struct timespec nap = { .tv_nsec = UNPIN_NAP_MS * 1000000L };
	int flags = O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, tries, fd;

	for (tries = 0; tries < UNPIN_TRIES; tries++) {
		fd = open(path, flags);
		if (fd >= 0 || errno != ETXTBSY)
			break;
		nanosleep(&nap, NULL);
	}
	return fd;
}

static int growth_check_identity(const struct growth *g, int fd, struct stat *st)
{
	struct file_id id;

	if (fstat(fd, st))
		return -errno;
	id = (struct file_id) { true, st->st_dev, st->st_ino };
	return S_ISREG(st->st_mode) && !file_id_differs(&g->id, &id) ? 0 : -ESTALE;
}

/*
 * The block with the old end may be one that a device writes to directly: in the page
 * cache it would be old, and be written back over that.  What fallocate() has added to
 * it reads as zeroes.
 */
static uint64_t growth_first_to_write(const struct growth *g, int fd)
{
	struct statvfs fs;
	struct stat st;
	bool is_reserved = !fstat(fd, &st) && (uint64_t)st.st_size >= g->bytes;

	if (!is_reserved || fstatvfs(fd, &fs) || !fs.f_bsize)
		return g->old_bytes;
	return (g->old_bytes + fs.f_bsize - 1) / fs.f_bsize * fs.f_bsize;
}

static int growth_write_zeroes(const struct growth *g, int fd)
{
	_cleanup_free_ char *zeroes = xzalloc(ZEROES_AT_ONCE);
	uint64_t at = growth_first_to_write(g, fd);

	while (at < g->bytes) {
		size_t n = MIN(g->bytes - at, (uint64_t)ZEROES_AT_ONCE);
		ssize_t written = pwrite(fd, zeroes, n, at);

		if (stop_requested())
			return -EINTR;
		if (written < 0)
			return -errno;
		at += written;
		log_progress("writing zeroes", at - g->old_bytes, g->bytes - g->old_bytes);
	}
	return 0;
}

/* A swap file's size cannot be changed, and the mark goes away in the background. */
static int growth_extend_once(const struct growth *g, int fd)
{
	uint64_t more = g->bytes - g->old_bytes;

	if (!fallocate(fd, 0, g->old_bytes, more))
		return 0;
	/* writing allocates as well */
	return errno == EOPNOTSUPP && g->written ? 0 : -errno;
}

static int growth_extend(const struct growth *g, int fd)
{
	const struct timespec nap = { .tv_nsec = UNPIN_NAP_MS * 1000000L };
	int tries, r = -ETXTBSY;

	for (tries = 0; r == -ETXTBSY && tries < UNPIN_TRIES; tries++) {
		if (tries)
			nanosleep(&nap, NULL);
		r = growth_extend_once(g, fd);
	}
	if (!r && g->written)
		r = growth_write_zeroes(g, fd);
	if (!r && fsync(fd))
		r = -errno;
	return r;
}

int growth_apply(struct growth *g)
{
	_cleanup_close_ int fd = -1;
	struct stat st;
	int r;

	if (!g->bytes)
		return 0;
	fd = growth_open_unpinned(g->path);
	if (fd < 0)
		return growth_fail(g, "opening", -errno);
	r = growth_check_identity(g, fd, &st);
	if (r)
		return growth_fail(g, "opening", r);
	g->old_bytes = st.st_size;
	if (g->old_bytes >= g->bytes)
		return 0;
	r = growth_extend(g, fd);
	g->grown = !r;
	if (!r)
		return 0;
	growth_fail(g, "growing", r);
	/* another process has made it larger than this */
	if (fstat(fd, &st) || (uint64_t)st.st_size > g->bytes)
		return r;
	if (ftruncate(fd, g->old_bytes))
		growth_fail(g, "undoing the growth", -errno);
	return r;
}

void growth_undo(struct growth *g)
{
	_cleanup_close_ int fd = -1;
	struct stat st;

	if (!g->grown)
		return;
	g->grown = false;
	fd = growth_open_unpinned(g->path);
	if (fd < 0) {
		growth_fail(g, "undoing the growth", -errno);
		return;
	}
	if (growth_check_identity(g, fd, &st) || (uint64_t)st.st_size != g->bytes)
		return;
	if (ftruncate(fd, g->old_bytes))
		growth_fail(g, "undoing the growth", -errno);
}

char *growth_words(const struct growth *g)
{
	unsigned long long from = g->old_bytes, more = g->bytes - g->old_bytes;
	_cleanup_free_ char *path = NULL;

	if (!g->bytes)
		return NULL;
	path = shell_quote(g->path);
	if (!g->written)
		return xasprintf("fallocate --offset %llu --length %llu %s", from, more, path);
	return xasprintf("dd if=/dev/zero of=%s bs=1M oflag=seek_bytes seek=%llu iflag=count_bytes count=%llu conv=notrunc,fsync",
			 path, from, more);
}

/* The room that a mapped device can grow into. */
static int growth_room_refuse(const char *name, int r)
{
	log_err("%s: %s", name, strerror(-r));
	return r;
}

struct used_parts {
	struct parts *parts;
	int error;
};

/* All parts of disks that mapped devices have, or saved ones that are not active. */
static void growth_room_add_live(const char *name, void *data)
{
	_cleanup_table_ struct table t = { 0 };
	struct used_parts *used = data;
	int r = live_table(name, &t);

	if (r && !devmap_is_absent(r))
		used->error = growth_room_refuse(name, r);
	parts_add_table(used->parts, name, &t);
}

static void growth_room_add_partition(struct parts *parts, dev_t disk, const char *name)
{
	_cleanup_free_ char *start = xasprintf("%s/start", name);
	_cleanup_free_ char *size = xasprintf("%s/size", name);
	_cleanup_free_ char *first = blockdev_attribute(disk, start);
	_cleanup_free_ char *sectors = blockdev_attribute(disk, size);
	struct disk_range range = { .disk = disk };
	uint64_t length;

	if (!first || !sectors || !parse_u64(first, &range.first) ||
	    !parse_u64(sectors, &length))
		return;
	range.end = range.first + length;
	GROW(parts->part, parts->nr);
	parts->part[parts->nr++] = (struct part) { .name = xstrdup(name), .range = range };
}

/* A leg on a partition has that partition for itself. */
static void growth_room_add_partitions(struct parts *parts, const struct device_facts *f)
{
	_cleanup_free_ char *base = blockdev_sysfs(f->devno, "");
	_cleanup_dir_ DIR *dir = f->disk == f->devno ? opendir(base) : NULL;
	const char *entry;

	while ((entry = read_name(dir)))
		growth_room_add_partition(parts, f->disk, entry);
}

/* What mapped devices, saved devices and partitions have of the disk. */
static int growth_room_collect(const struct device_facts *f, struct parts *parts)
{
	struct used_parts used = { .parts = parts };
	int r = devmap_for_each(growth_room_add_live, &used);

	parts_add_saved(parts);
	growth_room_add_partitions(parts, f);
	return r ? growth_room_refuse(f->path, r) : used.error;
}

/*
 * @sectors: set to those after @end of the device; @next: to the name of what ends them, or
 * NULL.  Return: 0, or a negative errno after a message.
 */
static int growth_room_behind(const struct device_facts *f, uint64_t end, uint64_t *sectors,
			      char **next)
{
	const uint64_t from = f->offset + end;
	uint64_t to = f->offset + f->sectors;
	_cleanup_parts_ struct parts parts = { 0 };
	const char *by = NULL;
	unsigned int i;
	int r;

	*sectors = 0;
	if (from >= to)
		return 0;
	r = growth_room_collect(f, &parts);
	for (i = 0; i < parts.nr; i++) {
		const struct part *p = &parts.part[i];

		if (p->range.disk != f->disk || p->range.end <= from ||
		    p->range.first >= to)
			continue;
		to = MAX(p->range.first, from);
		by = p->name;
	}
	*next = by ? xstrdup(by) : NULL;
	*sectors = to - from;
	return r;
}

/* The leg with the least room decides. */
static int growth_room_find_behind_legs(struct room *r, const struct target *last)
{
	uint64_t least = UINT64_MAX;
	unsigned int i;

	for (i = 0; i < last->nr_legs; i++) {
		const struct leg *leg = &last->legs[i];
		_cleanup_facts_ struct device_facts f = { 0 };
		_cleanup_free_ char *next = NULL;
		int e = blockdev_lookup(leg->device, &f);
		uint64_t sectors;

		if (e)
			return growth_room_refuse(leg->device, e);
		e = growth_room_behind(&f, leg->start + target_leg_length(last), &sectors, &next);
		if (e)
			return e;
		r->resize.block = MAX(r->resize.block, (uint64_t)f.logical_block);
		if (sectors >= least)
			continue;
		least = sectors;
		free(r->next);
		r->next = next;
		next = NULL;
	}
	r->resize.free = resize_legs_room(last, least);
	return 0;
}

static int growth_room_complete_spec(struct room *r, struct leg_spec *spec)
{
	_cleanup_facts_ struct device_facts f = { 0 };
	int e = blockdev_lookup(spec->device, &f);
	uint64_t rest;

	if (e)
		return growth_room_refuse(spec->device, e);
	rest = spec->start < f.sectors ? f.sectors - spec->start : 0;
	if (!rest || spec->length > rest) {
		log_err("%s: it ends before the part that is asked for", spec->device);
		return -ENOSPC;
	}
	r->resize.block = MAX(r->resize.block, (uint64_t)f.logical_block);
	if (!spec->length)
		spec->length = rest;
	free(spec->device);
	spec->device = xstrdup(f.path);
	return 0;
}

/* Without max the file grows as far as its file system lets it. */
static int growth_room_find_in_file(struct room *r, const struct target *last, bool is_max)
{
	_cleanup_file_facts_ struct file_facts f = { 0 };
	_cleanup_free_ char *name = path_encode(last->path);
	uint64_t end = last->file_start + last->length, sectors, block;
	int e = file_lookup(last->path, false, &f);

	if (e)
		return growth_room_refuse(name, e);
	block = plan_file_unit(last->engine, &f);
	sectors = f.bytes / block * block >> SECTOR_SHIFT;
	r->file_bytes = f.bytes;
	r->resize.block = block;
	r->resize.free = !is_max ? TABLE_MAX_SECTORS : sectors > end ? sectors - end : 0;
	return 0;
}

int room_find(struct room *r, const struct target *last, struct leg_spec *specs,
	      unsigned int nr, bool is_max)
{
	unsigned int i;
	int e = last->path ? growth_room_find_in_file(r, last, is_max) :
			     growth_room_find_behind_legs(r, last);

	for (i = 0; i < nr && !e; i++)
		e = growth_room_complete_spec(r, &specs[i]);
	r->resize.leg = specs;
	r->resize.nr_legs = nr;
	return e;
}

void room_check_signatures(const struct target *last, uint64_t more,
			   struct findings *findings)
{
	unsigned int i;

	for (i = 0; i < last->nr_legs && more; i++) {
		const struct leg *leg = &last->legs[i];
		_cleanup_facts_ struct device_facts f = { 0 };
		_cleanup_free_ char *type = NULL, *label = NULL;
		int e = blockdev_lookup(leg->device, &f);

		if (!e)
			e = identity_probe(&f, leg->start + target_leg_length(last), more,
					   &type, &label);
		if (e && f.path)
			finding_at(findings, FINDING_ERROR, 0,
				   "%s: the part that is to be added %s: %s", f.path,
				   e > 0 ? "holds a signature" : "cannot be read",
				   e > 0 ? type : strerror(-e));
	}
}

void room_free(struct room *r)
{
	free(r->next);
}

/*
 * The file system on a mapped device, which fsadm(8) of lvm2 makes larger: ext2 to ext4,
 * xfs, and what is in LUKS.  It is used as lvextend uses it: what is not mounted is checked
 * before the device grows, as resize2fs wants it.
 */

/* Exit status of "fsadm check": there is nothing to do, the file system is mounted. */
#define FSADM_MOUNTED	3
#define FSADM_LINES	5

/* The reason of a failure mostly is in the first lines. */
static void growth_fsadm_log(const char *text)
{
	_cleanup_free_ char *copy = xstrdup(text);
	unsigned int left = FSADM_LINES;
	char *save = NULL, *line;

	for (line = strtok_r(copy, "\r\n", &save); line && left--;
	     line = strtok_r(NULL, "\r\n", &save))
		log_err("  %s", line);
}

/* Return: 0, FSADM_MOUNTED, or a negative errno after a message. */
static int growth_fsadm_run(bool changes, const char *verb, const char *device, const char *size)
{
	const char *argv[] = {
		"fsadm", changes ? verb : "--dry-run", changes ? device : verb,
		changes ? NULL : device, size, NULL,
	};
	_cleanup_child_output_ struct child_output output = { 0 };
	int r;

	if (changes)
		log_verbose("running fsadm %s %s", verb, device);
	r = child_run((char **)argv, changes, &output);
	if (r == -ENOENT)
		log_err("--resizefs needs fsadm: install lvm2, or leave --resizefs out");
	else if (r)
		log_err("fsadm %s %s: %s", verb, device, strerror(-r));
	if (r || !output.status)
		return r;
	if (WIFEXITED(output.status) && WEXITSTATUS(output.status) == FSADM_MOUNTED)
		return FSADM_MOUNTED;
	log_err("fsadm %s %s failed:", verb, device);
	growth_fsadm_log(*output.err ? output.err : output.out);
	return -EIO;
}

/* A check does not look at what is mounted, and fsadm cannot rehearse on what is not. */
int fsadm_plan(const char *device, uint64_t sectors, bool *mounted)
{
	_cleanup_free_ char *size = xasprintf("%llub",
					      (unsigned long long)sectors << SECTOR_SHIFT);
	int r;

	stop_hold();
	r = growth_fsadm_run(false, "check", device, NULL);
	*mounted = r == FSADM_MOUNTED;
	if (*mounted)
		r = growth_fsadm_run(false, "resize", device, size);
	stop_release();
	return r;
}

int fsadm_check(const char *device)
{
	int r = growth_fsadm_run(true, "check", device, NULL);

	/* mounted since the plan: it grows nevertheless */
	return r == FSADM_MOUNTED ? 0 : r;
}

int fsadm_resize(const char *device)
{
	return growth_fsadm_run(true, "resize", device, NULL);
}

char *fsadm_check_words(const char *device)
{
	_cleanup_free_ char *quoted = shell_quote(device);

	return xasprintf("fsadm check %s || [ $? -eq %d ]", quoted, FSADM_MOUNTED);
}

char *fsadm_resize_words(const char *device)
{
	_cleanup_free_ char *quoted = shell_quote(device);

	return xasprintf("fsadm resize %s", quoted);
}

char *fsadm_advice(const char *type, const char *device)
{
	/* after a blank comes the device */
	static const char *const known[][2] = {
		{ "ext", "fsadm resize " },
		{ "xfs", "fsadm resize " },
		{ "crypto_LUKS", "fsadm resize " },
		{ "LVM2_member", "pvresize " },
		{ "btrfs", "btrfs filesystem resize max MOUNTPOINT" },
		{ "f2fs", "resize.f2fs " },
		{ "swap", "swapoff, mkswap and swapon" },
		{ "dos", "growpart or parted, for its partitions" },
		{ "gpt", "growpart or parted, for its partitions" },
	};
	_cleanup_free_ char *quoted = shell_quote(device);
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(known); i++) {
		const char *command = known[i][1];

		if (str_starts(type, known[i][0]))
			return xasprintf("%s%s", command,
					 command[strlen(command) - 1] == ' ' ? quoted : "");
	}
	return NULL;
}
