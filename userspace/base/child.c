// SPDX-License-Identifier: GPL-2.0-only
/* Child processes. */
#include "base/child.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/log.h"
#include "base/stop.h"
#include "base/util.h"

/*
 * CHILD_FOLDERS replaces the $PATH of the user, which may contain the current folder, or a folder
 * that other users can write to.
 */
#define CHILD_FOLDERS	"/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
#define OUTPUT_MAX	(16U << 20)
#define KILL_AFTER_S	2

/*
 * Start a program in its own process group. ^C then reaches only this process, and this process
 * ends the program.
 */
static int child_spawn(char **argv, int out, int err, pid_t *pid)
{
	posix_spawn_file_actions_t files;
	posix_spawnattr_t attributes;
	int r;

	posix_spawn_file_actions_init(&files);
	posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null",
					 O_RDONLY, 0);
	posix_spawn_file_actions_adddup2(&files, out, STDOUT_FILENO);
	posix_spawn_file_actions_adddup2(&files, err, STDERR_FILENO);
	/* libdevmapper opens its control node without O_CLOEXEC */
	posix_spawn_file_actions_addclosefrom_np(&files, STDERR_FILENO + 1);
	posix_spawnattr_init(&attributes);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP |
				 POSIX_SPAWN_SETSIGMASK);
	posix_spawnattr_setpgroup(&attributes, 0);
	posix_spawnattr_setsigmask(&attributes, stop_mask());
	r = posix_spawnp(pid, argv[0], &files, &attributes, argv, environ);
	posix_spawnattr_destroy(&attributes);
	posix_spawn_file_actions_destroy(&files);
	return -r;
}

/*
 * Wait for the child. If a signal of stop_hold() arrives, send SIGTERM to the child. If the child
 * still runs after KILL_AFTER_S seconds, or when the next signal arrives, send SIGKILL.
 */
static int child_wait_for(pid_t pid, int *status)
{
	bool terminated = false;

	while (!waitpid(pid, status, WNOHANG)) {
		stop_wait(KILL_AFTER_S);
		if (!stop_seen())
			continue;
		kill(pid, terminated ? SIGKILL : SIGTERM);
		terminated = true;
	}
	return stop_seen() ? -EINTR : 0;
}

static char *child_read_back(int fd, size_t *length)
{
	char *text = lseek(fd, 0, SEEK_SET) ? NULL : read_bytes(fd, OUTPUT_MAX, length);

	return text ? text : xstrdup("");
}

void child_set_folders(void)
{
	setenv("PATH", CHILD_FOLDERS, 1);
}

int child_run(char **argv, bool through, struct child_output *output)
{
	_cleanup_close_ int out = memfd_create("stdout", MFD_CLOEXEC);
	_cleanup_close_ int err = memfd_create("stderr", MFD_CLOEXEC);
	pid_t pid;
	int r;

	memset(output, 0, sizeof(*output));
	if (out < 0 || err < 0)
		return -errno;
	child_set_folders();
	r = child_spawn(argv, out, err, &pid);
	if (r)
		return r;
	if (!through)
		r = child_wait_for(pid, &output->status);
	else if (TEMP_FAILURE_RETRY(waitpid(pid, &output->status, 0)) < 0)
		r = -errno;
	output->out = child_read_back(out, &output->length);
	output->err = child_read_back(err, NULL);
	return r;
}

char *child_read(char **argv, size_t *length)
{
	_cleanup_child_output_ struct child_output output = { 0 };
	char *out;
	int r;

	stop_hold();
	r = child_run(argv, false, &output);
	stop_deliver();
	if (r || output.status) {
		log_verbose("%s: %s", argv[0], r ? strerror(-r) : output.err);
		return NULL;
	}
	if (length)
		*length = output.length;
	out = output.out;
	output.out = NULL;
	return out;
}

void child_output_free(struct child_output *output)
{
	free(output->out);
	free(output->err);
	memset(output, 0, sizeof(*output));
}
