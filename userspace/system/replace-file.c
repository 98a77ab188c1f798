// SPDX-License-Identifier: GPL-2.0-only
/* Files that are replaced in one step: a temporary file, fsync() and rename(). */
#include "system/replace-file.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/read.h"
#include "base/util.h"

static int write_all(int fd, const char *text)
{
	size_t left = strlen(text);
	ssize_t n;

	for (; left; text += n, left -= n) {
		n = write(fd, text, left);
		if (n < 0)
			return -errno;
	}
	return 0;
}

/* Those of the file that is replaced; a new one can be read by all. */
static int take_mode(int fd, const char *path)
{
	struct stat st;

	if (stat(path, &st))
		return fchmod(fd, 0644) ? -errno : 0;
	if (fchown(fd, st.st_uid, st.st_gid) && errno != EPERM)
		return -errno;
	return fchmod(fd, st.st_mode & 07777) ? -errno : 0;
}

/* The folder of the file keeps the new name only once it is on disk itself. */
static int sync_folder(const char *path)
{
	_cleanup_free_ char *copy = xstrdup(path);
	_cleanup_close_ int fd = open(dirname(copy),
				      O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	return fd < 0 || fsync(fd) ? -errno : 0;
}

int replace_file(const char *path, const char *text)
{
	_cleanup_free_ char *temporary = xasprintf("%s.XXXXXX", path);
	_cleanup_close_ int fd = mkostemp(temporary, O_CLOEXEC);
	int r;

	if (fd < 0)
		return -errno;
	r = write_all(fd, text);
	if (!r)
		r = take_mode(fd, path);
	if (!r && fsync(fd))
		r = -errno;
	if (!r && rename(temporary, path))
		r = -errno;
	if (r)
		unlink(temporary);
	return r ? r : sync_folder(path);
}
