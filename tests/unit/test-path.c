// SPDX-License-Identifier: GPL-2.0-only
/*
 * The encoding of paths in a table: each byte and each pair of bytes is encoded and decoded again,
 * and each triple that begins with "%" is either valid or refused.
 */
#include "unit.h"

#include <ctype.h>

#include "noclone-path.h"
#include "base/util.h"
#include "model/name.h"

/* Return: true if dm, dmsetup and the kernel's isspace() do not change the word. */
static bool survives(const char *word)
{
	for (; *word; word++)
		if (!isgraph((unsigned char)*word) || *word == '\\' ||
		    *word == '#')
			return false;
	return true;
}

static void there_and_back(const char *path)
{
	_cleanup_free_ char *word = name_encode_path(path);

	assert_true(survives(word));
	assert_true(strlen(word) <= NOCLONE_PATH_GROWTH * strlen(path));
	assert_true(noclone_path_decode(word));
	assert_string_equal(word, path);
}

static void every_pair_round_trips(void **state __unused)
{
	char path[] = "/xx";
	int a, b;

	for (a = 1; a < 256; a++) {
		for (b = 0; b < 256; b++) {
			path[1] = a;
			path[2] = b;
			there_and_back(path);
		}
	}
}

static void plain_bytes_stay_as_they_are(void **state __unused)
{
	int c;

	for (c = 1; c < 256; c++) {
		const char path[] = { c, 0 };
		_cleanup_free_ char *word = name_encode_path(path);
		bool plain = c > ' ' && c < 0x7f && !strchr("#%\\", c);

		assert_int_equal(strlen(word), plain ? 1 : 3);
		if (plain)
			assert_string_equal(word, path);
		else
			assert_int_equal(strtoul(word + 1, NULL, 16), c);
	}
}

static void every_triple_is_judged(void **state __unused)
{
	int high, low;

	for (high = 0; high < 256; high++) {
		for (low = 0; low < 256; low++) {
			char word[] = { '%', high, low, '!', 0 };
			bool good = isxdigit(high) && isxdigit(low) &&
				    !(high == '0' && low == '0');
			const char digits[] = { high, low, 0 };

			assert_int_equal(noclone_path_decode(word), good);
			if (!good)
				continue;
			assert_int_equal((unsigned char)word[0],
					 strtoul(digits, NULL, 16));
			assert_string_equal(word + 1, "!");
		}
	}
}

static void ends_are_noticed(void **state __unused)
{
	static const char * const bad[] = { "%", "%2", "/a%", "/a%4", "%%41" };
	char good[] = "%2f%2F%41";
	size_t i;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		_cleanup_free_ char *word = xstrdup(bad[i]);

		assert_false(noclone_path_decode(word));
	}
	assert_true(noclone_path_decode(good));
	assert_string_equal(good, "//A");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_pair_round_trips),
		cmocka_unit_test(plain_bytes_stay_as_they_are),
		cmocka_unit_test(every_triple_is_judged),
		cmocka_unit_test(ends_are_noticed),
	};

	return cmocka_run_group_tests_name("path", tests, NULL, NULL);
}
