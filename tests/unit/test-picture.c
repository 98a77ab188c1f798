// SPDX-License-Identifier: GPL-2.0-only
/* The drawings of noclone explain. */
#include "unit.h"

#include "base/util.h"
#include "model/finding.h"
#include "model/picture.h"
#include "model/table-text.h"
#include "model/table.h"

static void draws(const char *line, const char *words, const char *drawing)
{
	_cleanup_findings_ struct findings findings = { 0 };
	_cleanup_free_ char *got = NULL, *said = NULL;
	_cleanup_table_ struct table t = { 0 };

	table_parse(&t, line, &findings);
	got = picture_draw(&t.targets[0]);
	said = picture_words(&t.targets[0]);
	assert_string_equal(got, drawing);
	assert_non_null(strstr(said, words));
}

static void picture_linear(void **state __unused)
{
	draws("0 131072 noclone-linear /dev/ram0 8", "/dev/ram0 from sector 8 on",
	      "  +--------------+\n"
	      "  | ram0         |\n"
	      "  +--------------+\n"
	      "  | 0..64M       |\n"
	      "  +--------------+\n");
}

static void picture_striped(void **state __unused)
{
	draws("0 262144 noclone-striped 2 128 /dev/ram0 0 /dev/ram1 0",
	      "in chunks of 64K over 2 devices in turn, 64M on each device",
	      "  +------------------+------------------+\n"
	      "  | ram0             | ram1             |\n"
	      "  +------------------+------------------+\n"
	      "  | 0..64K           | 64K..128K        |\n"
	      "  | 128K..192K       | 192K..256K       |\n"
	      "  | ...              | ...              |\n"
	      "  | 130944K..131008K | 131008K..128M    |\n"
	      "  +------------------+------------------+\n");
}

static void picture_of_two_rows(void **state __unused)
{
	draws("0 512 noclone-striped 2 128 a 0 b 0", "64K",
	      "  +--------------+--------------+\n"
	      "  | a            | b            |\n"
	      "  +--------------+--------------+\n"
	      "  | 0..64K       | 64K..128K    |\n"
	      "  | 128K..192K   | 192K..256K   |\n"
	      "  +--------------+--------------+\n");
}

static void picture_leaves_out_the_middle(void **state __unused)
{
	_cleanup_findings_ struct findings findings = { 0 };
	_cleanup_table_ struct table t = { 0 };
	_cleanup_free_ char *got = NULL;

	table_parse(&t, "0 72 noclone-striped 9 8 a 0 b 0 c 0 d 0 e 0 f 0 g 0 h 0 i 0",
		    &findings);
	got = picture_draw(&t.targets[0]);
	assert_non_null(strstr(got, "| d            | ...          | i            |"));
	assert_non_null(strstr(got, "| 32K..36K     |\n"));
}

static void picture_of_a_file(void **state __unused)
{
	draws("0 131072 noclone-file /srv/a%20b.img 8 2 engine extent",
	      "file /srv/a%20b.img from sector 8 on, engine extent: the file is pinned",
	      "  +--------------+\n"
	      "  | a%20b.img    |\n"
	      "  +--------------+\n"
	      "  | 0..64M       |\n"
	      "  +--------------+\n");
}

static void picture_of_other_targets(void **state __unused)
{
	draws("0 8 crypt a b c", "target crypt with arguments \"<hidden>\"", "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(picture_linear),
		cmocka_unit_test(picture_striped),
		cmocka_unit_test(picture_of_two_rows),
		cmocka_unit_test(picture_leaves_out_the_middle),
		cmocka_unit_test(picture_of_a_file),
		cmocka_unit_test(picture_of_other_targets),
	};

	return cmocka_run_group_tests_name("picture", tests, NULL, NULL);
}
