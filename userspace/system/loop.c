// SPDX-License-Identifier: GPL-2.0-only
/*
 * Loop devices.  The kernel detaches one with LO_FLAGS_AUTOCLEAR at its last close, so
 * nothing is left behind when the mapped device on it is removed, by whatever program.
 */
#include "system/loop.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/loop.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/log.h"
#include "base/read.h"
#include "base/util.h"

/* Others may take the free device that we were told of. */
#define ATTEMPTS	64

static struct loop_config loop_make_config(const struct loop_request *req, int file)
{
	struct loop_config config = {
		.fd = file,
		.block_size = req->block,
		.info = {
			.lo_offset = req->offset,
			.lo_sizelimit = req->bytes,
			.lo_flags = LO_FLAGS_AUTOCLEAR |
				    (req->readonly ? LO_FLAGS_READ_ONLY : 0) |
				    (req->direct ? LO_FLAGS_DIRECT_IO : 0),
		},
	};

	/* what losetup shows if it cannot read sysfs */
	strncpy((char *)config.info.lo_file_name, req->path, LO_NAME_SIZE - 1);
	return config;
}

/* Return: 0, -EBUSY if it was taken meanwhile, or another negative errno. */
static int loop_attach_free(int control, const struct loop_config *config,
			    char **path, int *fd)
{
	int nr = ioctl(control, LOOP_CTL_GET_FREE), r = 0;

	if (nr < 0)
		return -errno;
	*path = xasprintf("/dev/loop%d", nr);
	*fd = open(*path, (config->info.lo_flags & LO_FLAGS_READ_ONLY ?
			   O_RDONLY : O_RDWR) | O_CLOEXEC);
	if (*fd < 0 || ioctl(*fd, LOOP_CONFIGURE, config)) {
		r = -errno;
		cleanup_close(fd);
		*fd = -1;
		cleanup_free(path);
		*path = NULL;
	}
	return r;
}

char *loop_attach(const struct loop_request *req, int *fd)
{
	_cleanup_close_ int control = open("/dev/loop-control", O_RDWR | O_CLOEXEC);
	_cleanup_close_ int file = control < 0 ? -1 :
		open(req->path, (req->readonly ? O_RDONLY : O_RDWR) | O_CLOEXEC);
	struct loop_config config = loop_make_config(req, file);
	char *path = NULL;
	unsigned int i;
	int r = file < 0 ? -errno : -EBUSY;

	*fd = -1;
	for (i = 0; r == -EBUSY && i < ATTEMPTS; i++)
		r = loop_attach_free(control, &config, &path, fd);
	if (!r)
		return path;
	log_err("cannot put a loop device on %s: %s%s", req->path, strerror(-r),
		control < 0 ? " (/dev/loop-control)" : "");
	return NULL;
}
