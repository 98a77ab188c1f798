// SPDX-License-Identifier: GPL-2.0-only
/*
 * Replace a file in one step, with a second file, fsync() and rename().
 *
 * The new file is first written beside the old one, under a name that no program reads: the new
 * file is staged. For a saved device, this happens before the device changes. Later, a rename puts
 * the new file in the place of the old file.
 */
#include "system/replace.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "base/util.h"

char *replace_staged(const char *path)
{
	return xasprintf("%s.new", path);
}

int replace_sync_folder(const char *path)
{
	_cleanup_free_ char *copy = xstrdup(path);
	_cleanup_close_ int fd = open(dirname(copy), O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	return fd < 0 || fsync(fd) ? -errno : 0;
}

/*
 * Give the new file the owner and the mode of the old file. If there is no old file, all users can
 * read the new file.
 */
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

	/* a killed command may have left a staged file */
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
	struct stat st;

	/*
	 * look for the file first: on a read-only file system, unlink() fails even if the file does
	 * not exist
	 */
	if (!lstat(staged, &st) && unlink(staged) && errno != ENOENT)
		log_warn("%s: %s", staged, strerror(errno));
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
