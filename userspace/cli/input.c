// SPDX-License-Identifier: GPL-2.0-only
/* Files that the command line names. */
#include "cli/input.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/read.h"

#define INPUT_MAX	(16U << 20)

int input_read(const char *path, char **text)
{
	_cleanup_close_ int fd = -1;
	int r;

	if (!strcmp(path, "-"))
		fd = dup(STDIN_FILENO);
	else
		fd = open(path, O_RDONLY | O_CLOEXEC);
	*text = fd < 0 ? NULL : read_stream(fd, INPUT_MAX);
	if (*text)
		return 0;
	r = -errno;
	log_err("%s: %s", path, strerror(-r));
	return r;
}
