// SPDX-License-Identifier: GPL-2.0-only
/*
 * The signals are blocked and fetched with sigtimedwait(): a handler would leave
 * a window between testing its flag and waiting for the child.
 */
#include "base/child.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/util.h"

/* Not those of $PATH, which may have the current folder, or one that others write to. */
#define CHILD_FOLDERS	"/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
#define OUTPUT_MAX	(16U << 20)
#define KILL_AFTER_S	2

static const int stop_signals[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE };

static sigset_t held, before;
static bool stopped;

static bool child_is_ignored(int number)
{
	struct sigaction action;

	return !sigaction(number, NULL, &action) &&
	       action.sa_handler == SIG_IGN;
}

void stop_hold(void)
{
	size_t i;

	stopped = false;
	sigemptyset(&held);
	for (i = 0; i < ARRAY_SIZE(stop_signals); i++)
		if (!child_is_ignored(stop_signals[i]))
			sigaddset(&held, stop_signals[i]);
	sigaddset(&held, SIGCHLD);
	sigprocmask(SIG_BLOCK, &held, &before);
}

/* Wait for one of the held signals.  Return: was there one? */
static bool child_fetch_signal(time_t seconds)
{
	const struct timespec patience = { .tv_sec = seconds };
	int number = sigtimedwait(&held, NULL, &patience);

	if (number > 0 && number != SIGCHLD)
		stopped = true;
	return number > 0;
}

bool stop_requested(void)
{
	while (child_fetch_signal(0))
		;
	return stopped;
}

void stop_release(void)
{
	/* signals that arrived during the clean-up are obsolete: the program is stopping */
	stop_requested();
	sigprocmask(SIG_SETMASK, &before, NULL);
}

void signals_block(sigset_t *old)
{
	sigset_t set;
	size_t i;

	sigemptyset(&set);
	for (i = 0; i < ARRAY_SIZE(stop_signals); i++)
		sigaddset(&set, stop_signals[i]);
	sigprocmask(SIG_BLOCK, &set, old);
}

void signals_unblock(const sigset_t *old)
{
	/* to ignore a signal discards one that waits */
	if (!sigismember(old, SIGPIPE))
		signal(SIGPIPE, signal(SIGPIPE, SIG_IGN));
	sigprocmask(SIG_SETMASK, old, NULL);
}

bool signals_ask_to_end(void)
{
	sigset_t waiting;
	size_t i;

	sigpending(&waiting);
	for (i = 0; i < ARRAY_SIZE(stop_signals); i++)
		if (stop_signals[i] != SIGPIPE && sigismember(&waiting, stop_signals[i]) &&
		    !child_is_ignored(stop_signals[i]))
			return true;
	return false;
}

/* In a process group of its own: ^C comes to us, and we end the child. */
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
	posix_spawnattr_init(&attributes);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP |
				 POSIX_SPAWN_SETSIGMASK);
	posix_spawnattr_setpgroup(&attributes, 0);
	posix_spawnattr_setsigmask(&attributes, &before);
	r = posix_spawnp(pid, argv[0], &files, &attributes, argv, environ);
	posix_spawnattr_destroy(&attributes);
	posix_spawn_file_actions_destroy(&files);
	return -r;
}

/* When a stop is requested: SIGTERM, and SIGKILL if it still runs later. */
static int child_wait_for(pid_t pid, int *status)
{
	bool terminated = false;

	while (!waitpid(pid, status, WNOHANG)) {
		child_fetch_signal(KILL_AFTER_S);
		if (!stopped)
			continue;
		kill(pid, terminated ? SIGKILL : SIGTERM);
		terminated = true;
	}
	return stopped ? -EINTR : 0;
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
	_cleanup_child_output_ struct child_output output;
	char *out;
	int r;

	stop_hold();
	r = child_run(argv, false, &output);
	stop_release();
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
