// SPDX-License-Identifier: GPL-2.0-only
/* The files of saved devices, below /etc/noclone. */
#include "system/saved-file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "base/read.h"
#include "base/util.h"
#include "system/replace-file.h"

#define SAVED_MAX	(16U << 20)

bool saved_file_exists(const char *name)
{
	_cleanup_free_ char *path = saved_path(name);

	return !saved_name_problem(name) && !access(path, F_OK);
}

char *saved_file_text(const char *name)
{
	_cleanup_free_ char *path = saved_path(name);

	return read_text_file(path, SAVED_MAX);
}

char *saved_file_read(const char *name)
{
	char *text = saved_file_text(name);
	_cleanup_free_ char *path = saved_path(name);

	if (!text && errno == ENOENT)
		log_err("%s is not saved: there is no %s; \"noclone save\" makes one of a device",
			name, path);
	else if (!text)
		log_err("%s: %s", path, read_text_problem(errno));
	return text;
}

int saved_file_lock(const char *name)
{
	_cleanup_free_ char *path = saved_path(name);
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	if (fd >= 0)
		flock(fd, LOCK_EX);
	return fd;
}

int saved_file_write(const char *name, const char *text)
{
	_cleanup_free_ char *path = saved_path(name);
	/* behind a link, which somebody has made on purpose, is the file */
	_cleanup_free_ char *real = realpath(path, NULL);

	if (mkdir(SAVED_DIR, 0755) && errno != EEXIST)
		return -errno;
	return replace_file(real ? real : path, text);
}

int saved_file_remove(const char *name)
{
	_cleanup_free_ char *path = saved_path(name);

	if (!unlink(path))
		return 0;
	log_err("removing %s failed: %s", path, strerror(errno));
	return -errno;
}

static int is_saved(const struct dirent *entry)
{
	_cleanup_free_ char *name = saved_name(entry->d_name);

	return name != NULL;
}

int saved_file_for_each(void (*visit)(const char *name, void *data), void *data)
{
	struct dirent **entry = NULL;
	int i, nr = scandir(SAVED_DIR, &entry, is_saved, alphasort);

	if (nr < 0 && errno == ENOENT)
		return 0;
	if (nr < 0) {
		log_err(SAVED_DIR ": %s", strerror(errno));
		return -errno;
	}
	for (i = 0; i < nr; i++) {
		_cleanup_free_ char *name = saved_name(entry[i]->d_name);

		visit(name, data);
		free(entry[i]);
	}
	free(entry);
	return 0;
}
