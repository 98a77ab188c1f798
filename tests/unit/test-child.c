// SPDX-License-Identifier: GPL-2.0-only
/* Child processes, and the signals that end them. */
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/child.h"
#include "base/stop.h"
#include "base/util.h"

static void child_output_is_kept(void **state __unused)
{
	char *argv[] = { "sh", "-c", "echo out; echo err >&2; exit 3", NULL };
	_cleanup_child_output_ struct child_output o;

	stop_hold();
	assert_int_equal(child_run(argv, false, &o), 0);
	stop_release();
	assert_string_equal(o.out, "out\n");
	assert_string_equal(o.err, "err\n");
	assert_int_equal(WEXITSTATUS(o.status), 3);
}

/* The programs of lvm2 print a warning for each file descriptor that they inherit. */
static void child_inherits_no_other_file(void **state __unused)
{
	char *argv[] = { "sh", "-c", "for n in 3 4 5 6 7 8 9; do [ ! -e /proc/$$/fd/$n ] || echo $n; done", NULL };
	_cleanup_child_output_ struct child_output o;
	int fd = open("/dev/null", O_RDONLY);

	assert_in_range(fd, STDERR_FILENO + 1, 9);
	stop_hold();
	assert_int_equal(child_run(argv, false, &o), 0);
	stop_release();
	close(fd);
	assert_string_equal(o.out, "");
}

static void child_that_is_missing(void **state __unused)
{
	char *argv[] = { "/no/such/program", NULL };
	_cleanup_child_output_ struct child_output o;

	stop_hold();
	assert_int_equal(child_run(argv, false, &o), -ENOENT);
	stop_release();
}

/* A signal that came before there was a child stops the child as well. */
static void child_is_stopped(void **state __unused)
{
	char *argv[] = { "sleep", "60", NULL };
	_cleanup_child_output_ struct child_output o;

	stop_hold();
	assert_false(stop_requested());
	raise(SIGTERM);
	assert_int_equal(child_run(argv, false, &o), -EINTR);
	assert_int_equal(WTERMSIG(o.status), SIGTERM);
	assert_true(stop_requested());
	raise(SIGINT);
	stop_release();
}

/*
 * Return: the status of a process that reads the output of a program, and gets a signal meanwhile.
 * @script: the program, a script of sh; @blocks: the process has blocked the signal
 */
static int status_after_signal(const char *script, bool blocks)
{
	char *argv[] = { "sh", "-c", (char *)script, NULL };
	pid_t pid = fork();
	sigset_t old;
	int status;

	if (!pid) {
		if (blocks)
			stop_block(&old);
		free(child_read(argv, NULL));
		_exit(stop_is_pending() ? 2 : 3);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return status;
}

/* A signal is not lost if it arrives while a program reads, or just before the program ends. */
static void reading_loses_no_signal(void **state __unused)
{
	static const char * const scripts[] = {
		"kill -TERM $PPID", "kill -TERM $PPID; exec sleep 60",
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(scripts); i++) {
		int status = status_after_signal(scripts[i], false);

		assert_true(WIFSIGNALED(status));
		assert_int_equal(WTERMSIG(status), SIGTERM);
		assert_int_equal(WEXITSTATUS(status_after_signal(scripts[i], true)), 2);
	}
	assert_int_equal(WEXITSTATUS(status_after_signal("exit 0", false)), 3);
}

/* An empty word of $PATH also means the current folder. */
static void only_the_folders_of_the_system_count(void **state __unused)
{
	static const char * const paths[] = { "", ".", ":/usr/bin", "/usr/bin:", "%s", "%s:/usr/bin" };
	char folder[] = "/tmp/noclone-child-XXXXXX", *argv[] = { "noclone-stand-in", NULL };
	size_t i;
	FILE *f;

	assert_non_null(mkdtemp(folder));
	assert_int_equal(chdir(folder), 0);
	f = fopen(argv[0], "w");
	assert_non_null(f);
	fputs("#!/bin/sh\n", f);
	fclose(f);
	chmod(argv[0], 0755);
	for (i = 0; i < ARRAY_SIZE(paths); i++) {
		_cleanup_child_output_ struct child_output o;
		const char *s = strstr(paths[i], "%s");
		_cleanup_free_ char *path = xasprintf("%s%s", s ? folder : paths[i], s ? s + 2 : "");

		setenv("PATH", path, 1);
		stop_hold();
		assert_int_equal(child_run(argv, false, &o), -ENOENT);
		stop_release();
	}
	unlink(argv[0]);
	assert_int_equal(chdir("/"), 0);
	rmdir(folder);
}

/* Check in a child: a closed descriptor leads to /dev/null, and an open one stays. */
static int standard_files_of(unsigned int closed)
{
	static const int access_of_null[] = { O_WRONLY, O_RDONLY, O_RDONLY };
	int fd, next;

	next = open("/dev/zero", O_RDWR | O_CLOEXEC);
	for (fd = 0; fd <= STDERR_FILENO; fd++)
		if (dup2(next, fd) != fd)
			return 1;
	for (fd = 0; fd <= STDERR_FILENO; fd++)
		if (closed & 1U << fd)
			close(fd);
	if (open_standard_files())
		return 2;
	for (fd = 0; fd <= STDERR_FILENO; fd++) {
		int wanted = closed & 1U << fd ? access_of_null[fd] : O_RDWR;

		/* a program that the tool starts inherits the descriptor */
		if ((fcntl(fd, F_GETFL) & O_ACCMODE) != wanted || fcntl(fd, F_GETFD))
			return 3;
	}
	next = open("/dev/zero", O_RDONLY);
	return next > STDERR_FILENO ? 0 : 4;
}

static void closed_descriptors_lead_to_null(void **state __unused)
{
	unsigned int closed;

	for (closed = 0; closed < 8; closed++) {
		pid_t pid = fork();
		int status;

		if (!pid)
			_exit(standard_files_of(closed));
		assert_int_equal(waitpid(pid, &status, 0), pid);
		assert_true(WIFEXITED(status));
		assert_int_equal(WEXITSTATUS(status), 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(child_output_is_kept),
		cmocka_unit_test(child_inherits_no_other_file),
		cmocka_unit_test(child_that_is_missing),
		cmocka_unit_test(child_is_stopped),
		cmocka_unit_test(reading_loses_no_signal),
		cmocka_unit_test(only_the_folders_of_the_system_count),
		cmocka_unit_test(closed_descriptors_lead_to_null),
	};

	return cmocka_run_group_tests_name("child", tests, NULL, NULL);
}
