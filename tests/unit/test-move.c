// SPDX-License-Identifier: GPL-2.0-only
/* The effect of a new table on data in use: other sectors, or another file. */
#include "unit.h"

#include <sys/sysmacros.h>

#include "base/util.h"
#include "model/finding.h"
#include "model/move.h"
#include "model/table-text.h"
#include "model/table.h"

/* Return: a table whose noclone-file targets have this inode on 8:1; 0 is an unknown inode. */
static struct table table_on(const char *text, ino_t inode)
{
	_cleanup_findings_ struct findings p = { 0 };
	struct table t = { 0 };
	unsigned int i;

	table_parse(&t, text, &p);
	assert_int_equal(p.nr, 0);
	for (i = 0; inode && i < t.nr; i++)
		if (t.targets[i].path)
			t.targets[i].id = (struct file_id) {
				true, makedev(8, 1), inode
			};
	return t;
}

/* Check the text about the change from one table to the other; NULL if it does no harm. */
static void moves(const char *old, ino_t old_inode, const char *new,
		  ino_t new_inode, const char *expected)
{
	_cleanup_table_ struct table a = table_on(old, old_inode);
	_cleanup_table_ struct table b = table_on(new, new_inode);
	_cleanup_free_ char *words = move_describe(&a, &b);

	if (!expected)
		assert_null(words);
	else if (!words)
		fail_msg("nothing is said of %s", new);
	else
		assert_string_equal(words, expected);
}

#define F	"0 8 noclone-file /f 0"

static void move_of_sectors(void **state __unused)
{
	moves("0 8 linear 8:0 0", 0, "0 8 noclone-linear 8:0 0", 0, NULL);
	moves("0 8 linear 8:0 0", 0, "0 16 linear 8:0 0", 0, NULL);
	moves("0 8 linear 8:0 0", 0, "0 4 linear 8:0 0", 0,
	      "shrinks from 4K to 2K");
	moves("0 8 linear 8:0 0", 0, "0 8 linear 8:0 8", 0,
	      "its sectors move to another place");
	moves("0 8 linear 8:0 0", 0, "0 4 linear 8:0 8", 0,
	      "shrinks from 4K to 2K, and its sectors move to another place");
	moves(F, 0, "0 8 linear 8:0 0", 0, "its sectors move to another place");
}

static void move_to_another_inode(void **state __unused)
{
	moves(F, 12, F, 12, NULL);
	moves(F, 12, "0 16 noclone-file /f 0 2 engine extent", 12, NULL);
	moves(F, 12, F, 14, "/f leads to another file now");
	moves(F, 12, "0 4 noclone-file /f 0", 14, "shrinks from 4K to 2K, and "
	      "/f leads to another file now");
	moves("0 8 noclone-file /a%20b 0", 12, "0 8 noclone-file /a%20b 0", 14,
	      "/a%20b leads to another file now");
	moves("0 8 linear 8:0 0\n8 8 noclone-file /f 0", 12,
	      "0 8 linear 8:0 0\n8 8 noclone-file /f 0", 14,
	      "/f leads to another file now");
}

static void move_to_another_file_system(void **state __unused)
{
	_cleanup_table_ struct table a = table_on(F, 12), b = table_on(F, 12);
	_cleanup_free_ char *words = NULL;

	b.targets[0].id.filesystem = makedev(8, 2);
	words = move_describe(&a, &b);
	assert_string_equal(words, "/f leads to another file now");
}

static void move_to_a_file_to_be_made(void **state __unused)
{
	_cleanup_table_ struct table a = table_on(F, 12), b = table_on(F, 1);
	_cleanup_free_ char *words = NULL;

	b.targets[0].id.inode = 0;
	words = move_other_file(&a, &b);
	assert_string_equal(words, "/f will be a new file");
}

/* The table names the same file by its new name. */
static void move_of_a_name_only(void **state __unused)
{
	moves(F, 12, "0 8 noclone-file /g 0", 12, NULL);
	moves(F, 12, "0 8 noclone-file /g 8", 12,
	      "its sectors move to another place");
	moves(F, 12, "0 8 noclone-file /g 0", 14,
	      "its sectors move to another place");
}

/* An older module does not report the inode. */
static void move_of_unknown_files(void **state __unused)
{
	moves(F, 0, F, 14, NULL);
	moves(F, 12, F, 0, NULL);
	moves(F, 0, "0 8 noclone-file /g 0", 14,
	      "its sectors move to another place");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(move_of_sectors),
		cmocka_unit_test(move_to_another_inode),
		cmocka_unit_test(move_to_another_file_system),
		cmocka_unit_test(move_to_a_file_to_be_made),
		cmocka_unit_test(move_of_a_name_only),
		cmocka_unit_test(move_of_unknown_files),
	};

	return cmocka_run_group_tests_name("move", tests, NULL, NULL);
}
