// SPDX-License-Identifier: GPL-2.0-only
/* Words that were probably meant, and names that a device may have. */
#include "unit.h"

#include "base/nearest.h"
#include "base/util.h"
#include "model/name.h"

#define LIST "create reload remove rename resize resume status table direct buffered"

static void meant(const char *word, const char *expected)
{
	_cleanup_free_ char *best = nearest_of(word, LIST);

	if (!expected)
		assert_null(best);
	else if (!best || strcmp(best, expected))
		fail_msg("\"%s\" gives \"%s\"", word, best ? best : "nothing");
}

static void mistyped_words(void **state __unused)
{
	meant("craete", "create");
	meant("crate", "create");
	meant("creatte", "create");
	meant("CREATE", "create");
	meant("drect", "direct");
	meant("resise", "resize");
	meant("rezume", "resume");
	/* the closest one, not the first */
	meant("renane", "rename");
}

static void beginnings(void **state __unused)
{
	meant("buf", "buffered");
	meant("stat", "status");
	meant("tab", "table");
	meant("st", NULL);
}

static void other_words(void **state __unused)
{
	meant("", NULL);
	meant("x", NULL);
	meant("mirror", NULL);
	meant("frobnicate", NULL);
	meant("a-word-that-is-longer-than-forty-characters-is-no-word", NULL);
}

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

/* As libdevmapper does it where a name has none of these four characters. */
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

	assert_null(uuid_problem("NOCLONE-x"));
	assert_non_null(uuid_problem(uuid));
	assert_null(uuid_problem("NOCLONE-a\\x20b"));
	assert_non_null(uuid_problem("NOCLONE-a b"));
	assert_non_null(uuid_problem("NOCLONE-a\tb"));
	assert_non_null(uuid_problem("NOCLONE-a/b"));
	memset(uuid + 8, 'x', 121);
	assert_non_null(uuid_problem(uuid));
	uuid[128] = 0;
	assert_null(uuid_problem(uuid));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(mistyped_words),
		cmocka_unit_test(beginnings),
		cmocka_unit_test(other_words),
		cmocka_unit_test(names),
		cmocka_unit_test(encoded_names),
		cmocka_unit_test(long_names),
		cmocka_unit_test(uuids),
	};

	return cmocka_run_group_tests_name("words", tests, NULL, NULL);
}
