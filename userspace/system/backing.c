// SPDX-License-Identifier: GPL-2.0-only
/*
 * Create, extend and fill a backing file.
 *
 * All checks come before the first change of the file, and all changes of the file come before the
 * device is created. After a failure, backing_undo() restores the file, but zeroes that were
 * written to holes and unwritten extents stay.
 */
#include "system/backing.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "base/stop.h"
#include "base/util.h"
#include "model/file-map.h"
#include "model/name.h"
#include "system/file-lookup.h"
#include "system/lookup.h"
#include "system/uses.h"

#define ZEROES_AT_ONCE	(1U << 20)
#define FILE_MODE	0600

static int backing_planned_lookup_file(const struct facts_source *src, const char *path,
				       bool map, struct file_facts *facts)
{
	const struct backing *b = src->data;

	if (!b->needed || strcmp(path, b->path))
		return file_lookup(path, map, facts);
	*facts = b->facts;
	facts->path = xstrdup(b->path);
	/*
	 * the list of gaps belongs to b->facts, so the copy does not get it; no check of a changed
	 * file needs the list: --allocate fills all gaps, and without --allocate plan_file_action()
	 * refuses the engine extent, the only engine that does not support gaps
	 */
	facts->map.gap = NULL;
	facts->map.nr_gaps = 0;
	return 0;
}

/* Use the facts of the folder for a file that does not exist yet. */
static int backing_look_at_directory(const char *path, struct file_facts *facts)
{
	_cleanup_free_ char *copy = xstrdup(path);
	int r = file_lookup(dirname(copy), false, facts);

	facts->id.inode = 0;
	facts->append_only = false;
	facts->bytes = 0;
	facts->allocated = 0;
	return r;
}

static int backing_refuse(const struct backing *b, int r, const char *sentence)
{
	_cleanup_free_ char *name = name_encode_path(b->path);

	log_err("%s: %s", name, sentence);
	return r;
}

/*
 * Check that nothing else uses the file, because the zeroes would overwrite the data of another
 * user. This function finds swap, loop devices and noclone-file; backing_take_lease() finds
 * processes.
 */
static int backing_check_unused(const struct backing *b, dev_t self)
{
	_cleanup_uses_ struct uses uses = { 0 };
	_cleanup_free_ char *use = NULL, *sentence = NULL;

	uses_collect_file(&uses, &b->facts, b->req.allocate && !b->running ? 0 : self, false);
	if (!uses.nr)
		return 0;
	use = use_describe(&uses.use[0]);
	sentence = xasprintf("%s, and %s needs a file that is not in use", use,
			     b->req.allocate ? "--allocate" : "--size");
	return backing_refuse(b, -EBUSY, sentence);
}

static int backing_decide(struct backing *b, const struct file_facts *existing,
			  dev_t self)
{
	const char *wrong = plan_file_action(&b->req, existing, &b->action);

	b->needed = b->action != BACKING_KEEP || (b->req.allocate && !b->running);
	/*
	 * report a pinned file here, because the message of the next check would not name the
	 * remedy
	 */
	if (b->needed && existing && uses_pin_file(existing, self))
		return backing_refuse(b, -ETXTBSY,
				      "the engine extent of the running device has pinned this file: reload the device with --engine direct first");
	if (wrong)
		return backing_refuse(b, -EINVAL, wrong);
	b->old_bytes = b->facts.bytes;
	/*
	 * if the device is running, guard_table() reports other users of the file, and --force
	 * overrides this report
	 */
	if (b->needed && existing && !b->running) {
		int r = backing_check_unused(b, self);

		if (r)
			return r;
	}
	wrong = plan_file_facts(&b->req, &b->facts);
	return wrong ? backing_refuse(b, -ENOSPC, wrong) : 0;
}

static int backing_refuse_lookup(const struct backing *b, int r)
{
	_cleanup_free_ char *why = facts_file_error(&b->facts, r);

	return backing_refuse(b, r, why);
}

/*
 * Set b->path to the path without symbolic links, or for a running device to the requested path.
 * Return: 0, or a negative errno after a message.
 */
static int backing_take_path(struct backing *b, const struct file_request *req)
{
	char *real = b->running ? xstrdup(req->path) : file_real_path(req->path);
	int r = real ? 0 : -errno;

	if (r)
		return backing_refuse(b, r, r != -ENOENT || !req->bytes ? strerror(-r) :
				      "its folder does not exist: make the folder first, with mkdir -p");
	free(b->path);
	b->path = real;
	return 0;
}

int backing_plan(struct backing *b, const struct file_request *req, dev_t self)
{
	bool exists;
	int r, e;

	b->path = xstrdup(req->path);
	r = file_lookup(req->path, req->engine == ENGINE_EXTENT, &b->facts);
	if (b->facts.silence)
		return backing_refuse_lookup(b, r);
	e = backing_take_path(b, req);
	if (e)
		return e;
	b->req = *req;
	b->req.path = b->path;
	b->source = system_facts;
	b->source.lookup_file = backing_planned_lookup_file;
	b->source.data = b;
	exists = !r;
	if (r == -ENOENT && !faccessat(AT_FDCWD, b->path, F_OK, AT_SYMLINK_NOFOLLOW))
		return backing_refuse(b, r, "it is a symbolic link to a file that does not exist");
	if (r == -ENOENT)
		r = backing_look_at_directory(b->path, &b->facts);
	if (r)
		return backing_refuse_lookup(b, r);
	return backing_decide(b, exists ? &b->facts : NULL, self);
}

char *backing_words(const struct backing *b)
{
	unsigned long long from = b->old_bytes, bytes = b->facts.bytes;
	_cleanup_free_ char *path = b->needed ? shell_quote(b->path) : NULL;
	_cleanup_free_ char *name = b->needed ? name_encode_path(b->path) : NULL;
	const char *begin = "", *end = " && ";

	if (!path)
		return xstrdup("");
	if (b->action == BACKING_CREATE)
		begin = "(umask 077 && ", end = ") && ";
	if (!b->req.allocate)
		return xasprintf("%struncate --size %llu %s%s", begin, bytes, path, end);
	if (from && !b->running)
		log_note("%s: its holes and unwritten extents would be filled with zeroes", name);
	return xasprintf("%sdd if=/dev/zero of=%s bs=1M oflag=seek_bytes seek=%llu iflag=count_bytes count=%llu conv=notrunc,fsync%s",
			 begin, path, from, bytes - from, end);
}

static int backing_fail(const struct backing *b, const char *doing, int r)
{
	_cleanup_free_ char *name = name_encode_path(b->path);

	if (r == -ETXTBSY)
		log_err("%s: %s failed: the file is pinned by a device with the engine extent (reload this device with --engine direct first), or is a swap file or a running program",
			name, doing);
	else if (r == -EINTR)
		log_err("%s: a signal has stopped the command", name);
	else
		log_err("%s: %s failed: %s", name, doing, strerror(-r));
	return r;
}

static int backing_refuse_open(const struct backing *b)
{
	return backing_refuse(b, -EBUSY,
			      "a process has the file open, and --allocate needs a file that is not in use");
}

/*
 * Take a write lease of the file. While the tool has the lease, a process that opens the file waits
 * until the lease ends, and F_GETLEASE shows that a process waits. If the file system, or its
 * server, grants no lease, other processes are not noticed.
 */
static int backing_take_lease(struct backing *b)
{
	int r = uses_lease(b->fd, F_WRLCK);

	b->leased = !r;
	return r == -EAGAIN ? backing_refuse_open(b) : 0;
}

/*
 * Check that the path still leads to the file for which the change was planned. The user may have
 * needed minutes to answer a question.
 */
static int backing_check_same(const struct backing *b)
{
	const struct file_id now = file_id_of_fd(b->fd);
	struct stat st;

	if (fstat(b->fd, &st))
		return backing_fail(b, "opening", -errno);
	if (!file_id_same(&now, &b->facts.id))
		return backing_refuse(b, -ESTALE, "it was replaced by another file meanwhile");
	if ((uint64_t)st.st_size != b->old_bytes)
		return backing_refuse(b, -ESTALE, "its size has been changed meanwhile: try again");
	return 0;
}

static int backing_open_file(struct backing *b)
{
	int r, flags = O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;

	if (b->action == BACKING_CREATE)
		flags |= O_CREAT | O_EXCL;
	b->fd = open(b->path, flags, FILE_MODE);
	if (b->fd < 0)
		return backing_fail(b, "opening", -errno);
	b->changed = b->action == BACKING_CREATE;
	if (b->changed)
		return 0;
	r = backing_check_same(b);
	return r || !b->req.allocate || b->running ? r : backing_take_lease(b);
}

static int backing_resize(struct backing *b)
{
	_cleanup_free_ char *name = name_encode_path(b->path);
	_cleanup_free_ char *size = NULL;

	if (b->action == BACKING_KEEP)
		return 0;
	if (ftruncate(b->fd, b->req.bytes))
		return backing_fail(b, "resizing", -errno);
	b->changed = true;
	size = size_format(b->req.bytes >> SECTOR_SHIFT);
	if (b->action == BACKING_GROW && !b->running)
		log_warn("%s: the file has grown to %s", name, size);
	else
		log_verbose("%s: the file has the size %s", name, size);
	return 0;
}

/*
 * Return: the first byte to fill, which is 0 if the device is not running. A running device may
 * write directly to the file up to the old end, without the page cache. If the zeroes began in the
 * block that has the old end, the page cache would get this block with old data of the device, and
 * the writeback of the block would overwrite newer data of the device. So the zeroes begin with the
 * next block.
 */
static uint64_t backing_first_to_fill(const struct backing *b)
{
	uint64_t block = MAX(b->facts.block, 1U);

	return b->running ? (b->old_bytes + block - 1) / block * block : 0;
}

/*
 * Does a process wait to open the file for writing? If a process waits to open the file only for
 * reading, end the lease, so that this process can continue.
 */
static bool backing_is_written(struct backing *b)
{
	int lease = b->leased ? fcntl(b->fd, F_GETLEASE) : F_WRLCK;

	if (lease == F_RDLCK) {
		fcntl(b->fd, F_SETLEASE, F_UNLCK);
		b->leased = false;
	}
	return lease == F_UNLCK;
}

static int backing_write_zeroes(struct backing *b, const struct file_gap *gap,
				const char *zeroes, uint64_t *done)
{
	uint64_t at = MAX(gap->begin, backing_first_to_fill(b));

	while (at < gap->end) {
		size_t n = MIN(gap->end - at, (uint64_t)ZEROES_AT_ONCE);
		ssize_t written;

		if (stop_requested())
			return -EINTR;
		if (backing_is_written(b))
			return -EBUSY;
		written = pwrite(b->fd, zeroes, n, at);
		if (written < 0)
			return -errno;
		at += written;
		*done += written;
		log_progress("writing zeroes", *done, b->facts.map.gap_bytes);
	}
	return 0;
}

static int backing_fill(struct backing *b)
{
	_cleanup_free_ char *zeroes = xzalloc(ZEROES_AT_ONCE);
	const struct file_map *map = &b->facts.map;
	uint64_t done = 0;
	unsigned int i;
	int r;

	file_map_free(&b->facts.map);
	r = file_read_map(b->fd, b->facts.bytes, &b->facts.map);
	if (r)
		return backing_fail(b, "reading the extents", r);
	for (i = 0; !r && i < map->nr_gaps; i++)
		r = backing_write_zeroes(b, &map->gap[i], zeroes, &done);
	/* do not undo the extension: the other process may have written data behind the old end */
	if (r == -EBUSY) {
		b->changed = false;
		return backing_refuse_open(b);
	}
	return r ? backing_fail(b, "writing zeroes", r) : 0;
}

static bool backing_is_same_file(int a, int b)
{
	const struct file_id ours = file_id_of_fd(a), theirs = file_id_of_fd(b);

	return file_id_same(&ours, &theirs);
}

/*
 * Open the file again for reading. The engine extent refuses a file that is open for writing, even
 * by this process. While the file is open, no other file can get its inode number.
 */
static int backing_reopen_readonly(struct backing *b)
{
	int fd = open(b->path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);

	if (fd < 0)
		return backing_fail(b, "reopening", -errno);
	if (!backing_is_same_file(fd, b->fd)) {
		close(fd);
		return backing_refuse(b, -ESTALE, "it was replaced by another file meanwhile");
	}
	close(b->fd);
	b->fd = fd;
	return 0;
}

int backing_apply(struct backing *b)
{
	int r;

	if (!b->needed)
		return 0;
	r = backing_open_file(b);
	if (!r)
		r = backing_resize(b);
	if (!r && b->req.allocate)
		r = backing_fill(b);
	fcntl(b->fd, F_SETLEASE, F_UNLCK);
	if (!r && fsync(b->fd))
		r = backing_fail(b, "syncing", -errno);
	if (!r && stop_requested())
		r = backing_fail(b, "preparing", -EINTR);
	return r ? r : backing_reopen_readonly(b);
}

/*
 * Is @fd the file that this process changed, and has no other process extended the file since then?
 */
static bool backing_still_ours(const struct backing *b, int fd)
{
	struct stat st;

	return backing_is_same_file(b->fd, fd) && !fstat(fd, &st) &&
	       (uint64_t)st.st_size <= b->req.bytes;
}

void backing_undo(struct backing *b)
{
	int access = b->action == BACKING_CREATE ? O_RDONLY : O_RDWR;
	_cleanup_close_ int fd = -1;

	if (!b->changed)
		return;
	b->changed = false;
	fd = open(b->path, access | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (fd < 0 && errno != ENOENT)
		backing_fail(b, "undoing the change", -errno);
	if (fd < 0 || !backing_still_ours(b, fd))
		return;
	if (b->action == BACKING_CREATE ? unlink(b->path) :
				     ftruncate(fd, b->old_bytes))
		backing_fail(b, "undoing the change", -errno);
}

void backing_free(struct backing *b)
{
	if (b->fd >= 0)
		close(b->fd);
	facts_free_file(&b->facts);
	free(b->path);
}
