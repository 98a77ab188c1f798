// SPDX-License-Identifier: GPL-2.0-only
/*
 * While a task waits for a suspended device, or for a disk that does not answer, signals cannot
 * always kill the task. So the command never waits for a device itself: it starts a process that
 * asks the device, and reads the answer from a pipe.
 *
 * If no answer comes, the command leaves this process behind: the process is not killed, and
 * outlives the command. The process may have locked pages of the device, and the last close of the
 * device waits for these pages. So the process keeps the device open: then the removal of a mapped
 * device above does not do the last close, which would hang.
 */
#include "base/ask.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/log.h"
#include "base/stop.h"
#include "base/util.h"

/*
 * ASK_SECONDS: the number of seconds that a command waits for all answers that do not come, taken
 * together; ASK_LEAST: the least number of seconds that it waits for each answer. A spinning disk
 * with a long queue answers within seconds, and the kernel repeats a request that a disk has not
 * answered within 30 s. systemd ends a unit of a saved device that needs more than 90 s to start.
 */
#ifndef ASK_SECONDS
#define ASK_SECONDS	60
#define ASK_LEAST	5
#endif
/* After ASK_NOTE seconds, a message tells the user why the command waits. */
#define ASK_NOTE	5
#define ASK_SLICE_MS	100

void ask_free_answer(struct answer *a)
{
	free(a->text);
	memset(a, 0, sizeof(*a));
}

static double ask_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

/*
 * Close all inherited files except @out. One of them may be the write end of another pipe, and the
 * reader of a pipe gets no end of file as long as any process has the write end open.
 */
static void ask_close_files(int *out)
{
	int null = open("/dev/null", O_RDWR), fd;

	*out = fcntl(*out, F_DUPFD, STDERR_FILENO + 1);
	for (fd = 0; fd <= STDERR_FILENO; fd++)
		dup2(null, fd);
	if (*out > STDERR_FILENO + 1)
		close_range(STDERR_FILENO + 1, *out - 1, 0);
	close_range(*out + 1, ~0U, 0);
}

static void ask_run(ask_function function, void *data, int out)
{
	sigset_t none;

	/* ^C ends the command, but not this process */
	setpgid(0, 0);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	ask_close_files(&out);
	function(out, data);
	_exit(0);
}

/* Read a part of the answer from the pipe. Return: true if the answer is complete. */
static bool ask_take(int fd, struct strbuf *b)
{
	char bytes[4096];
	ssize_t n = TEMP_FAILURE_RETRY(read(fd, bytes, sizeof(bytes)));

	if (n > 0)
		strbuf_append(b, bytes, n);
	return n <= 0;
}

static int ask_wait(int fd, pid_t pid, const char *what, double seconds, struct strbuf *b)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	double start = ask_now(), waited;
	bool said = false;

	for (;;) {
		/* an answer in the pipe counts even if a signal arrived before the answer */
		if (poll(&p, 1, ASK_SLICE_MS) > 0) {
			if (ask_take(fd, b))
				return 0;
			continue;
		}
		if (stop_is_pending())
			return -EINTR;
		waited = ask_now() - start;
		if (waited >= seconds)
			return -ETIMEDOUT;
		if (!said && waited >= ASK_NOTE && seconds > ASK_NOTE)
			log_note("%s does not answer yet: process %d waits for the answer, and this command waits %.0f seconds more",
				 what, pid, seconds - waited);
		said |= waited >= ASK_NOTE;
	}
}

/*
 * The devices and files that did not answer in time. ask() does not ask such a device or file
 * again, but returns the @answer that it has stored here.
 */
static struct silent {
	char *what;
	struct answer answer;
} *silent;
static unsigned int nr_silent;

static bool ask_is_silent(const char *what, struct answer *a)
{
	unsigned int i;

	for (i = 0; i < nr_silent; i++)
		if (!strcmp(silent[i].what, what)) {
			*a = silent[i].answer;
			return true;
		}
	return false;
}

static void ask_remember(const char *what, const struct answer *a)
{
	GROW(silent, nr_silent);
	silent[nr_silent++] = (struct silent) {
		.what = xstrdup(what), .answer = { .left = a->left, .seconds = a->seconds },
	};
}

/* Wait for the end of the process. Return: 0, or -EIO if its answer may be incomplete. */
static int ask_reap(pid_t pid)
{
	int status;

	if (TEMP_FAILURE_RETRY(waitpid(pid, &status, 0)) < 0)
		return -EIO;
	return WIFEXITED(status) && !WEXITSTATUS(status) ? 0 : -EIO;
}

static int ask_collect(int fd, pid_t pid, const char *what, struct answer *a)
{
	static double all;
	double seconds = MAX(ASK_SECONDS - all, ASK_LEAST), start = ask_now();
	struct strbuf b = { 0 };
	int r = ask_wait(fd, pid, what, seconds, &b);

	if (r)
		a->left = pid;
	else
		r = ask_reap(pid);
	a->seconds = seconds;
	a->length = b.len;
	a->text = strbuf_take(&b);
	if (r == -ETIMEDOUT) {
		all += ask_now() - start;
		ask_remember(what, a);
	}
	return r;
}

int ask(ask_function function, void *data, const char *what, struct answer *a)
{
	int fd[2], r;
	pid_t pid;

	memset(a, 0, sizeof(*a));
	if (ask_is_silent(what, a))
		return -ETIMEDOUT;
	if (pipe2(fd, O_CLOEXEC))
		return -errno;
	pid = fork();
	r = -errno;
	if (!pid)
		ask_run(function, data, fd[1]);
	close(fd[1]);
	if (pid > 0)
		r = ask_collect(fd[0], pid, what, a);
	close(fd[0]);
	return r;
}
