// SPDX-License-Identifier: GPL-2.0-only
/* Programs of others, and their output. */
#include "system/program.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/util.h"

#define FOLDERS_OF_ROOT	"/usr/local/sbin:/usr/sbin:/sbin"

static void child_extend_path(void)
{
	const char *path = getenv("PATH");
	_cleanup_free_ char *longer = NULL;

	if (path && strstr(path, ":" FOLDERS_OF_ROOT))
		return;
	longer = xasprintf("%s:" FOLDERS_OF_ROOT, path ? path : "/usr/bin:/bin");
	setenv("PATH", longer, 1);
}

int program_run(char **argv, bool through, struct child_output *output)
{
	child_extend_path();
	return through ? child_run_through(argv, output) : child_run(argv, output);
}

char *program_output(char **argv)
{
	_cleanup_child_output_ struct child_output output;
	int r;

	stop_hold();
	r = program_run(argv, false, &output);
	stop_release();
	if (r || output.status) {
		log_debug("%s: %s", argv[0], r ? strerror(-r) : output.err);
		return NULL;
	}
	return xstrdup(output.out);
}
