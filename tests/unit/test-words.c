// SPDX-License-Identifier: GPL-2.0-only
/* Names that a device may have. */
#include "unit.h"

#include "base/util.h"
#include "model/name.h"

static void names(void **state __unused)
{
	static const char * const good[] = {
		"a", "control2", "...", "#+-.:=@_", "vg0-lv",
	};
	static const char * const bad[] = {
		"", ".", "..", "control", "a/b", "/dev/mapper/a", "a\n", "\033[2J", "a\x7f",
		"-", "--all", "a b", "b\xc3\xa9", "a\\x41b", "a\\",
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(good); i++)
		assert_null(name_problem(good[i]));
	for (i = 0; i < ARRAY_SIZE(bad); i++)
		assert_non_null(name_problem(bad[i]));
}

/* If a name has none of these four characters, it is encoded as by libdevmapper. */
static void encoded_names(void **state __unused)
{
	static const char * const pairs[][2] = {
		{ "", "" }, { "vg0-lv", "vg0-lv" }, { "a b", "a\\x20b" },
		{ "b\xc3\xa9", "b\\xc3\\xa9" }, { "a\\", "a\\x5c" },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(pairs); i++) {
		_cleanup_free_ char *name = name_encode(pairs[i][0]);

		assert_string_equal(name, pairs[i][1]);
	}
}

static void long_names(void **state __unused)
{
	char name[129];

	memset(name, 'x', sizeof(name));
	name[128] = 0;
	assert_non_null(name_problem(name));
	name[127] = 0;
	assert_null(name_problem(name));
}

static void uuids(void **state __unused)
{
	char uuid[130] = "NOCLONE-";

	assert_null(name_uuid_problem("NOCLONE-x"));
	assert_non_null(name_uuid_problem(uuid));
	assert_null(name_uuid_problem("NOCLONE-a\\x20b"));
	assert_non_null(name_uuid_problem("NOCLONE-a b"));
	assert_non_null(name_uuid_problem("NOCLONE-a\tb"));
	assert_non_null(name_uuid_problem("NOCLONE-a/b"));
	memset(uuid + 8, 'x', 121);
	assert_non_null(name_uuid_problem(uuid));
	uuid[128] = 0;
	assert_null(name_uuid_problem(uuid));
	assert_non_null(name_uuid_problem("part1-NOCLONE-"));
	assert_null(name_uuid_problem("part1-NOCLONE-x"));
}

static void uuids_of_partitions(void **state __unused)
{
	static const char * const ours[] = { "NOCLONE-x", "part1-NOCLONE-x", "part128-NOCLONE-x" };
	static const char * const others[] = {
		"", "LVM-x", "part1-mpath-x", "part-NOCLONE-x", "part0-NOCLONE-x", "part01-NOCLONE-x",
		"part1NOCLONE-x", "part1x-NOCLONE-x", "parts1-NOCLONE-x", "part1-part2-NOCLONE-x",
		"part-1-NOCLONE-x", "part1-noclone-x", "xpart1-NOCLONE-x", "part12345678901-NOCLONE-x",
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(ours); i++)
		assert_true(name_uuid_is_noclone(ours[i]));
	for (i = 0; i < ARRAY_SIZE(others); i++)
		assert_false(name_uuid_is_noclone(others[i]));
	assert_string_equal(name_uuid_of_disk("part12-NOCLONE-x"), "NOCLONE-x");
	assert_null(name_uuid_of_disk("NOCLONE-x"));
	assert_int_equal(name_uuid_partition_of("part12-NOCLONE-x", "NOCLONE-x"), 12);
	assert_int_equal(name_uuid_partition_of("part12-NOCLONE-x", "NOCLONE-y"), 0);
	assert_int_equal(name_uuid_partition_of("part12-NOCLONE-x", "NOCLONE-"), 0);
	assert_int_equal(name_uuid_partition_of("NOCLONE-x", "NOCLONE-x"), 0);
	assert_int_equal(name_uuid_partition_of("part1-", ""), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names),
		cmocka_unit_test(encoded_names),
		cmocka_unit_test(long_names),
		cmocka_unit_test(uuids),
		cmocka_unit_test(uuids_of_partitions),
	};

	return cmocka_run_group_tests_name("words", tests, NULL, NULL);
}
