// SPDX-License-Identifier: GPL-2.0-only
/* Facts about files, which another process collects. */
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/util.h"
#include "system/file-lookup.h"
#include "system/uses.h"

static char file[] = "/tmp/noclone-lookup.XXXXXX";

static int make_file(void **state __unused)
{
	int fd = mkstemp(file);

	return fd < 0 || close(fd);
}

static int remove_file(void **state __unused)
{
	return unlink(file);
}

/* The answer of the other process begins with a byte that is no part of the facts. */
static void path_is_that_of_the_file(void **state __unused)
{
	_cleanup_file_facts_ struct file_facts f = { 0 };
	_cleanup_free_ char *real = realpath(file, NULL);

	assert_int_equal(file_lookup(file, false, &f), 0);
	assert_string_equal(f.path, real);
}

static void a_file_that_does_not_exist(void **state __unused)
{
	_cleanup_file_facts_ struct file_facts f = { 0 };

	assert_int_equal(file_lookup("/tmp/noclone/no/file", false, &f), -ENOENT);
	assert_null(f.path);
}

/* The kernel refuses a lease of a file that is open for writing, and knows it by its path. */
static void only_the_lease_shows_this_process(void **state __unused)
{
	_cleanup_file_facts_ struct file_facts f = { 0 };
	_cleanup_uses_ struct uses uses = { 0 };
	int fd = open(file, O_WRONLY);

	assert_true(fd >= 0);
	assert_int_equal(file_lookup(file, false, &f), 0);
	uses_find_writers(&uses, &f, false);
	close(fd);
	assert_int_equal(uses.nr, 1);
	assert_non_null(strstr(uses.use[0].by, "/proc does not show"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(path_is_that_of_the_file),
		cmocka_unit_test(a_file_that_does_not_exist),
		cmocka_unit_test(only_the_lease_shows_this_process),
	};

	return cmocka_run_group_tests(tests, make_file, remove_file);
}
