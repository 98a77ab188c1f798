// SPDX-License-Identifier: GPL-2.0-only
/* Sizes: units and overflow; a printed size can be read again. */
#include "unit.h"

#include "base/util.h"

static void good(const char *text, uint64_t sectors)
{
	uint64_t got = 1;

	assert_null(size_parse(text, &got));
	assert_int_equal(got, sectors);
}

static void bad(const char *text, const char *fragment)
{
	uint64_t got;
	const char *wrong = size_parse(text, &got);

	assert_non_null(wrong);
	assert_non_null(strstr(wrong, fragment));
}

static void size_binary_units(void **state __unused)
{
	good("0", 0);
	good("64K", 128);
	good("64k", 128);
	good("64KiB", 128);
	good("1M", 2048);
	good("1G", 2097152);
	good("1T", 2147483648ULL);
	good("1P", 2199023255552ULL);
}

static void size_decimal_units(void **state __unused)
{
	good("512KB", 1000);
	good("512kb", 1000);
	good("1GIB", 1 << 21);
	good("1mib", 2048);
	good("2048S", 2048);
	good("512b", 1);
	good("64MB", 125000);
	good("8GB", 15625000);
	good("1TB", 1953125000);
}

static void size_decimals(void **state __unused)
{
	good("1.5M", 3072);
	good("0.5K", 1);
	good("0.0K", 0);
	good("2.50G", 5242880);
	good("12.8GB", 25000000);
	good("7.68TB", 15000000000ULL);
	good("30.72TB", 60000000000ULL);
	good("2.0s", 2);
	good("0.0009765625M", 2);
}

static void size_sectors_and_bytes(void **state __unused)
{
	good("123s", 123);
	good("4096B", 8);
	good("0s", 0);
	good("18446744073709551615s", UINT64_MAX);
	good("16777216T", 1ULL << 55);
}

static void size_wrong(void **state __unused)
{
	bad("", "not a number");
	bad("K", "not a number");
	bad("-1K", "not a number");
	bad("+1K", "not a number");
	bad("64", "unit is missing");
	bad("64X", "unknown unit");
	bad("64Kibi", "unknown unit");
	bad("64KK", "unknown unit");
	bad("1,5G", "unknown unit");
	bad("1.5", "unit is missing");
	bad("0.0", "unit is missing");
	bad("1.G", "not a number");
	bad(".5G", "not a number");
	bad("1.5.5G", "not a number");
	bad("0.3K", "multiple of a sector");
	bad("0x10K", "not a number");
	bad("1e3K", "not a number");
	bad("infK", "not a number");
	bad("1.5s", "multiple of a sector");
	bad("0.00000000000000000001P", "multiple of a sector");
	bad("1.8446744073709551616P", "multiple of a sector");
	bad("7.6800000001TB", "multiple of a sector");
	bad("1000B", "multiple of a sector");
	bad("1MB", "multiple of a sector");
	bad("18446744073709551616s", "too large");
	bad("8589934592T", "too large");
}

static void size_printed_can_be_read(void **state __unused)
{
	static const uint64_t sizes[] = {
		0, 1, 2, 7, 128, 2047, 2048, 2049, 3072, 2097152, 4194303,
		2147483648ULL, 1ULL << 53, (1ULL << 53) + 2,
		UINT64_MAX / SECTOR_SIZE - 1, UINT64_MAX / SECTOR_SIZE + 1, UINT64_MAX - 1,
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		_cleanup_free_ char *text = size_format(sizes[i]);

		good(text, sizes[i]);
	}
}

static void size_short_form(void **state __unused)
{
	_cleanup_free_ char *a = size_format_short(3221225472ULL);
	_cleanup_free_ char *b = size_format_short(131072);
	_cleanup_free_ char *c = size_format_short(1);

	assert_string_equal(a, "1.5T");
	assert_string_equal(b, "64M");
	assert_string_equal(c, "1s");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(size_binary_units),
		cmocka_unit_test(size_decimal_units),
		cmocka_unit_test(size_decimals),
		cmocka_unit_test(size_sectors_and_bytes),
		cmocka_unit_test(size_wrong),
		cmocka_unit_test(size_printed_can_be_read),
		cmocka_unit_test(size_short_form),
	};

	return cmocka_run_group_tests_name("size", tests, NULL, NULL);
}
