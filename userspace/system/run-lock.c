// SPDX-License-Identifier: GPL-2.0-only
/* Locks that end at the latest with the process that holds them. */
#include "system/run-lock.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "base/stop.h"

/* LOCK_SECONDS is longer than the default time for which another command waits for udev. */
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
		r = errno != EWOULDBLOCK ? -errno : stop_is_pending() ? -EINTR :
		    tries-- ? 0 : -EBUSY;
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
		log_err("%s: another noclone process has been changing it for a minute: try again, or find this process with \"fuser -v %s\"",
			what, path);
	else if (fd == -EINTR)
		log_err("%s: a signal has stopped the command", what);
	else if (fd == -EACCES || fd == -EPERM)
		log_err("%s: only root may change it", what);
	else if (fd < 0)
		log_err("%s: %s", path, strerror(-fd));
	return fd;
}

bool run_lock_is_held(const char *path)
{
	int fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
	bool held = fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK;

	if (fd >= 0)
		close(fd);
	return held;
}
