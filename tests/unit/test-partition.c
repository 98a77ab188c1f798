// SPDX-License-Identifier: GPL-2.0-only
/* Which partition tables are accepted, and the devices of the partitions. */
#include "unit.h"

#include "dm-noclone.h"
#include "base/util.h"
#include "model/partition.h"
#include "model/table-target.h"

#define SECTORS	204800

/*
 * Check the objection to a device with SECTORS sectors. @fragment: a part of the expected sentence,
 * or NULL
 */
static void objects(const struct partition_table *t, uint32_t block, const char *fragment)
{
	struct partition_table copy = *t;
	_cleanup_free_ char *why = NULL;

	copy.sectors = SECTORS;
	copy.block = block;
	why = partition_objection(&copy);

	if (!fragment) {
		assert_null(why);
		return;
	}
	assert_non_null(why);
	assert_non_null(strstr(why, fragment));
}

/* Check the objection to a partition table with partitions of { number, start, sectors }. */
#define OBJECTS(word, block, fragment, ...) do {			\
	struct partition list[] = { __VA_ARGS__ };			\
									\
	objects(&(struct partition_table) { .scheme = (word), .part = list,	\
					    .nr = ARRAY_SIZE(list) }, block, fragment);	\
} while (0)

static void accepted(void **state __unused)
{
	OBJECTS("gpt", 512, NULL, { 1, 2048, 4096, false }, { 3, 6144, SECTORS - 6144, false });
	OBJECTS("gpt", 4096, NULL, { 128, 2048, 4096, false });
	/* an extended partition contains others, in any order */
	OBJECTS("dos", 512, NULL, { 2, 4096, 8192, true }, { 5, 8192, 2048, false },
		{ 6, 4098, 2048, false });
}

static void behind_the_end(void **state __unused)
{
	OBJECTS("dos", 512, "partition 2 needs 100663808 bytes from byte 4194304, but the device has only 104857600",
		{ 1, 2048, 4096, false }, { 2, 8192, SECTORS - 8191, false });
	OBJECTS("dos", 512, "partition 1 needs", { 1, SECTORS + 1, 1, false });
	OBJECTS("dos", 512, "partition 5 needs", { 5, 8, UINT64_MAX - 16, false });
	OBJECTS("dos", 512, "partition 2 needs", { 1, 1, 1, false }, { 2, 2048, SECTORS, true });
}

static void common_sectors(void **state __unused)
{
	OBJECTS("dos", 512, "partitions 1 and 3 overlap", { 1, 2048, 4096, false },
		{ 2, 8192, 1, false }, { 3, 6143, 1, false });
	OBJECTS("dos", 512, NULL, { 1, 2048, 4096, false }, { 3, 6144, 1, false });
	objects(&(struct partition_table) {
		.scheme = "dos", .readonly = true, .nr = 2,
		.part = (struct partition []) { { 1, 0, SECTORS, false }, { 2, 64, 8, false } },
	}, 512, NULL);
}

static void no_partitions(void **state __unused)
{
	objects(&(struct partition_table) { .scheme = "gpt" }, 512, "(gpt) has no partition");
	OBJECTS("dos", 512, "(dos) has no partition", { 1, 2048, 4096, true });
	objects(&(struct partition_table) { .gpt_block = 0 }, 512, "it has no partition table");
	objects(&(struct partition_table) { .gpt_block = 512, .gpt_end = SECTORS }, 512, "damaged");
	objects(&(struct partition_table) { .gpt_block = 512, .gpt_end = SECTORS + 1 }, 512,
		"needs at least 104858112 bytes, but the device has only 104857600");
}

/* A user may have deleted the partitions of a saved device, but must see a damaged table. */
static void partitions_of_a_saved_device(void **state __unused)
{
	objects(&(struct partition_table) { .optional = true }, 512, NULL);
	objects(&(struct partition_table) { .optional = true, .scheme = "gpt" }, 512, NULL);
	objects(&(struct partition_table) { .optional = true, .scheme = "dos" }, 4096, NULL);
	objects(&(struct partition_table) { .optional = true, .scheme = "gpt", .damaged = 1 }, 512,
		"partition 1 has no sectors");
	objects(&(struct partition_table) { .optional = true, .gpt_block = 512, .gpt_end = SECTORS },
		512, "damaged");
}

static void lists_and_blocks(void **state __unused)
{
	struct partition list[] = { { 1, 2048, 4096, true }, { 5, 2050, 8, false } };

	objects(&(struct partition_table) { .scheme = "gpt", .part = list, .nr = 2, .damaged = 2 },
		512, "partition 2 has no sectors, or has sectors outside of those that its GPT allows");
	objects(&(struct partition_table) { .scheme = "dos", .part = list, .nr = 2, .damaged = 1 },
		512, "the extended partition 1 have a damaged list");
	OBJECTS("dos", 4096, "--engine buffered", { 1, 2048, 4096, false });
	objects(&(struct partition_table) { .gpt_block = 4096 }, 512,
		"losetup --sector-size 4096 --partscan");
	objects(&(struct partition_table) { .gpt_block = 512 }, 4096, "--engine buffered");
}

static void numbers(void **state __unused)
{
	struct partition list[] = { { 1, 2048, 4096, false }, { 4, 8192, 8192, true },
				    { 5, 8200, 8, false } };
	const struct partition_table t = { .part = list, .nr = ARRAY_SIZE(list) }, empty = { .nr = 0 };
	_cleanup_free_ char *some = partition_numbers(&t), *none = partition_numbers(&empty);

	assert_string_equal(some, " 1 5");
	assert_string_equal(none, "");
}

static void names(void **state __unused)
{
	assert_true(partition_has_name("a", " 1 12", "a-part1"));
	assert_true(partition_has_name("a", " 1 12", "a-part12"));
	assert_false(partition_has_name("a", " 1 12", "a-part2"));
	assert_false(partition_has_name("a", " 1 12", "a-part"));
	assert_false(partition_has_name("a", " 1 12", "a-part012"));
	assert_false(partition_has_name("a", "", "a-part1"));
	assert_false(partition_has_name("a-part1", " 1", "a-part1"));
}

static void same_partitions(void **state __unused)
{
	struct partition a = { 1, 2048, 4096, false }, b = a;
	const struct partition_table one = { .part = &a, .nr = 1 }, other = { .part = &b, .nr = 1 };

	assert_true(partition_same(&one, &other));
	b.start++;
	assert_false(partition_same(&one, &other));
	b = a;
	b.nr++;
	assert_false(partition_same(&one, &other));
	assert_false(partition_same(&one, &(struct partition_table) { .nr = 0 }));
}

static void devices(void **state __unused)
{
	const struct partition p = { 12, 2048, 4096, false };
	_cleanup_free_ char *name = partition_name("img", 12), *uuid = partition_uuid("NOCLONE-x", 12);
	_cleanup_free_ char *ours = NULL, *stock = NULL;
	_cleanup_table_ struct table on = { 0 }, t = { 0 };

	assert_string_equal(name, "img-part12");
	assert_string_equal(uuid, "part12-NOCLONE-x");
	partition_add_target(&t, &p, "/dev/mapper/img", &on);
	table_add_target(&on, 0, SECTORS, NOCLONE_FILE_NAME)->no_fastpath = true;
	partition_add_target(&t, &p, "/dev/mapper/img", &on);
	stock = target_print(&t.targets[0], false, NULL);
	ours = target_print(&t.targets[1], false, NULL);
	assert_string_equal(stock, "0 4096 linear /dev/mapper/img 2048");
	assert_string_equal(ours, "0 4096 noclone-linear /dev/mapper/img 2048 1 no_fastpath");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(accepted),
		cmocka_unit_test(behind_the_end),
		cmocka_unit_test(common_sectors),
		cmocka_unit_test(no_partitions),
		cmocka_unit_test(partitions_of_a_saved_device),
		cmocka_unit_test(lists_and_blocks),
		cmocka_unit_test(numbers),
		cmocka_unit_test(names),
		cmocka_unit_test(same_partitions),
		cmocka_unit_test(devices),
	};

	return cmocka_run_group_tests_name("partition", tests, NULL, NULL);
}
