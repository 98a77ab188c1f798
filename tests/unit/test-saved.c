// SPDX-License-Identifier: GPL-2.0-only
/* Saved devices: their files, the signatures that are accepted on legs, and names of units. */
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "model/finding.h"
#include "model/saved.h"
#include "model/table-target.h"
#include "model/table-text.h"
#include "model/table.h"

static const char file[] =
	"# my data\n"
	"# noclone: uuid NOCLONE-1\n"
	"#noclone: readonly\n"
	"0 16 noclone-striped 2 8 /dev/a 0 /dev/b 8 # a comment\n"
	"  # noclone: signature dos\n"
	"16 8 noclone-linear /dev/c 0\n"
	"# noclone: signature swap 12-34\n"
	"# noclone: signature none\n";

static void read_file(struct saved *s, const char *text, unsigned int findings)
{
	_cleanup_findings_ struct findings p = { 0 };
	_cleanup_free_ char *uuid = saved_find_uuid(text);

	saved_parse(s, text, &p);
	assert_int_equal(p.nr, findings);
	assert_string_equal(uuid ?: "none", s->uuid ?: "none");
}

static void keywords_are_comments_of_the_table(void **state __unused)
{
	_cleanup_saved_ struct saved s = { 0 };

	read_file(&s, file, 0);
	assert_int_equal(s.table.nr, 2);
	assert_string_equal(s.uuid, "NOCLONE-1");
	assert_true(s.readonly);
	assert_int_equal(s.nr, 3);
	assert_string_equal(s.table.targets[0].legs[0].signature, "dos");
	assert_string_equal(s.table.targets[0].legs[1].signature, "swap 12-34");
	assert_string_equal(s.table.targets[1].legs[0].signature, SIGNATURE_NONE);
}

static void what_is_printed_is_read(void **state __unused)
{
	_cleanup_saved_ struct saved s = { 0 }, again = { 0 };
	_cleanup_free_ char *text = NULL, *twice = NULL;

	read_file(&s, file, 0);
	text = saved_print(&s);
	read_file(&again, text, 0);
	twice = saved_print(&again);
	assert_string_equal(text, twice);
	assert_non_null(strstr(text, "# noclone: readonly\n"));
	assert_non_null(strstr(text, "\n0 16 noclone-striped 2 8 /dev/a 0 /dev/b 8\n"));
}

/*
 * A saved file that an older version of the tool has written may have targets of other modules.
 * Their arguments stay in the file.
 */
static void hidden_arguments_stay_in_their_file(void **state __unused)
{
	static const char line[] = "24 8 crypt aes-xts-plain64 5a5a 0 /dev/d 0\n";
	_cleanup_free_ char *old = xasprintf("%s%s", file, line), *text = NULL;
	_cleanup_saved_ struct saved s = { 0 };

	read_file(&s, old, 0);
	text = saved_print(&s);
	assert_non_null(strstr(text, line));
	assert_true(saved_is_readable(text));
}

/* Samples from a version without the record of the disks, and from a version with this record. */
static const char without_disks[] =
	"# A saved device: \"noclone activate\" makes it, also at boot; see noclone-tables(5).\n"
	"# noclone: uuid NOCLONE-1\n"
	"0 16 noclone-striped 2 8 /dev/disk/by-id/a 0 /dev/disk/by-id/b 8\n"
	"# noclone: signature none\n"
	"# noclone: signature ext4 12-34\n";
static const char with_disks[] =
	"# A saved device: \"noclone activate\" makes it, also at boot; see noclone-tables(5).\n"
	"# noclone: uuid NOCLONE-1\n"
	"0 16 noclone-striped 2 8 /dev/disk/by-id/a 0 /dev/disk/by-id/b 8\n"
	"# noclone-disk: gpt=56-78 ext4=9a dos\n"
	"# noclone-disk: none\n"
	"# noclone: signature none\n"
	"# noclone: signature ext4 12-34\n";

/* Return: the lines that a version without the record reads, with "# noclone:", a new string. */
static char *as_older(const char *text)
{
	struct strbuf b = { 0 };
	size_t length;

	for (; *text; text += length) {
		length = strcspn(text, "\n") + 1;
		if (!str_starts(text, "# noclone-disk:"))
			strbuf_append(&b, text, length);
	}
	return strbuf_take(&b);
}

static void the_record_of_disks_is_kept(void **state __unused)
{
	_cleanup_saved_ struct saved s = { 0 };
	_cleanup_free_ char *text = NULL, *older = as_older(with_disks);

	assert_string_equal(older, without_disks);
	assert_true(saved_is_readable(with_disks));
	read_file(&s, with_disks, 0);
	assert_int_equal(s.nr_disks, 2);
	assert_string_equal(s.table.targets[0].legs[0].disk, "gpt=56-78 ext4=9a dos");
	assert_string_equal(s.table.targets[0].legs[1].disk, SIGNATURE_NONE);
	text = saved_print(&s);
	assert_string_equal(text, with_disks);
}

static void a_file_without_the_record_is_read(void **state __unused)
{
	_cleanup_saved_ struct saved s = { 0 };

	assert_true(saved_is_readable(without_disks));
	read_file(&s, without_disks, 0);
	assert_int_equal(s.nr_disks, 0);
	assert_null(s.table.targets[0].legs[0].disk);
}

/* Another version of libblkid may print another word instead of a UUID. */
static void the_record_knows_its_signatures(void **state __unused)
{
	const char *record = "gpt=56-78 ext4=9a dos";

	assert_true(saved_disk_has(record, "gpt 56-78"));
	assert_true(saved_disk_has(record, "ext3 9a"));
	assert_true(saved_disk_has(record, "dos"));
	assert_false(saved_disk_has(record, "gpt 56-79"));
	assert_false(saved_disk_has(record, "gpt"));
	assert_false(saved_disk_has(record, "dos 1"));
	assert_false(saved_disk_has(SIGNATURE_NONE, "dos"));
	assert_false(saved_disk_has(NULL, "dos"));
}

#define LINE	"0 8 noclone-linear /dev/a 0\n"
#define UUID	"# noclone: uuid NOCLONE-1\n"

static void reports(const char *text, unsigned int line, const char *said)
{
	_cleanup_findings_ struct findings p = { 0 };
	_cleanup_saved_ struct saved s = { 0 };

	saved_parse(&s, text, &p);
	assert_int_equal(p.nr, 1);
	assert_int_equal(p.finding[0].line, line);
	assert_int_equal(p.finding[0].level, FINDING_ERROR);
	assert_non_null(strstr(p.finding[0].text, said));
}

#define PARTITIONS	"# noclone: partitions 1 12\n"
#define NOSCAN		"# noclone: noscan\n"

static void partitions_are_of_one_file(void **state __unused)
{
	static const char text[] = "# A saved device: \"noclone activate\" makes it, also at boot; see noclone-tables(5).\n"
		UUID PARTITIONS NOSCAN "0 8 noclone-file /a 0\n# noclone: signature gpt 12\n";
	_cleanup_saved_ struct saved s = { 0 };
	_cleanup_free_ char *again = NULL;

	read_file(&s, text, 0);
	assert_string_equal(s.partitions, " 1 12");
	assert_true(s.noscan);
	again = saved_print(&s);
	assert_string_equal(again, text);
	reports(LINE UUID PARTITIONS "# noclone: signature none\n", 0, "is only for a table with a single target");
	reports("0 8 noclone-file /a 0\n8 8 noclone-file /b 0\n" UUID PARTITIONS
		"# noclone: signature none\n# noclone: signature none\n", 0, "is only for a table with a single target");
}

static void other_keywords_are_reported(void **state __unused)
{
	static const char * const bad[] = {
		"readonli", "", "readonly now", "uuid", "uuid NOCLONE-a b", "uuid NOCLONE-{a}",
		"uuid NOCLONE-2", "signature", "signature ext4 1 2", "partitions", "partitions 0", "partitions 1 a",
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		_cleanup_free_ char *text = xasprintf(LINE UUID "# noclone: %s\n", bad[i]);

		reports(text, 3, "After \"noclone:\", a comment has to continue with");
	}
}

/* A file that was copied in part lacks its last lines. */
static void an_incomplete_file_is_refused(void **state __unused)
{
	_cleanup_saved_ struct saved whole = { 0 };

	reports(LINE "# noclone: signature none\n", 0,
		"no line \"# noclone: uuid UUID\"");
	reports(UUID LINE, 0, "one line \"# noclone: signature\" for each leg or backing file of its table, which are 1, but has 0");
	reports(UUID LINE "# noclone: signature none\n# noclone: signature none\n", 0,
		"one line \"# noclone: signature\" for each leg or backing file of its table, which are 1, but has 2");
	reports(UUID LINE "# noclone: signature no", 0, "last line of the file has no line end");
	reports(UUID "0 8 noclone-liner /dev/a 0\n# noclone: signature none\n", 2,
		"unknown target type \"noclone-liner\"");
	reports(UUID "0 8 liner /dev/a 0\n# noclone-disk: none\n# noclone: signature none\n", 2,
		"unknown target type \"liner\"");
	reports(UUID LINE "8 8 crypt aes-xts-plain64 5a5a 0 /dev/d 0\n# noclone-disk: none\n"
		"# noclone-disk: none\n# noclone: signature none\n# noclone: signature none\n", 3,
		"unknown target type \"crypt\"");
	reports(UUID "0 16 noclone-striped 2 8 /dev/a 0 /dev/b 8\n# noclone-disk: none\n"
		"# noclone: signature none\n# noclone: signature none\n", 0,
		"one line \"# noclone-disk:\" for each leg or backing file of its table, which are 2, but has 1");
	read_file(&whole, UUID LINE "# noclone: signature none\n", 0);
}

static void no_leg_is_in_the_current_folder(void **state __unused)
{
	reports(UUID "0 8 noclone-linear sda 0\n# noclone: signature none\n", 2, "does not begin with /");
	reports(UUID "0 8 noclone-linear ./a 0\n# noclone: signature none\n", 2, "does not begin with /");
}

static void a_plain_table_is_no_saved_device(void **state __unused)
{
	assert_true(saved_is_file(file));
	assert_false(saved_is_file("# noclone is fine\n" LINE));
	assert_false(saved_is_file(""));
}

static void readable(const char *table, const char *uuid, bool expected)
{
	_cleanup_findings_ struct findings p = { 0 };
	_cleanup_saved_ struct saved s = { 0 };
	_cleanup_free_ char *text = NULL;
	struct target *t;

	table_parse(&s.table, table, &p);
	t = &s.table.targets[0];
	if (!t->path) {
		free(t->legs[0].device);
		t->legs[0].device = xstrdup(strchr(table, '/') ? "/dev/disk/by-id/a#b" : "/dev/a");
	}
	s.uuid = xstrdup(uuid);
	t->legs[0].signature = xstrdup(SIGNATURE_NONE);
	text = saved_print(&s);
	assert_int_equal(saved_is_readable(text), expected);
}

/* Links of udev and names of devices may contain "#". */
static void what_cannot_be_read_again_is_noticed(void **state __unused)
{
	readable("0 8 noclone-linear 8:0 0\n", "NOCLONE-1", true);
	readable("0 8 noclone-linear /dev/a 0\n", "NOCLONE-1", false);
	readable("0 8 noclone-linear 8:0 0\n", "NOCLONE-a b", false);
	readable("0 8 noclone-linear 8:0 0\n", "NOCLONE-a#b", true);
	readable("0 8 noclone-file /a%20%23b 0\n", "NOCLONE-1", true);
}

/* Return: why the leg with that number in the table is refused, a new string, or NULL. */
static char *refusal(const struct saved *s, unsigned int nr, const char *found,
		     const char *first, enum finding_level *level)
{
	struct target *t = NULL;
	unsigned int leg, i;

	for (i = 0; i <= nr; i++)
		t = table_next_leg(&s->table, t, &leg);
	return saved_refusal(t, leg, !nr, found, first, level);
}

static void refuses(const struct saved *s, unsigned int nr, const char *found,
		    const char *expected)
{
	enum finding_level level = FINDING_NOTE;
	_cleanup_free_ char *why = refusal(s, nr, found, NULL, &level);

	if (!expected) {
		assert_null(why);
		return;
	}
	assert_non_null(why);
	assert_non_null(strstr(why, expected));
	assert_int_equal(level, FINDING_ERROR);
}

static void another_signature_is_refused(void **state __unused)
{
	_cleanup_saved_ struct saved s = { 0 };

	read_file(&s, file, 0);
	refuses(&s, 0, "dos", NULL);
	refuses(&s, 0, "dos 1", "/dev/a has the signature \"dos 1\", but the signature \"dos\" was saved");
	refuses(&s, 0, "none", "\"none\", but the signature \"dos\"");
	refuses(&s, 1, "swap 12-34", NULL);
	refuses(&s, 1, "swap 12-35", "\"swap 12-35\"");
	refuses(&s, 2, "none", NULL);
	refuses(&s, 2, "ext4 1", "\"ext4 1\", but the signature \"none\" was saved");
}

static void the_first_leg_may_have_got_one(void **state __unused)
{
	_cleanup_saved_ struct saved s = { 0 };

	read_file(&s, UUID "0 16 noclone-striped 2 8 /dev/a 0 /dev/b 0\n"
		  "16 8 noclone-linear /dev/a 8\n# noclone: signature none\n"
		  "# noclone: signature none\n# noclone: signature none\n", 0);
	refuses(&s, 0, "ext4 1", NULL);
	refuses(&s, 1, "ext4 1", "/dev/b");
	refuses(&s, 2, "ext4 1", "/dev/a");
}

static void a_backing_file_has_a_signature(void **state __unused)
{
	_cleanup_saved_ struct saved s = { 0 };

	read_file(&s, UUID "0 8 noclone-file /a%20b 0\n8 8 noclone-file /c 16\n"
		  "# noclone: signature ext4 1\n# noclone: signature none\n", 0);
	refuses(&s, 0, "ext4 1", NULL);
	refuses(&s, 0, "ext4 2", "/a%20b has the signature \"ext4 2\", but the signature \"ext4 1\" was saved: this may be another file, or");
	refuses(&s, 0, "none", "but the signature \"ext4 1\"");
	refuses(&s, 1, "none", NULL);
	refuses(&s, 1, "swap 1", "/c has");
}

/* The name of a file system may change with the version of libblkid; its UUID does not change. */
static void another_word_for_the_same_is_accepted(void **state __unused)
{
	_cleanup_saved_ struct saved s = { 0 };

	read_file(&s, file, 0);
	refuses(&s, 1, "newswap 12-34", NULL);
	refuses(&s, 0, "gpt", "\"gpt\", but the signature \"dos\"");
	refuses(&s, 1, "swap", "\"swap\", but the signature \"swap 12-34\"");
}

/* Check whether an unexpected signature causes only a warning. */
static void data(unsigned int nr, const char *found, const char *first, bool expected)
{
	enum finding_level level = FINDING_NOTE;
	_cleanup_free_ char *why = NULL;
	_cleanup_saved_ struct saved s = { 0 };

	read_file(&s, UUID "0 4096 noclone-striped 2 2048 /dev/a 0 /dev/b 0\n"
		  "4096 32 noclone-striped 2 8 /dev/a 4096 /dev/b 4096\n"
		  "# noclone: signature swap 7\n# noclone: signature none\n"
		  "# noclone: signature swap 7\n# noclone: signature none\n", 0);
	why = refusal(&s, nr, found, first, &level);
	assert_non_null(why);
	assert_int_equal(level, expected ? FINDING_WARNING : FINDING_ERROR);
}

/* The first logical volume begins at 1 MiB, which is the second leg with chunks of 1 MiB. */
static void a_volume_may_show_on_a_leg(void **state __unused)
{
	data(0, "ext4 1", "LVM2_member a-b", false);
	data(1, "ext4 1", "LVM2_member a-b", true);
	data(1, "ext4 1", "gpt 1-2", true);
	data(1, "ext4 1", "ext4 1-2", false);
	data(1, "ext4 1", "LVM2_memberx", false);
	data(1, "ext4 1", "none", false);
	data(1, "ext4 1", NULL, false);
	data(2, "ext4 1", "dos", true);
	data(3, "ext4 1", "dos", false);
}

static void a_copy_may_show_on_a_leg(void **state __unused)
{
	data(1, "xfs 1", "xfs 1", true);
	data(1, "xfs 1", "xfs 2", false);
	data(2, "xfs 1", "xfs 1", false);
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

static void escaped(const char *text, const char *expected)
{
	_cleanup_free_ char *got = saved_escape(text);

	assert_string_equal(got, expected);
}

/* The expected names are the output of systemd-escape. */
static void unit_names_are_those_of_systemd(void **state __unused)
{
	_cleanup_free_ char *unit = saved_unit_name("a-b");

	escaped("data", "data");
	escaped("vg0-a b", "vg0\\x2da\\x20b");
	escaped("a_b:c.d", "a_b:c.d");
	escaped(".a", "\\x2ea");
	escaped("\xc3\xa4", "\\xc3\\xa4");
	escaped("dev/disk/by-id/x", "dev-disk-by\\x2did-x");
	assert_string_equal(unit, "noclone-device@a\\x2db.service");
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
		cmocka_unit_test(what_is_printed_is_read),
		cmocka_unit_test(hidden_arguments_stay_in_their_file),
		cmocka_unit_test(partitions_are_of_one_file),
		cmocka_unit_test(other_keywords_are_reported),
		cmocka_unit_test(an_incomplete_file_is_refused),
		cmocka_unit_test(no_leg_is_in_the_current_folder),
		cmocka_unit_test(a_plain_table_is_no_saved_device),
		cmocka_unit_test(what_cannot_be_read_again_is_noticed),
		cmocka_unit_test(the_record_of_disks_is_kept),
		cmocka_unit_test(a_file_without_the_record_is_read),
		cmocka_unit_test(the_record_knows_its_signatures),
		cmocka_unit_test(another_signature_is_refused),
		cmocka_unit_test(the_first_leg_may_have_got_one),
		cmocka_unit_test(a_backing_file_has_a_signature),
		cmocka_unit_test(another_word_for_the_same_is_accepted),
		cmocka_unit_test(a_volume_may_show_on_a_leg),
		cmocka_unit_test(a_copy_may_show_on_a_leg),
		cmocka_unit_test(names_and_files),
		cmocka_unit_test(unit_names_are_those_of_systemd),
		cmocka_unit_test(names_fit_into_units),
	};

	return cmocka_run_group_tests_name("saved", tests, NULL, NULL);
}
