// SPDX-License-Identifier: GPL-2.0-only
/* The files of saved devices, below /etc/noclone. */
#include "system/saved-file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "base/read.h"
#include "base/util.h"
#include "system/replace-file.h"
#include "system/run-lock.h"

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

/* Not the saved file: that one is replaced, and with it who has locked it. */
int saved_file_lock(const char *name)
{
	_cleanup_free_ char *path = xasprintf(RUN_DIR "/%s.lock", name);
	int fd = run_lock(path);

	if (fd == -EBUSY)
		log_err("%s: another noclone has been busy with it for a minute: try again, or see who has %s open",
			name, path);
	else if (fd == -EACCES || fd == -EPERM)
		log_err("%s: only root may do that", name);
	else if (fd < 0)
		log_err("%s: %s", path, strerror(-fd));
	return fd;
}

void saved_file_set_forced(const char *name, bool forced)
{
	_cleanup_free_ char *path = xasprintf(RUN_DIR "/%s.forced", name);
	_cleanup_close_ int fd = -1;

	if (!forced && unlink(path) && errno != ENOENT)
		log_warn("%s: %s", path, strerror(errno));
	if (!forced)
		return;
	fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0)
		log_warn("%s: %s", path, strerror(errno));
}

bool saved_file_is_forced(const char *name)
{
	_cleanup_free_ char *path = xasprintf(RUN_DIR "/%s.forced", name);

	return !access(path, F_OK);
}

static void sync_folder(const char *path)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd >= 0)
		fsync(fd);
}

int saved_file_write(const char *name, const char *text)
{
	_cleanup_free_ char *path = saved_path(name);
	/* the file may be behind a link, which was made on purpose */
	_cleanup_free_ char *real = realpath(path, NULL);

	if (!mkdir(SAVED_DIR, 0755))
		sync_folder("/etc");
	else if (errno != EEXIST)
		return -errno;
	return replace_file(real ? real : path, text);
}

int saved_file_write_old(const char *name, const char *text)
{
	_cleanup_free_ char *path = xasprintf(SAVED_DIR "/%s" SAVED_SUFFIX ".old", name);

	return replace_file(path, text);
}

int saved_file_remove(const char *name)
{
	_cleanup_free_ char *path = saved_path(name);

	if (!unlink(path)) {
		sync_folder(SAVED_DIR);
		return 0;
	}
	log_err("removing %s failed: %s", path, strerror(errno));
	return -errno;
}

static int is_saved(const struct dirent *entry)
{
	_cleanup_free_ char *name = saved_name(entry->d_name);
	size_t length = strlen(entry->d_name), suffix = strlen(SAVED_SUFFIX);

	if (!name && *entry->d_name != '.' && length >= suffix &&
	    !strcmp(entry->d_name + length - suffix, SAVED_SUFFIX))
		log_warn(SAVED_DIR "/%s is ignored: no device of that name can be saved",
			 entry->d_name);
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
