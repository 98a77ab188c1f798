// SPDX-License-Identifier: GPL-2.0-only
/* Planning a table from devices: layout, rounding, DEV[:START[+LEN]]. */
#include "unit.h"
#include "devices.h"

#include "base/util.h"
#include "model/finding.h"
#include "model/plan.h"
#include "model/table-target.h"
#include "model/table-text.h"
#include "model/table.h"

#define CHUNK_64K	128

static const struct test_device list[] = {
	{ "/dev/a", MIB_SECTORS(64), 512 },
	{ "/dev/b", MIB_SECTORS(64), 512 },
	{ "/dev/odd", 131071, 512 },
	{ "/dev/tiny", 3, 512 },
	{ "/dev/4k", MIB_SECTORS(64), 4096 },
	{ 0 },
};

static const struct facts_source devices = TEST_SOURCE;

/* Plan a table from the words and compare it.  Return: the findings. */
static struct findings plan(enum target_kind kind, uint32_t chunk,
			    const char *words, const char *expected)
{
	struct plan_request req = { .kind = kind, .chunk = chunk };
	_cleanup_table_ struct table t = { 0 };
	_cleanup_free_ char *printed = NULL;
	struct findings findings = { 0 };
	_cleanup_names_ struct names w;
	unsigned int i;

	names_split(&w, words);
	for (i = 0; i < w.nr; i++) {
		GROW(req.legs, req.nr_legs);
		assert_null(plan_parse_leg(&req.legs[req.nr_legs++], w.name[i]));
	}
	plan_table(&req, &devices, &t, &findings);
	printed = table_print(&t, false, NULL);
	assert_string_equal(printed, expected);
	plan_request_free(&req);
	return findings;
}

static void says(struct findings findings, unsigned int errors,
		 unsigned int warnings, const char *fragment)
{
	assert_int_equal(findings_count(&findings, FINDING_ERROR), errors);
	assert_int_equal(findings_count(&findings, FINDING_WARNING), warnings);
	if (fragment)
		assert_non_null(strstr(findings.finding[0].text, fragment));
	findings_free(&findings);
}

static void plan_linear_one(void **state __unused)
{
	says(plan(TARGET_LINEAR, 0, "/dev/a", "0 131072 noclone-linear /dev/a 0"),
	     0, 0, NULL);
	says(plan(TARGET_LINEAR, 0, "/dev/a:1M", "0 129024 noclone-linear /dev/a 2048"),
	     0, 0, NULL);
	says(plan(TARGET_LINEAR, 0, "/dev/a:1M+1M", "0 2048 noclone-linear /dev/a 2048"),
	     0, 0, NULL);
	says(plan(TARGET_LINEAR, 0, "/dev/a:+8s", "0 8 noclone-linear /dev/a 0"),
	     0, 0, NULL);
}

static void plan_linear_joined(void **state __unused)
{
	says(plan(TARGET_LINEAR, 0, "/dev/a /dev/b:32M /dev/a:8s+8s",
		  "0 131072 noclone-linear /dev/a 0\n"
		  "131072 65536 noclone-linear /dev/b 65536\n"
		  "196608 8 noclone-linear /dev/a 8"), 0, 0, NULL);
}

static void plan_linear_rounds_to_largest_block(void **state __unused)
{
	says(plan(TARGET_LINEAR, 0, "/dev/odd /dev/4k",
		  "0 131064 noclone-linear /dev/odd 0\n"
		  "131064 131072 noclone-linear /dev/4k 0"),
	     0, 1, "/dev/odd: the last 7s of the device stay unused");
	says(plan(TARGET_LINEAR, 0, "/dev/tiny /dev/4k",
		  "0 131072 noclone-linear /dev/4k 0"), 1, 1, NULL);
}

static void plan_striped_even(void **state __unused)
{
	says(plan(TARGET_STRIPED, CHUNK_64K, "/dev/a /dev/b",
		  "0 262144 noclone-striped 2 128 /dev/a 0 /dev/b 0"), 0, 0, NULL);
}

static void plan_striped_rounds_to_smallest(void **state __unused)
{
	says(plan(TARGET_STRIPED, CHUNK_64K, "/dev/a /dev/odd /dev/b:1M",
		  "0 387072 noclone-striped 3 128 /dev/a 0 /dev/odd 0 /dev/b 2048"),
	     0, 2, "/dev/a: the last 1M of the device stay unused");
	says(plan(TARGET_STRIPED, 48, "/dev/a /dev/b",
		  "0 262080 noclone-striped 2 48 /dev/a 0 /dev/b 0"), 0, 2,
	     "16K of the device stay unused");
}

static void plan_striped_refuses(void **state __unused)
{
	says(plan(TARGET_STRIPED, CHUNK_64K, "/dev/a /dev/tiny", ""), 1, 0,
	     "larger than the smallest leg");
}

static void plan_refuses_devices(void **state __unused)
{
	says(plan(TARGET_LINEAR, 0, "/dev/missing /dev/gone", ""), 2, 0,
	     "Device not found");
	says(plan(TARGET_LINEAR, 0, "/dev/missing /dev/missing:1M", ""), 1, 0,
	     "Device not found");
	says(plan(TARGET_LINEAR, 0, "a:1M", ""), 1, 0, "\"a\": No such file or directory; use the path /dev/a");
	says(plan(TARGET_LINEAR, 0, "/dev/a:64M", ""), 1, 0, "too small");
	says(plan(TARGET_LINEAR, 0, "/dev/a:32M+33M", ""), 1, 0, "too small");
	says(plan(TARGET_LINEAR, 0, "/dev/a:18446744073709551615s+1s", ""), 1, 0,
	     "too small");
	says(plan(TARGET_LINEAR, 0, "/dev/a:1s+18446744073709551615s", ""), 1, 0,
	     "too small");
}

static void spec(const char *text, const char *device, uint64_t start,
		 uint64_t length)
{
	struct leg_spec s;

	assert_null(plan_parse_leg(&s, text));
	assert_string_equal(s.device, device);
	assert_int_equal(s.start, start);
	assert_int_equal(s.length, length);
	free(s.device);
}

static void leg_spec_good(void **state __unused)
{
	spec("/dev/a", "/dev/a", 0, 0);
	spec("/dev/a:0", "/dev/a", 0, 0);
	spec("/dev/a:2048s+64K", "/dev/a", 2048, 128);
	spec("8:16", "8:16", 0, 0);
	spec("8:0", "8:0", 0, 0);
	spec("8:16:1M", "8:16", 2048, 0);
	spec("UUID=abc:1M+1M", "UUID=abc", 2048, 2048);
	spec("PARTLABEL=a:b", "PARTLABEL=a:b", 0, 0);
	spec("/dev/disk/by-path/pci-0000:00:1f.2-ata-1",
	     "/dev/disk/by-path/pci-0000:00:1f.2-ata-1", 0, 0);
	spec("/dev/disk/by-path/pci-0000:00:05.0", "/dev/disk/by-path/pci-0000:00:05.0", 0, 0);
	spec("/dev/disk/by-path/pci-0000:00:1f.2-ata-1:1M",
	     "/dev/disk/by-path/pci-0000:00:1f.2-ata-1", 2048, 0);
}

static void spec_wrong(const char *text, const char *fragment)
{
	struct leg_spec s;
	const char *wrong = plan_parse_leg(&s, text);

	assert_non_null(wrong);
	assert_non_null(strstr(wrong, fragment));
	free(s.device);
}

static void leg_spec_wrong(void **state __unused)
{
	spec_wrong("", "empty");
	spec_wrong(":1M", "empty");
	spec_wrong("/dev/a:2048", "unit is missing");
	spec_wrong("/dev/a:1M+", "not a number");
	spec_wrong("/dev/a:1M+0", "the length is 0");
	spec_wrong("/dev/a:1M+7", "unit is missing");
	spec_wrong("/dev/a:1Q", "unknown unit");
	spec_wrong("/dev/a:1.3K", "not a multiple");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(plan_linear_one),
		cmocka_unit_test(plan_linear_joined),
		cmocka_unit_test(plan_linear_rounds_to_largest_block),
		cmocka_unit_test(plan_striped_even),
		cmocka_unit_test(plan_striped_rounds_to_smallest),
		cmocka_unit_test(plan_striped_refuses),
		cmocka_unit_test(plan_refuses_devices),
		cmocka_unit_test(leg_spec_good),
		cmocka_unit_test(leg_spec_wrong),
	};

	test_devices = list;
	return cmocka_run_group_tests_name("plan", tests, NULL, NULL);
}
