// SPDX-License-Identifier: GPL-2.0-only
/* Files that are replaced in one step. */
#include "unit.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/util.h"
#include "system/replace.h"

static char folder[] = "/tmp/noclone-replace.XXXXXX";

static int make_folder(void **state __unused)
{
	return !mkdtemp(folder);
}

static int remove_folder(void **state __unused)
{
	return rmdir(folder);
}

static void has(const char *path, const char *expected, mode_t mode)
{
	_cleanup_free_ char *text = read_text_file(path, 100);
	struct stat st;

	assert_string_equal(text, expected);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 07777, mode);
}

/* A hidden file stays hidden. */
static void mode_stays(void **state __unused)
{
	_cleanup_free_ char *path = xasprintf("%s/file", folder);

	assert_int_equal(replace_file(path, "a\n"), 0);
	has(path, "a\n", 0644);
	assert_int_equal(chmod(path, 0600), 0);
	assert_int_equal(replace_file(path, "b\n"), 0);
	has(path, "b\n", 0600);
	assert_int_equal(unlink(path), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(mode_stays) };

	return cmocka_run_group_tests_name("replace-file", tests, make_folder, remove_folder);
}
