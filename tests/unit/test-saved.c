// SPDX-License-Identifier: GPL-2.0-only
/* Saved devices: their files, what is accepted of their legs, and their units. */
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "model/boot-unit.h"
#include "model/problems.h"
#include "model/saved.h"
#include "model/table-parse.h"

static const char file[] =
	"# my data\n"
	"# noclone: uuid NOCLONE-1\n"
	"#noclone: readonly\n"
	"0 16 noclone-striped 2 8 /dev/a 0 /dev/b 8 # a comment\n"
	"  # noclone: signature /dev/b 8 swap 12-34\n"
	"16 8 noclone-linear /dev/c 0\n"
	"# noclone: signature /dev/a 0 dos\n";

static void read_file(struct saved *s, const char *text, unsigned int problems)
{
	_cleanup_problems_ struct problems p = { 0 };

	saved_parse(s, text, &p);
	assert_int_equal(p.nr, problems);
}

static void keywords_are_comments_of_the_table(void **state __unused)
{
	_cleanup_saved_ struct saved s = { 0 };

	read_file(&s, file, 0);
	assert_int_equal(s.table.nr, 2);
	assert_string_equal(s.uuid, "NOCLONE-1");
	assert_true(s.readonly);
	assert_int_equal(s.nr, 2);
	assert_string_equal(s.signature[0].device, "/dev/b");
	assert_int_equal(s.signature[0].start, 8);
	assert_string_equal(s.signature[0].text, "swap 12-34");
	assert_string_equal(s.signature[1].text, "dos");
}

/* An older tool took any UUID, and the file has what libdevmapper has encoded since. */
static void an_old_uuid_is_that_of_the_kernel(void **state __unused)
{
	_cleanup_saved_ struct saved s = { 0 }, encoded = { 0 };

	read_file(&s, "# noclone: uuid NOCLONE-{550e}\n0 8 noclone-linear 8:0 0\n", 0);
	assert_string_equal(s.uuid, "NOCLONE-\\x7b550e\\x7d");
	assert_true(saved_is_device(&s, "NOCLONE-\\x7b550e\\x7d"));
	read_file(&encoded, "# noclone: uuid NOCLONE-\\x7b1\n0 8 noclone-linear 8:0 0\n", 0);
	assert_string_equal(encoded.uuid, "NOCLONE-\\x7b1");
}

static void what_is_printed_is_read(void **state __unused)
{
	_cleanup_saved_ struct saved s = { 0 }, again = { 0 };
	_cleanup_free_ char *text = NULL, *twice = NULL;

	read_file(&s, file, 0);
	text = saved_print(&s, "x");
	read_file(&again, text, 0);
	twice = saved_print(&again, "x");
	assert_string_equal(text, twice);
	assert_non_null(strstr(text, "# noclone: readonly\n"));
	assert_non_null(strstr(text, "\n0 16 noclone-striped 2 8 /dev/a 0 /dev/b 8\n"));
}

static void other_keywords_are_reported(void **state __unused)
{
	static const char * const bad[] = {
		"# noclone: readonli", "# noclone:", "# noclone: readonly now",
		"# noclone: uuid", "# noclone: uuid a b", "# noclone: signature /dev/a 0",
		"# noclone: signature /dev/a x ext4 1", "# noclone: signature /dev/a 0 ext4 1 2",
		"# noclone: readonly yes", "8 8 noclone-linear /dev/a 8 # noclone: readonly",
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		_cleanup_free_ char *text = xasprintf("0 8 noclone-linear /dev/a 0\n%s\n", bad[i]);
		_cleanup_saved_ struct saved s = { 0 };
		_cleanup_problems_ struct problems p = { 0 };

		saved_parse(&s, text, &p);
		assert_int_equal(p.nr, 1);
		assert_int_equal(p.problem[0].line, 2);
		assert_int_equal(p.problem[0].severity, PROBLEM_ERROR);
		assert_int_equal(s.nr, 0);
		assert_null(s.uuid);
		assert_false(s.readonly);
	}
}

static void a_file_without_its_end_is_refused(void **state __unused)
{
	_cleanup_saved_ struct saved s = { 0 }, whole = { 0 };

	_cleanup_problems_ struct problems p = { 0 };

	saved_parse(&s, "0 8 noclone-linear /dev/a 0\n8 8 noclone-linear /dev/b 1", &p);
	assert_int_equal(p.nr, 1);
	assert_int_equal(p.problem[0].line, 2);
	read_file(&whole, "0 8 noclone-linear /dev/a 0\n8 8 noclone-linear /dev/b 1\n", 0);
}

static void readable(const char *table, const char *uuid, bool expected)
{
	_cleanup_problems_ struct problems p = { 0 };
	_cleanup_saved_ struct saved s = { 0 };
	_cleanup_free_ char *text = NULL;
	struct target *t;

	table_parse(&s.table, table, &p);
	t = &s.table.targets[0];
	if (t->nr_legs) {
		free(t->legs[0].device);
		t->legs[0].device = xstrdup(strchr(table, '/') ? "/dev/disk/by-id/a#b" : "/dev/a");
	}
	s.uuid = xstrdup(uuid);
	text = saved_print(&s, "x");
	assert_int_equal(saved_is_readable(text, "x"), expected);
}

/* udev's links and names of devices may have "#". */
static void what_cannot_be_read_again_is_noticed(void **state __unused)
{
	readable("0 8 noclone-linear 8:0 0\n", "NOCLONE-1", true);
	readable("0 8 noclone-linear /dev/a 0\n", "NOCLONE-1", false);
	readable("0 8 noclone-linear 8:0 0\n", "NOCLONE-a b", false);
	readable("0 8 noclone-linear 8:0 0\n", "NOCLONE-a#b", true);
	readable("0 8 noclone-file /a%20%23b 0\n", "NOCLONE-1", true);
}

static void is_device(const char *saved, const char *uuid, bool expected)
{
	const struct saved s = { .uuid = (char *)saved };

	assert_int_equal(saved_is_device(&s, uuid), expected);
}

static void devices_are_known_by_their_uuid(void **state __unused)
{
	is_device("NOCLONE-1", "NOCLONE-1", true);
	is_device("NOCLONE-1", "NOCLONE-2", false);
	/* written by hand; the prefix is added when it is activated */
	is_device("1", "NOCLONE-1", true);
	is_device("1", "NOCLONE-12", false);
	is_device("1", "", false);
	is_device("CRYPT-1", "CRYPT-1", true);
	is_device("CRYPT-1", "NOCLONE-CRYPT-1", true);
	is_device("CRYPT-1", "CRYPT-2", false);
	/* none: by noclone at least */
	is_device(NULL, "NOCLONE-1", true);
	is_device(NULL, "LVM-1", false);
	is_device(NULL, "", false);
}

static void signatures_are_replaced_and_the_rest_stays(void **state __unused)
{
	_cleanup_saved_ struct saved s = { 0 };
	_cleanup_free_ char *text = NULL;
	_cleanup_free_ char *outdated = saved_with_outdated(file);
	_cleanup_saved_ struct saved old = { 0 };

	read_file(&s, "0 8 noclone-linear /dev/c 0\n8 8 noclone-linear /dev/c 8\n", 0);
	saved_add_signature(&s, &s.table.targets[0], 0, "xfs 1");
	saved_add_signature(&s, &s.table.targets[1], 0, SIGNATURE_NONE);
	read_file(&old, outdated, 0);
	assert_int_equal(old.outdated, 8);
	text = saved_with_signatures(&s, outdated);
	assert_string_equal(text,
		"# my data\n"
		"# noclone: uuid NOCLONE-1\n"
		"#noclone: readonly\n"
		"0 16 noclone-striped 2 8 /dev/a 0 /dev/b 8 # a comment\n"
		"16 8 noclone-linear /dev/c 0\n"
		"# noclone: signature /dev/c 0 xfs 1\n");
}

static void refuses(const struct saved *s, unsigned int target, unsigned int leg,
		    const char *found, const char *expected)
{
	const struct target *t = &s->table.targets[target];
	_cleanup_free_ char *why = saved_refusal(s, t, leg, found);

	if (!expected) {
		assert_null(why);
		return;
	}
	assert_non_null(why);
	assert_non_null(strstr(why, expected));
}

static void another_signature_is_refused(void **state __unused)
{
	_cleanup_saved_ struct saved s = { 0 };

	read_file(&s, file, 0);
	refuses(&s, 0, 0, "dos", NULL);
	refuses(&s, 0, 0, "dos 1", "/dev/a has the signature \"dos 1\", but \"dos\" was saved");
	refuses(&s, 0, 0, "none", "\"none\", but \"dos\"");
	refuses(&s, 0, 1, "swap 12-34", NULL);
	refuses(&s, 0, 1, "swap 12-35", "\"swap 12-35\"");
	refuses(&s, 1, 0, "none", NULL);
	refuses(&s, 1, 0, "ext4 1", "\"ext4 1\", but \"none\" was saved");
}

static void the_first_leg_may_have_got_one(void **state __unused)
{
	_cleanup_saved_ struct saved s = { 0 };

	read_file(&s, "0 16 noclone-striped 2 8 /dev/a 0 /dev/b 0\n"
		  "16 8 noclone-linear /dev/a 8\n", 0);
	refuses(&s, 0, 0, "ext4 1", NULL);
	refuses(&s, 0, 1, "ext4 1", "/dev/b");
	refuses(&s, 1, 0, "ext4 1", "/dev/a");
}

static void outdated_is_said_once(void **state __unused)
{
	_cleanup_free_ char *once = saved_with_outdated(file), *twice = saved_with_outdated(once);

	assert_string_equal(once, twice);
	assert_true(str_starts(once, file));
}

/* Behind a comment without its end it would be a part of that. */
static void outdated_has_a_line_of_its_own(void **state __unused)
{
	_cleanup_free_ char *text = saved_with_outdated("0 8 noclone-linear /dev/a 0\n# my disk");
	_cleanup_saved_ struct saved s = { 0 };

	assert_string_equal(text, "0 8 noclone-linear /dev/a 0\n# my disk\n# noclone: outdated\n");
	read_file(&s, text, 0);
	assert_int_equal(s.outdated, 3);
}

static void comments_stay(void **state __unused)
{
	_cleanup_free_ char *text = NULL, *again = NULL;
	_cleanup_saved_ struct saved s = { 0 };

	read_file(&s, "0 8 noclone-linear /dev/c 0\n", 0);
	s.uuid = xstrdup("NOCLONE-2");
	text = saved_print(&s, "x");
	again = saved_with_comments(text,
		"# The device x, see noclone-tables(5): noclone activate, also at boot.\n"
		"# my disk\n"
		"# The device of my neighbour\n"
		"# noclone: outdated\n"
		"0 16 noclone-linear /dev/c 0 # no line of its own\n"
		" #and its cellar");
	assert_string_equal(again,
		"# The device x, see noclone-tables(5): noclone activate, also at boot.\n"
		"# my disk\n"
		"# The device of my neighbour\n"
		" #and its cellar\n"
		"# noclone: uuid NOCLONE-2\n"
		"0 8 noclone-linear /dev/c 0\n");
}

static void a_backing_file_has_a_signature(void **state __unused)
{
	_cleanup_saved_ struct saved s = { 0 }, again = { 0 };
	_cleanup_free_ char *text = NULL;

	read_file(&s, "0 8 noclone-file /a%20b 0\n8 8 noclone-file /c 16\n", 0);
	saved_add_signature(&s, &s.table.targets[0], 0, "ext4 1");
	text = saved_print(&s, "x");
	assert_non_null(strstr(text, "# noclone: signature /a%20b 0 ext4 1\n"));
	read_file(&again, text, 0);
	refuses(&again, 0, 0, "ext4 1", NULL);
	refuses(&again, 0, 0, "ext4 2", "/a%20b has the signature \"ext4 2\", but \"ext4 1\" was saved: is it another file,");
	refuses(&again, 0, 0, "none", "but \"ext4 1\"");
	refuses(&again, 1, 0, "none", NULL);
	refuses(&again, 1, 0, "swap 1", "/c has");
}

/* What libblkid calls a file system may change with its version; not so its UUID. */
static void another_word_for_the_same_is_accepted(void **state __unused)
{
	_cleanup_saved_ struct saved s = { 0 };

	read_file(&s, file, 0);
	refuses(&s, 0, 1, "newswap 12-34", NULL);
	refuses(&s, 0, 0, "gpt", "\"gpt\", but \"dos\"");
	refuses(&s, 0, 1, "swap", "\"swap\", but \"swap 12-34\"");
}

static void data(unsigned int target, unsigned int leg, const char *first, bool expected)
{
	_cleanup_saved_ struct saved s = { 0 };

	read_file(&s, "0 4096 noclone-striped 2 2048 /dev/a 0 /dev/b 0\n"
		  "4096 32 noclone-striped 2 8 /dev/a 4096 /dev/b 4096\n", 0);
	assert_int_equal(saved_may_be_data(&s.table.targets[target], leg, first), expected);
}

/* The first logical volume begins at 1 MiB: with such a chunk, on the second leg. */
static void a_volume_may_show_on_a_leg(void **state __unused)
{
	data(0, 0, "LVM2_member a-b", false);
	data(0, 1, "LVM2_member a-b", true);
	data(0, 1, "gpt 1-2", true);
	data(0, 1, "ext4 1-2", false);
	data(0, 1, "LVM2_memberx", false);
	data(0, 1, "none", false);
	data(1, 0, "dos", true);
	data(1, 1, "dos", false);
}

static bool is_loop_on(const char *device, const char *path)
{
	return str_starts(device, "7:") && !strcmp(path, "/a");
}

static void stand_in(const char *saved, const char *live, bool expected)
{
	_cleanup_problems_ struct problems p = { 0 };
	_cleanup_table_ struct table a = { 0 }, b = { 0 };

	table_parse(&a, saved, &p);
	table_parse(&b, live, &p);
	assert_int_equal(saved_has_stand_in(&a, &b, is_loop_on), expected);
}

static void stand_ins_of_files_are_known(void **state __unused)
{
	stand_in("0 8 noclone-file /a 0\n", "0 8 linear 7:0 0\n", true);
	stand_in("0 8 noclone-file /a 0\n", "0 8 noclone-linear 7:0 0\n", true);
	stand_in("0 8 noclone-file /a 0\n", "0 8 noclone-file /b 0\n", false);
	stand_in("0 8 noclone-linear 8:0 0\n", "0 8 linear 7:0 0\n", false);
	stand_in("0 8 noclone-file /a 0\n", "0 8 linear 8:0 0\n", false);
	stand_in("0 8 noclone-file /b 0\n", "0 8 linear 7:0 0\n", false);
	stand_in("0 8 noclone-file /a 0\n", "0 8 striped 1 8 7:0 0\n8 8 linear 7:0 8\n", false);
	stand_in("0 8 noclone-linear 8:0 0\n8 8 noclone-file /a 0\n",
		 "0 8 linear 8:0 0\n8 8 linear 7:0 0\n", true);
}

static void names_and_files(void **state __unused)
{
	_cleanup_free_ char *path = saved_path("a+b"), *name = saved_name("a.b.table");

	assert_string_equal(path, "/etc/noclone/a+b.table");
	assert_string_equal(name, "a.b");
	assert_null(saved_name(".table"));
	assert_null(saved_name(".a.table"));
	assert_null(saved_name("a.table.X1y2z3"));
	assert_null(saved_name("policy"));
	assert_null(saved_name_problem("a.b"));
	assert_non_null(saved_name_problem(""));
	assert_non_null(saved_name_problem(".."));
	assert_non_null(saved_name_problem("a/b"));
	assert_non_null(saved_name_problem("a b"));
	assert_null(saved_name("a\\x20b.table"));
}

static void escaped(const char *text, bool path, const char *expected)
{
	_cleanup_free_ char *got = boot_unit_escape(text, path);

	assert_string_equal(got, expected);
}

/* What systemd-escape prints. */
static void unit_names_are_those_of_systemd(void **state __unused)
{
	escaped("data", false, "data");
	escaped("vg0-a b", false, "vg0\\x2da\\x20b");
	escaped("a_b:c.d", false, "a_b:c.d");
	escaped(".a", false, "\\x2ea");
	escaped("\xc3\xa4", false, "\\xc3\\xa4");
	escaped("/dev/disk/by-id/x", true, "dev-disk-by\\x2did-x");
	escaped("/dev//mapper/a.b/", true, "dev-mapper-a.b");
	escaped("/", true, "-");
}

static const char crypttab[] = "# c-d /dev/sdc\n\tc-d UUID=1 none luks\ne-f /dev/sdd\n"
	"by-hand /dev/sde none luks,noauto\nnot-by-hand /dev/sdf none luks,noautomatic";

static void has_lines(const char *table, const char *const lines[], unsigned int nr)
{
	_cleanup_problems_ struct problems p = { 0 };
	_cleanup_table_ struct table t = { 0 };
	_cleanup_free_ char *text = NULL;
	unsigned int i;

	table_parse(&t, table, &p);
	text = boot_unit_print(&t, crypttab);
	for (i = 0; i < nr; i++) {
		_cleanup_free_ char *line = xasprintf("\n%s\n", lines[i]);

		assert_non_null(strstr(text, line));
	}
}

static void units_have_dependencies(void **state __unused)
{
	static const char * const always[] = { "[Unit]" };
	static const char * const legs[] = {
		"BindsTo=dev-sda.device", "After=dev-sda.device",
		"BindsTo=dev-disk-by\\x2dlabel-a\\x5cx5cb.device",
		"After=dev-mapper-c.device", "After=blockdev@dev-mapper-c.target",
	};
	static const char * const luks[] = {
		"Requires=systemd-cryptsetup@c\\x2dd.service",
		"After=systemd-cryptsetup@c\\x2dd.service",
		"After=blockdev@dev-mapper-c\\x2dd.target",
		"BindsTo=dev-mapper-e.device", "BindsTo=dev-c\\x2dd.device",
	};
	static const char * const options[] = {
		"BindsTo=dev-mapper-by\\x2dhand.device",
		"Requires=systemd-cryptsetup@not\\x2dby\\x2dhand.service",
	};
	static const char * const files[] = {
		"RequiresMountsFor=\"/srv/%%i \\\"\\\\\"",
	};

	has_lines("", always, ARRAY_SIZE(always));
	has_lines("not a table", always, ARRAY_SIZE(always));
	has_lines("0 8 noclone-linear /dev/sda 0\n8 8 noclone-linear LABEL=a\\b 0\n"
		  "16 8 linear /dev/mapper/c 0\n24 8 linear 8:16 0\n", legs, ARRAY_SIZE(legs));
	has_lines("0 8 noclone-linear /dev/mapper/c-d 0\n8 8 linear /dev/mapper/e 0\n"
		  "16 8 linear /dev/c-d 0\n", luks, ARRAY_SIZE(luks));
	has_lines("0 8 linear /dev/mapper/by-hand 0\n8 8 linear /dev/mapper/not-by-hand 0\n",
		  options, ARRAY_SIZE(options));
	has_lines("0 8 noclone-file /srv/%25i%20%22%5c 0\n", files, ARRAY_SIZE(files));
}

/* A line break would end the line of the unit, and so begin another one. */
static void a_path_cannot_add_lines(void **state __unused)
{
	_cleanup_problems_ struct problems p = { 0 };
	_cleanup_table_ struct table t = { 0 };
	_cleanup_free_ char *text = NULL;

	table_parse(&t, "0 8 noclone-file /srv/a%0aExecStart=/b 0\n", &p);
	assert_int_equal(t.nr, 1);
	text = boot_unit_print(&t, crypttab);
	assert_null(strstr(text, "ExecStart"));
}

static void names_fit_into_units(void **state __unused)
{
	_cleanup_free_ char *saved = NULL;
	char name[128] = "", file[136];

	memset(name, 'a', 127);
	assert_null(saved_name_problem(name));
	memset(name, '-', 57);
	name[57] = 0;
	assert_null(saved_name_problem(name));
	snprintf(file, sizeof(file), "%s.table", name);
	saved = saved_name(file);
	assert_string_equal(saved, name);
	name[57] = 'a';
	assert_non_null(saved_name_problem(name));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(keywords_are_comments_of_the_table),
		cmocka_unit_test(an_old_uuid_is_that_of_the_kernel),
		cmocka_unit_test(what_is_printed_is_read),
		cmocka_unit_test(other_keywords_are_reported),
		cmocka_unit_test(a_file_without_its_end_is_refused),
		cmocka_unit_test(what_cannot_be_read_again_is_noticed),
		cmocka_unit_test(devices_are_known_by_their_uuid),
		cmocka_unit_test(signatures_are_replaced_and_the_rest_stays),
		cmocka_unit_test(another_signature_is_refused),
		cmocka_unit_test(the_first_leg_may_have_got_one),
		cmocka_unit_test(outdated_is_said_once),
		cmocka_unit_test(outdated_has_a_line_of_its_own),
		cmocka_unit_test(comments_stay),
		cmocka_unit_test(a_backing_file_has_a_signature),
		cmocka_unit_test(another_word_for_the_same_is_accepted),
		cmocka_unit_test(a_volume_may_show_on_a_leg),
		cmocka_unit_test(stand_ins_of_files_are_known),
		cmocka_unit_test(names_and_files),
		cmocka_unit_test(unit_names_are_those_of_systemd),
		cmocka_unit_test(units_have_dependencies),
		cmocka_unit_test(a_path_cannot_add_lines),
		cmocka_unit_test(names_fit_into_units),
	};

	return cmocka_run_group_tests_name("saved", tests, NULL, NULL);
}
