// SPDX-License-Identifier: GPL-2.0-only
/* Tests of the policy, and of how a UUID tells the program that has made a device. */
#include "unit.h"

#include <stdlib.h>

#include "base/util.h"
#include "model/finding.h"
#include "model/origin.h"
#include "model/policy.h"

static void read_policy(struct policy *p, const char *text)
{
	_cleanup_findings_ struct findings findings = { 0 };

	policy_parse(p, text, &findings);
	assert_int_equal(findings.nr, 0);
}

static void decides(const char *text, const char *mapper, const char *lv,
		    enum policy_kind kind)
{
	_cleanup_policy_ struct policy p = { 0 };
	const struct policy_line *line;

	read_policy(&p, text);
	line = policy_find(&p, &(struct policy_names) { mapper, lv });
	assert_int_equal(line ? line->kind : POLICY_NONE, kind);
}

static void first_match_decides(void **state __unused)
{
	decides("include a\nexclude *\n", "a", NULL, POLICY_INCLUDE);
	decides("include a\nexclude *\n", "b", NULL, POLICY_EXCLUDE);
	decides("exclude *\ninclude a\n", "a", NULL, POLICY_EXCLUDE);
	decides("# include a\n\n", "a", NULL, POLICY_NONE);
	decides("", "a", NULL, POLICY_NONE);
}

static void patterns_match_both_names(void **state __unused)
{
	decides("include vg0/*", "vg0-a", "vg0/a", POLICY_INCLUDE);
	decides("include vg0-*", "vg0-a", "vg0/a", POLICY_INCLUDE);
	decides("include vg0/*", "vg0-a", NULL, POLICY_NONE);
	decides(" include\tx y \r\n", "x y", NULL, POLICY_INCLUDE);
	decides("include my v*", "my\\x20vol", NULL, POLICY_INCLUDE);
	decides("include my\\\\x20v*", "my\\x20vol", NULL, POLICY_INCLUDE);
	decides("include a\\\\x0ab", "a\nb", NULL, POLICY_INCLUDE);
	decides("include aAb", "a\\x41b", NULL, POLICY_NONE);
	decides("include \\*", "*", NULL, POLICY_INCLUDE);
	decides("include \\*", "a", NULL, POLICY_NONE);
}

static void bad_lines_are_reported(void **state __unused)
{
	static const char * const bad[] = {
		"a", "include", "include ", "includes a", "Include a", "include /dev/vg0/a",
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		_cleanup_findings_ struct findings findings = { 0 };
		_cleanup_policy_ struct policy p = { 0 };
		_cleanup_free_ char *text = xasprintf("# x\n%s\n", bad[i]);

		policy_parse(&p, text, &findings);
		assert_int_equal(findings.nr, 1);
		assert_int_equal(findings.finding[0].line, 2);
	}
}

static void becomes(struct policy *p, const char *text, const char *edits)
{
	_cleanup_free_ char *printed = policy_print(p), *made = policy_edits(p);

	assert_string_equal(printed, text);
	assert_string_equal(made, edits);
}

static void edits_keep_the_rest(void **state __unused)
{
	static const struct policy_rule rules[] = {
		{ POLICY_INCLUDE, "b" }, { POLICY_INCLUDE, "a" },
	};
	_cleanup_policy_ struct policy p = { 0 };

	read_policy(&p, "# head\n\n  exclude b\n# why\ninclude  c\n");
	policy_set(&p, rules, 2);
	becomes(&p, "# head\n\ninclude b\ninclude a\n# why\ninclude  c\n",
		"-  exclude b\n+include b\n+include a\n");
	policy_set(&p, rules, 2);
	assert_int_equal(p.nr, 6);
}

/* The file and the output have the rules in the order of the command line. */
static void rules_keep_their_order(void **state __unused)
{
	static const struct policy_rule rules[] = {
		{ POLICY_EXCLUDE, "vg0/swap" }, { POLICY_INCLUDE, "vg0/*" },
	};
	_cleanup_policy_ struct policy p = { 0 };

	read_policy(&p, "include vg0/*\n");
	policy_set(&p, rules, 2);
	policy_set_device(&p, POLICY_INCLUDE, &(struct policy_names) { "b", NULL });
	policy_set_device(&p, POLICY_INCLUDE, &(struct policy_names) { "a", NULL });
	becomes(&p, "include a\ninclude b\nexclude vg0/swap\ninclude vg0/*\n",
		"-include vg0/*\n+include a\n+include b\n+exclude vg0/swap\n+include vg0/*\n");
}

/* vg0-pool_tdata is a part of vg0/thin and of vg0/two. */
static void part(const char *text, enum policy_kind kind)
{
	const struct policy_names names = { "vg0-pool_tdata", "vg0/pool_tdata" };
	const struct policy_names volumes[] = { { "vg0-thin", "vg0/thin" }, { "vg0-two", "vg0/two" } };
	_cleanup_policy_ struct policy p = { 0 };
	const struct policy_line *line;

	read_policy(&p, text);
	line = policy_find(&p, &names);
	line = policy_find_part(&p, &names, &volumes[0], line);
	line = policy_find_part(&p, &names, &volumes[1], line);
	assert_int_equal(line ? line->kind : POLICY_NONE, kind);
}

static void parts_follow_their_volumes(void **state __unused)
{
	part("include vg0/other\n", POLICY_NONE);
	part("include vg0/thin\n", POLICY_INCLUDE);
	part("include vg0/two\nexclude *\n", POLICY_INCLUDE);
	part("exclude vg0/thin\n", POLICY_EXCLUDE);
	part("exclude vg0/thin\ninclude vg0/two\n", POLICY_INCLUDE);
	part("exclude vg0/two\ninclude vg0/thin\n", POLICY_INCLUDE);
	part("exclude vg0/pool_tdata\ninclude vg0/*\n", POLICY_EXCLUDE);
}

static void set_device(const char *before, enum policy_kind kind, const char *after)
{
	const struct policy_names names = { "vg0-a", "vg0/a" };
	_cleanup_policy_ struct policy p = { 0 };
	_cleanup_free_ char *printed = NULL;

	read_policy(&p, before);
	policy_set_device(&p, kind, &names);
	printed = policy_print(&p);
	assert_string_equal(printed, after);
}

static void devices_change_as_little_as_possible(void **state __unused)
{
	set_device("", POLICY_INCLUDE, "include vg0/a\n");
	set_device("include *\n", POLICY_INCLUDE, "include *\n");
	set_device("exclude vg0/a\ninclude *\n", POLICY_INCLUDE, "include *\n");
	set_device("exclude vg0/*\n", POLICY_INCLUDE,
		   "include vg0/a\nexclude vg0/*\n");
	set_device("include vg0/a\n", POLICY_EXCLUDE, "exclude vg0/a\n");
	set_device("include vg0/a\nexclude *\n", POLICY_EXCLUDE, "exclude *\n");
}

static void odd_names_are_escaped(void **state __unused)
{
	const struct policy_names names = { "a[1]*", NULL }, other = { "a1", NULL };
	_cleanup_policy_ struct policy p = { 0 };

	policy_set_device(&p, POLICY_INCLUDE, &names);
	assert_string_equal(p.line[0].text, "include a\\[1]\\*");
	assert_non_null(policy_find(&p, &names));
	assert_null(policy_find(&p, &other));
}

static void all_of_them(void **state __unused)
{
	_cleanup_policy_ struct policy p = { 0 };

	read_policy(&p, "# head\nexclude b\ninclude *\n");
	policy_reset(&p, POLICY_INCLUDE);
	becomes(&p, "# head\ninclude *\n",
		"-exclude b\n-include *\n+include *\n");
	policy_reset(&p, POLICY_INCLUDE);
	assert_int_equal(p.nr, 2);
	policy_reset(&p, POLICY_EXCLUDE);
	assert_int_equal(p.nr, 1);
}

static void pattern_usage(void **state __unused)
{
	assert_null(policy_pattern_usage("vg0/*"));
	assert_null(policy_pattern_usage("a b"));
	assert_non_null(policy_pattern_usage(""));
	assert_non_null(policy_pattern_usage(" a"));
	assert_non_null(policy_pattern_usage("a "));
	assert_non_null(policy_pattern_usage("a\nb"));
	assert_non_null(policy_pattern_usage("/dev/vg0/a"));
	assert_null(policy_pattern_usage("[]a]\\[x"));
	assert_non_null(policy_pattern_usage("vg0/["));
	assert_non_null(policy_pattern_usage("[]"));
	assert_non_null(policy_pattern_usage("a\\"));
	assert_non_null(policy_pattern_usage("vg0/a/b"));
}

static void origins(void **state __unused)
{
	static const char * const known[][2] = {
		{ "LVM-abcdef", "lvm" }, { "LVM-abcdef-real", "lvm" },
		{ "part1-mpath-3600", "kpartx" }, { "part12-DMRAID-x", "kpartx" },
		{ "mpath-3600", "multipath" }, { "CRYPT-LUKS2-0-x", "cryptsetup" },
		{ "DMRAID-isw", "dmraid" }, { "NOCLONE-1", "noclone" },
		{ "part1-NOCLONE-1", "noclone" },
		{ "stratis-1-private", "stratis" },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(known); i++) {
		_cleanup_free_ char *origin = origin_of_uuid(known[i][0]);

		assert_string_equal(origin, known[i][1]);
	}
	assert_true(origin_is_lvm("LVM-abcdef"));
	assert_true(origin_same_group("LVM-12345678901234567890123456789012abc",
				      "LVM-12345678901234567890123456789012def-real"));
	assert_false(origin_same_group("LVM-12345678901234567890123456789012abc",
				       "LVM-12345678901234567890123456789013abc"));
	assert_false(origin_same_group("CRYPT-1", "CRYPT-1"));
	assert_null(origin_of_uuid(""));
	assert_null(origin_of_uuid("whatever"));
	assert_null(origin_of_uuid("-x"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(first_match_decides),
		cmocka_unit_test(patterns_match_both_names),
		cmocka_unit_test(bad_lines_are_reported),
		cmocka_unit_test(edits_keep_the_rest),
		cmocka_unit_test(rules_keep_their_order),
		cmocka_unit_test(parts_follow_their_volumes),
		cmocka_unit_test(devices_change_as_little_as_possible),
		cmocka_unit_test(odd_names_are_escaped),
		cmocka_unit_test(all_of_them),
		cmocka_unit_test(pattern_usage),
		cmocka_unit_test(origins),
	};

	return cmocka_run_group_tests_name("policy", tests, NULL, NULL);
}
