// SPDX-License-Identifier: GPL-2.0-only
/* Tables: reading, printing, translating, comparing. */
#include "unit.h"

#include "base/util.h"
#include "model/finding.h"
#include "model/table-target.h"
#include "model/table-text.h"
#include "model/table.h"

static struct table parse(const char *text, unsigned int errors)
{
	_cleanup_findings_ struct findings findings = { 0 };
	struct table t = { 0 };

	table_parse(&t, text, &findings);
	assert_int_equal(findings_count(&findings, FINDING_ERROR), errors);
	return t;
}

static void prints_as(const char *text, bool stock, const char *expected)
{
	_cleanup_table_ struct table t = parse(text, 0);
	_cleanup_free_ char *printed = table_print(&t, stock, NULL);

	assert_string_equal(printed, expected);
}

static void table_round_trip(void **state __unused)
{
	static const char * const lines[] = {
		"0 8 noclone-linear /dev/a 0",
		"0 8 noclone-linear 8:16 99 1 no_fastpath",
		"0 8 linear /dev/a 0",
		"0 768 noclone-striped 3 128 /dev/a 0 /dev/b 1 /dev/c 2",
		"0 768 noclone-striped 3 128 a 0 b 1 c 2 1 no_fastpath",
		"0 8 zero",
		"0 8 noclone-file /srv/disk.img 0",
		"0 8 noclone-file / 18446744073709551615",
		"0 8 noclone-file /a%20b%23%25%5C%C3%A0 8 2 engine direct",
		"0 8 noclone-file /a 8 2 engine extent",
		"0 8 noclone-file /a 8 3 engine extent no_fastpath",
		"0 8 noclone-file /a 8 1 no_fastpath",
		"0 8 noclone-file /a 8 3 engine sync no_fastpath",
		"0 8 noclone-file /a 8 2 engine buffered",
		"0 8 noclone-file /a 8 2 engine sync",
		"0 8 noclone-file /a 8 2 engine null",
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(lines); i++)
		prints_as(lines[i], false, lines[i]);
}

/*
 * The arguments of types that only a later kernel may have are hidden as well; the kernel's types
 * have small letters.
 */
static void table_arguments_are_hidden(void **state __unused)
{
	static const char * const types[] = {
		"crypt", "inlinecrypt", "integrity", "delay", "unstriped", "Linear", "noclone", "x",
	};
	static const char * const shown[] = { "linear", "striped", "zero", "error", "noclone-x" };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(types); i++) {
		_cleanup_free_ char *text = xasprintf("0 8 %s aes 5a5a 0 /dev/a 0", types[i]);
		_cleanup_free_ char *hidden = xasprintf("0 8 %s <hidden>", types[i]);
		_cleanup_table_ struct table t = parse(text, 0), copy = { 0 };
		_cleanup_free_ char *all = table_print_all(&t);
		_cleanup_free_ char *concise = table_concise(&t, "n", "u", false);

		prints_as(text, false, hidden);
		prints_as(text, true, hidden);
		assert_ptr_equal(table_hidden(&t), t.targets);
		assert_string_equal(t.targets->params, "<hidden>");
		assert_string_equal(all, text);
		assert_null(strstr(concise, "5a5a"));
		table_copy(&t, &copy);
		assert_true(table_same_mapping(&t, &copy));
		free(copy.targets->secret);
		copy.targets->secret = xstrdup("aes 5b5b 0 /dev/a 0");
		assert_false(table_same_mapping(&t, &copy));
	}
	for (i = 0; i < ARRAY_SIZE(shown); i++) {
		_cleanup_table_ struct table t = { 0 };

		table_add(&t, 0, 0, 8, shown[i], "a b", NULL);
		assert_null(table_hidden(&t));
	}
}

static void table_comments_and_space(void **state __unused)
{
	prints_as("# head\n\n  0   8\tnoclone-linear  a 0 # why\r\n\n8 8 noclone-linear b 0",
		  false, "0 8 noclone-linear a 0\n8 8 noclone-linear b 0");
	prints_as("0 8 noclone-linear a 0 0", false, "0 8 noclone-linear a 0");
	prints_as("0 8 noclone-linear a 0 1 NO_FASTPATH", false,
		  "0 8 noclone-linear a 0 1 no_fastpath");
	prints_as("0 8 noclone-file /%41%2d%7e 0 0", false,
		  "0 8 noclone-file /A-~ 0");
	prints_as("0 8 noclone-file /a 0 3 NO_FASTPATH ENGINE Extent", false,
		  "0 8 noclone-file /a 0 3 engine extent no_fastpath");
	/* bytes above ASCII may stand for themselves, except one */
	prints_as("0 8 noclone-file /\xc3\xa9 0", false,
		  "0 8 noclone-file /%C3%A9 0");
}

static void table_of_a_file(void **state __unused)
{
	_cleanup_table_ struct table t = parse("0 8 noclone-file /a%20b 7 2 engine sync", 0);
	const struct target *f = &t.targets[0];

	assert_true(f->understood);
	assert_true(target_is_noclone(f));
	assert_int_equal(f->kind, TARGET_FILE);
	assert_int_equal(f->nr_legs, 1);
	assert_string_equal(f->path, "/a b");
	assert_int_equal(f->legs[0].start, 7);
	assert_int_equal(f->engine, ENGINE_SYNC);
	assert_true(f->engine_given);
	assert_false(f->no_fastpath);
}

static void table_as_stock(void **state __unused)
{
	prints_as("0 8 noclone-linear /dev/a 5 1 no_fastpath\n"
		  "8 256 noclone-striped 2 128 a 0 b 1", true,
		  "0 8 linear /dev/a 5\n8 256 striped 2 128 a 0 b 1");
	prints_as("0 8 zero", true, "0 8 zero");
}

static void table_line_numbers(void **state __unused)
{
	_cleanup_table_ struct table t = parse("# one\n\n0 8 noclone-linear a 0\n"
					       "8 8 noclone-linear a 8\n", 0);

	assert_int_equal(t.nr, 2);
	assert_int_equal(t.targets[0].line, 3);
	assert_int_equal(t.targets[1].line, 4);
	assert_int_equal(table_sectors(&t), 16);
}

static void wrong(const char *text, const char *fragment)
{
	_cleanup_findings_ struct findings findings = { 0 };
	_cleanup_table_ struct table t = { 0 };

	table_parse(&t, text, &findings);
	assert_int_equal(findings_count(&findings, FINDING_ERROR), 1);
	assert_non_null(strstr(findings.finding[0].text, fragment));
}

static void table_bad_lines(void **state __unused)
{
	wrong("", "empty");
	wrong("# nothing\n", "empty");
	wrong("0 8 noclone-linear a 0\r8 8 noclone-linear b 0", "A carriage return is inside");
	wrong("# a comment\r0 8 noclone-linear a 0\n", "A carriage return is inside");
	wrong("0 8 noclone-linear a 0\r\r\n", "A carriage return is inside");
	wrong("0", "A line of a table is");
	wrong("0 8", "A line of a table is");
	wrong("x 8 noclone-linear a 0", "Start of the target");
	wrong("0 8x noclone-linear a 0", "Length of the target");
	wrong("0 -8 noclone-linear a 0", "Length of the target");
	wrong("0 18446744073709551616 zero", "Length of the target");
	wrong("0 8 linear a 0 1 no_fastpath", "Words left over");
	wrong("0 8 noclone-linear a +1", "Start sector is not");
	wrong("0 256 noclone-striped 2 128 a 0 b 0 x", "Number of options");
	wrong("0 8 crypt <hidden>", "arguments of the target are hidden");
}

static void table_bad_files(void **state __unused)
{
	wrong("0 8 noclone-file", "give <path> <start sector>");
	wrong("0 8 noclone-file /a", "give <path> <start sector>");
	wrong("0 8 noclone-file /a b", "Start sector is not");
	wrong("0 8 noclone-file /a 18446744073709551616", "Start sector is not");
	wrong("0 8 noclone-file a 0", "not absolute");
	wrong("0 8 noclone-file %61 0", "not absolute: begin it with a slash: \"%61\"");
	wrong("0 8 noclone-file /a% 0", "without two hexadecimal digits: write %25 for a %");
	wrong("0 8 noclone-file /a%2 0", "without two hexadecimal digits");
	wrong("0 8 noclone-file /a%00 0", "without two hexadecimal digits");
	wrong("0 8 noclone-file /a\\ 0", "removes or treats as a separator");
	wrong("0 8 noclone-file /a\xa0 0", "removes or treats as a separator");
	wrong("0 8 noclone-file /a\v 0", "removes or treats as a separator");
	wrong("0 8 noclone-file /a 0 x", "between 0 and 3");
	wrong("0 8 noclone-file /a 0 -1", "between 0 and 3");
	wrong("0 8 noclone-file /a 0 4 engine sync engine sync", "between 0 and 3");
	wrong("0 8 noclone-file /a 0 3 engine sync", "differs from the number of words");
	wrong("0 8 noclone-file /a 0 1 engine sync", "differs from the number of words");
	wrong("0 8 noclone-file /a 0 0 engine", "differs from the number of words");
	wrong("0 8 noclone-file /a 0 1 engine", "needs the name");
	wrong("0 8 noclone-file /a 0 2 engine mmap", "known are direct, extent and buffered: \"mmap\"");
	wrong("0 8 noclone-file /a 0 1 turbo", "known are engine and no_fastpath: \"turbo\"");
}

static void table_many_stripes_do_not_overrun(void **state __unused)
{
	wrong("0 4294967295 noclone-striped 4294967295 1 a 0", "Too few");
	wrong("0 4294967294 noclone-striped 2147483647 1 a 0 b 0", "Too few");
}

static void table_concise_escapes(void **state __unused)
{
	_cleanup_table_ struct table t = parse("0 8 noclone-linear /dev/a,b 0\n"
					       "8 8 noclone-linear /dev/c;d 0", 0);
	_cleanup_free_ char *concise = table_concise(&t, "na,me", "U-\\1", true);

	assert_string_equal(concise, "na\\,me,U-\\\\1,,ro,0 8 linear /dev/a\\,b 0,"
			    "8 8 linear /dev/c\\;d 0");
}

static bool same(const char *a, const char *b)
{
	_cleanup_table_ struct table ta = parse(a, 0);
	_cleanup_table_ struct table tb = parse(b, 0);
	bool result = table_same_mapping(&ta, &tb);

	/* the comparison is symmetric */
	assert_int_equal(table_same_mapping(&tb, &ta), result);
	return result;
}

static void mapping_same(void **state __unused)
{
	assert_true(same("0 16 noclone-linear a 0", "0 16 linear a 0"));
	assert_true(same("0 16 noclone-linear a 0",
			 "0 16 noclone-linear a 0 1 no_fastpath"));
	/* both tables have the same mapping, but other segments */
	assert_true(same("0 16 noclone-linear a 4",
			 "0 8 noclone-linear a 4\n8 8 noclone-linear a 12"));
	/* the longer table has the same mapping as far as the shorter one */
	assert_true(same("0 16 noclone-linear a 0", "0 32 noclone-linear a 0"));
	assert_true(same("0 256 noclone-striped 2 8 a 0 b 0",
			 "0 512 striped 2 8 a 0 b 0"));
	assert_true(same("0 16 noclone-file /a 0",
			 "0 16 noclone-file /%61 0 2 engine sync"));
	assert_true(same("0 16 noclone-file /a 4",
			 "0 8 noclone-file /a 4\n8 8 noclone-file /a 12"));
	assert_true(same("0 16 noclone-file /a 4", "0 99 noclone-file /a 4"));
	assert_true(same("0 256 striped 2 8 a 0 b 0\n256 8 linear a 128\n264 8 zero",
			 "0 256 noclone-striped 2 8 a 0 b 0\n256 4 linear a 128\n"
			 "260 4 linear a 132\n264 8 zero\n272 8 linear b 0"));
	/* stripes of one leg are linear */
	assert_true(same("0 256 noclone-striped 1 8 a 0", "0 256 linear a 0"));
}

static void mapping_different(void **state __unused)
{
	assert_false(same("0 16 noclone-linear a 0", "0 16 noclone-linear a 8"));
	assert_false(same("0 16 noclone-linear a 0", "0 16 noclone-linear b 0"));
	assert_false(same("0 256 noclone-striped 2 8 a 0 b 0",
			  "0 256 noclone-striped 2 16 a 0 b 0"));
	assert_false(same("0 256 noclone-striped 2 8 a 0 b 0",
			  "0 256 noclone-striped 2 8 b 0 a 0"));
	assert_false(same("0 16 noclone-linear a 0",
			  "0 8 noclone-linear a 0\n8 8 noclone-linear a 16"));
	assert_false(same("0 256 striped 2 8 a 0 b 0", "0 128 striped 2 8 a 0 b 0\n"
			  "128 128 striped 2 8 a 0 b 0"));
	assert_false(same("0 16 noclone-file /a 0", "0 16 noclone-file /a 8"));
	assert_false(same("0 16 noclone-file /a 0", "0 16 noclone-file /b 0"));
	assert_false(same("0 16 noclone-file /a 0", "0 16 noclone-linear /a 0"));
	/* a table with an unknown target never counts as the same */
	assert_false(same("0 16 noclone-linear a 0", "0 16 zero"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(table_round_trip),
		cmocka_unit_test(table_arguments_are_hidden),
		cmocka_unit_test(table_comments_and_space),
		cmocka_unit_test(table_as_stock),
		cmocka_unit_test(table_line_numbers),
		cmocka_unit_test(table_of_a_file),
		cmocka_unit_test(table_bad_lines),
		cmocka_unit_test(table_bad_files),
		cmocka_unit_test(table_many_stripes_do_not_overrun),
		cmocka_unit_test(table_concise_escapes),
		cmocka_unit_test(mapping_same),
		cmocka_unit_test(mapping_different),
	};

	return cmocka_run_group_tests_name("table", tests, NULL, NULL);
}
