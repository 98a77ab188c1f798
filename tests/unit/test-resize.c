// SPDX-License-Identifier: GPL-2.0-only
/* Resizing: the meaning of the words, and the new tables. */
#include "unit.h"

#include "base/util.h"
#include "model/finding.h"
#include "model/plan.h"
#include "model/resize.h"
#include "model/table-text.h"
#include "model/table.h"

#define PLENTY	(1ULL << 40)

static void good(const char *text, enum resize_how how, uint64_t sectors)
{
	struct resize_size size;

	assert_null(resize_parse(&size, text));
	assert_int_equal(size.how, how);
	assert_int_equal(size.sectors, sectors);
}

static void words(void **state __unused)
{
	static const char * const bad[] = {
		"", "+", "-", "0", "+0", "-8s", "10", "+-1G", "-1G", "1X", "maximum", "+max",
	};
	struct resize_size size;
	size_t i;

	good("1G", RESIZE_TO, 2097152);
	good("+1.5M", RESIZE_MORE, 3072);
	good("max", RESIZE_MAX, 0);
	for (i = 0; i < ARRAY_SIZE(bad); i++)
		assert_non_null(resize_parse(&size, bad[i]));
}

static void parse(struct table *t, const char *text)
{
	_cleanup_findings_ struct findings findings = { 0 };

	table_parse(t, text, &findings);
	assert_int_equal(findings.nr, 0);
}

/* Compare the table after a resize of @old to @size, or a part of the error. */
static void becomes(const char *old, const char *size, const struct resize_room *room,
		    const char *expected)
{
	_cleanup_table_ struct table t = { 0 }, new = { 0 };
	_cleanup_free_ char *wrong = NULL, *text = NULL;
	struct resize_size s;

	parse(&t, old);
	assert_null(resize_parse(&s, size));
	wrong = resize_table(&t, &s, room, &new);
	text = wrong ? NULL : table_print(&new, false, NULL);
	if (wrong ? !strstr(wrong, expected) : strcmp(text, expected) != 0)
		fail_msg("%s: \"%s\" instead of \"%s\"", size, wrong ? wrong : text, expected);
}

#define LINEAR	"0 1000 noclone-linear 8:0 64"

static void linear_grows(void **state __unused)
{
	const struct resize_room room = { .free = 500, .block = 512 };
	const struct resize_room large_blocks = { .free = 512, .block = 4096 };

	becomes(LINEAR, "+500s", &room, "0 1500 noclone-linear 8:0 64");
	becomes(LINEAR, "1200s", &room, "0 1200 noclone-linear 8:0 64");
	becomes(LINEAR, "max", &room, "0 1500 noclone-linear 8:0 64");
	becomes(LINEAR, "1000s", &room, LINEAR);
	becomes(LINEAR, "+501s", &room, "another device, which you give as DEV[:START]");
	becomes(LINEAR, "1501s", &room, "would have to grow by 501s, but there is only 250K of free space");
	becomes(LINEAR, "+9007199254740992K", &room, "larger than a device can be");
	becomes(LINEAR, "+18446744073709551615s", &room, "larger than a device can be");
	becomes(LINEAR, "+1s", &large_blocks, "0 1008 noclone-linear 8:0 64");
}

static void no_room(void **state __unused)
{
	const struct resize_room room = { .block = 512 };

	becomes(LINEAR, "max", &room, LINEAR);
	becomes(LINEAR, "+1s", &room, "would have to grow by 1s, but no free sectors follow its last sector: a linear");
}

static void legs_are_added(void **state __unused)
{
	static char names[][5] = { "8:16", "8:32", "8:48" };
	const struct leg_spec legs[] = {
		{ names[0], 0, 103 }, { names[1], 8, 4 }, { names[2], 16, 1000 },
	};
	const struct resize_room room = {
		.free = PLENTY, .block = 4096, .leg = legs, .nr_legs = 3,
	};

	/* 103 sectors have room for 12 blocks of 8, and the second leg has no room */
	becomes(LINEAR, "+100s", &room,
		LINEAR "\n1000 96 noclone-linear 8:16 0\n1096 8 noclone-linear 8:48 16");
	becomes(LINEAR, "+96s", &room, LINEAR "\n1000 96 noclone-linear 8:16 0");
	becomes(LINEAR, "max", &room,
		LINEAR "\n1000 96 noclone-linear 8:16 0\n1096 1000 noclone-linear 8:48 16");
	becomes(LINEAR, "+1097s", &room, "on the given devices");
	becomes("0 64 linear 8:0 0", "+8s", &room,
		"0 64 linear 8:0 0\n64 8 linear 8:16 0");
	becomes("0 64 noclone-linear 8:0 0 1 no_fastpath", "+8s", &room,
		"0 64 noclone-linear 8:0 0 1 no_fastpath\n"
		"64 8 noclone-linear 8:16 0 1 no_fastpath");
}

#define STRIPED	"0 480 noclone-striped 3 16 8:0 0 8:16 0 8:32 0"

static void striped_grows_by_stripes(void **state __unused)
{
	_cleanup_table_ struct table t = { 0 };
	struct resize_room room = { .block = 512 };

	parse(&t, STRIPED);
	room.free = resize_legs_room(&t.targets[0], 40);
	assert_int_equal(room.free, 32 * 3);
	becomes(STRIPED, "+1s", &room, "0 528 noclone-striped 3 16 8:0 0 8:16 0 8:32 0");
	becomes(STRIPED, "max", &room, "0 576 noclone-striped 3 16 8:0 0 8:16 0 8:32 0");
	becomes(STRIPED, "+97s", &room, "would have to grow by 72K, rounded up to whole stripes or blocks, but there is only 48K of free space");
}

static void only_grows(void **state __unused)
{
	const struct resize_room room = { .free = PLENTY, .block = 512 };

	becomes(LINEAR, "999s", &room, "it has 500K, and \"noclone resize\" only makes a device larger: \"noclone reload\"");
	becomes(LINEAR, "1s", &room, "with a smaller table asks first, and then cuts the device to 1s");
}

static void files(void **state __unused)
{
	const struct resize_room room = { .free = 24, .block = 4096 };
	const char *file = "0 1000 noclone-file /a%20b 8 2 engine extent";

	becomes(file, "+9s", &room, "0 1016 noclone-file /a%20b 8 2 engine extent");
	becomes(file, "max", &room, "0 1024 noclone-file /a%20b 8 2 engine extent");
	becomes(file, "992s", &room, "a backing file keeps its size");
}

static void objections(void **state __unused)
{
	_cleanup_table_ struct table none = { 0 }, other = { 0 }, ours = { 0 };
	_cleanup_free_ char *empty = resize_objection(&none), *why = NULL;

	assert_non_null(empty);
	parse(&other, LINEAR "\n1000 8 error");
	why = resize_objection(&other);
	assert_non_null(strstr(why, "type error"));
	parse(&ours, LINEAR);
	assert_null(resize_objection(&ours));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(words),
		cmocka_unit_test(linear_grows),
		cmocka_unit_test(no_room),
		cmocka_unit_test(legs_are_added),
		cmocka_unit_test(striped_grows_by_stripes),
		cmocka_unit_test(only_grows),
		cmocka_unit_test(files),
		cmocka_unit_test(objections),
	};

	return cmocka_run_group_tests_name("resize", tests, NULL, NULL);
}
