// SPDX-License-Identifier: GPL-2.0-only
/* Child processes, and the signals that end them. */
#include "unit.h"

#include <errno.h>
#include <signal.h>
#include <sys/wait.h>

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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(child_output_is_kept),
		cmocka_unit_test(child_that_is_missing),
		cmocka_unit_test(child_is_stopped),
	};

	return cmocka_run_group_tests_name("child", tests, NULL, NULL);
}
