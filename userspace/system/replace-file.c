// SPDX-License-Identifier: GPL-2.0-only
/* Files that are replaced in one step: a second file, fsync() and rename(). */
#include "system/replace-file.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "base/util.h"

static char *replace_staged(const char *path)
{
	return xasprintf("%s.new", path);
}

int replace_sync_folder(const char *path)
{
	_cleanup_free_ char *copy = xstrdup(path);
	_cleanup_close_ int fd = open(dirname(copy), O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	return fd < 0 || fsync(fd) ? -errno : 0;
}

/* A file that was hidden stays hidden; a new one can be read by all. */
static int replace_take_mode(int fd, const char *path)
{
	struct stat st;

	if (stat(path, &st))
		return fchmod(fd, 0644) ? -errno : 0;
	if (fchown(fd, st.st_uid, st.st_gid) && errno != EPERM)
		return -errno;
	return fchmod(fd, st.st_mode & 07777) ? -errno : 0;
}

static int replace_write(int fd, const char *text)
{
	size_t left = strlen(text);
	ssize_t n;

	for (; left; text += n, left -= n) {
		n = write(fd, text, left);
		if (n < 0)
			return -errno;
	}
	return fsync(fd) ? -errno : 0;
}

int replace_stage(const char *path, const char *text)
{
	_cleanup_free_ char *staged = replace_staged(path);
	_cleanup_close_ int fd = -1;
	int r;

	/* what a command that was killed has left */
	if (unlink(staged) && errno != ENOENT)
		return -errno;
	fd = open(staged, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0)
		return -errno;
	r = replace_take_mode(fd, path);
	if (!r)
		r = replace_write(fd, text);
	if (!r)
		r = replace_sync_folder(path);
	if (r)
		unlink(staged);
	return r;
}

int replace_commit(const char *path)
{
	_cleanup_free_ char *staged = replace_staged(path);

	return rename(staged, path) ? -errno : replace_sync_folder(path);
}

void replace_drop(const char *path)
{
	_cleanup_free_ char *staged = replace_staged(path);

	if (unlink(staged) && errno != ENOENT)
		log_warn("%s: %s", staged, strerror(errno));
}

char *replace_leftover(const char *path)
{
	char *staged = replace_staged(path);

	if (!access(staged, F_OK))
		return staged;
	free(staged);
	return NULL;
}

int replace_file(const char *path, const char *text)
{
	int r = replace_stage(path, text);

	if (r)
		return r;
	r = replace_commit(path);
	if (r)
		replace_drop(path);
	return r;
}

/* Locks that last as long as a process. */

/* longer than another one waits for udev, but for its option */
#define LOCK_SECONDS	60
#define LOCK_WAIT_US	100000

int run_lock_for(const char *path, unsigned int seconds)
{
	unsigned int tries = seconds * (1000000 / LOCK_WAIT_US);
	int fd, r = 0;

	if (mkdir(RUN_DIR, 0700) && errno != EEXIST)
		return -errno;
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0)
		return -errno;
	while (flock(fd, LOCK_EX | LOCK_NB) && !r) {
		r = errno != EWOULDBLOCK ? -errno : tries-- ? 0 : -EBUSY;
		usleep(LOCK_WAIT_US);
	}
	if (r)
		close(fd);
	return r ? r : fd;
}

int run_lock(const char *path, const char *what)
{
	int fd = run_lock_for(path, LOCK_SECONDS);

	if (fd == -EBUSY)
		log_err("%s: another noclone has been busy with it for a minute: try again, or see which process has %s open",
			what, path);
	else if (fd == -EACCES || fd == -EPERM)
		log_err("%s: only root may change it", what);
	else if (fd < 0)
		log_err("%s: %s", path, strerror(-fd));
	return fd;
}
