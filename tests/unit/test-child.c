// SPDX-License-Identifier: GPL-2.0-only
/* Child processes, and the signals that end them. */
#include "unit.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/child.h"
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

static void child_that_is_missing(void **state __unused)
{
	char *argv[] = { "/no/such/program", NULL };
	_cleanup_child_output_ struct child_output o;

	stop_hold();
	assert_int_equal(child_run(argv, false, &o), -ENOENT);
	stop_release();
}

/* Also one that came before there was a child. */
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

/* An empty word of $PATH is the current folder as well. */
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(child_output_is_kept),
		cmocka_unit_test(child_that_is_missing),
		cmocka_unit_test(child_is_stopped),
		cmocka_unit_test(only_the_folders_of_the_system_count),
	};

	return cmocka_run_group_tests_name("child", tests, NULL, NULL);
}
