// SPDX-License-Identifier: GPL-2.0-only
/*
 * Growing the file of a running noclone-file target.
 *
 * The target maps the old part only, so no I/O reaches the new one before the new table
 * runs.  Until then the growth can be undone without losing anything.
 */
#include "system/file-growth.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

#include "base/child.h"
#include "base/log.h"
#include "base/read.h"
#include "base/size.h"
#include "base/util.h"
#include "model/name.h"

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
	r = fd < 0 ? -errno : growth_check_identity(g, fd, &st);
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
