// SPDX-License-Identifier: GPL-2.0-only
/* Extents as FIEMAP reports them, summarized. */
#include "unit.h"

#include <linux/fiemap.h>

#include "base/util.h"
#include "model/file-map.h"

#define WRITTEN(from, to)	{ .fe_logical = (from), .fe_length = (to) - (from) }
#define FLAGGED(from, to, flags)					\
	{ .fe_logical = (from), .fe_length = (to) - (from), .fe_flags = (flags) }

static void map_without_gaps(void **state __unused)
{
	const struct fiemap_extent e[] = {
		WRITTEN(0, 4096), WRITTEN(4096, 16384),
	};
	_cleanup_file_map_ struct file_map map;

	/* the last block is longer than the file */
	file_map_extents(&map, e, 2, 16000);
	assert_true(map.known);
	assert_int_equal(map.nr_gaps, 0);
	assert_int_equal(map.gap_bytes, 0);
	assert_int_equal(map.extents, 2);
}

static void map_with_gaps(void **state __unused)
{
	const struct fiemap_extent e[] = {
		WRITTEN(4096, 8192),
		FLAGGED(8192, 12288, FIEMAP_EXTENT_UNWRITTEN),
		/* preallocated, behind a hole, and beyond the end */
		FLAGGED(16384, 32768, FIEMAP_EXTENT_UNWRITTEN),
		FLAGGED(65536, 131072, FIEMAP_EXTENT_UNWRITTEN),
	};
	_cleanup_file_map_ struct file_map map;

	file_map_extents(&map, e, 4, 20000);
	assert_int_equal(map.nr_gaps, 2);
	assert_int_equal(map.gap[0].begin, 0);
	assert_int_equal(map.gap[0].end, 4096);
	assert_int_equal(map.gap[1].begin, 8192);
	assert_int_equal(map.gap[1].end, 20000);
	assert_int_equal(map.gap_bytes, 4096 + 20000 - 8192);
	assert_int_equal(map.extents, 3);
}

static void map_of_nothing(void **state __unused)
{
	_cleanup_file_map_ struct file_map map;

	file_map_extents(&map, NULL, 0, 0);
	assert_int_equal(map.nr_gaps, 0);
	file_map_extents(&map, NULL, 0, 5);
	assert_int_equal(map.nr_gaps, 1);
	assert_int_equal(map.gap_bytes, 5);
}

static void map_of_what_is_elsewhere(void **state __unused)
{
	const struct fiemap_extent e[] = {
		FLAGGED(0, 4096, FIEMAP_EXTENT_SHARED),
		FLAGGED(4096, 8192, FIEMAP_EXTENT_ENCODED),
		FLAGGED(8192, 12288, FIEMAP_EXTENT_UNKNOWN | FIEMAP_EXTENT_DELALLOC),
		FLAGGED(12288, 12300, FIEMAP_EXTENT_DATA_INLINE |
			FIEMAP_EXTENT_NOT_ALIGNED | FIEMAP_EXTENT_LAST),
	};
	_cleanup_file_map_ struct file_map map;

	file_map_extents(&map, e, 4, 12300);
	assert_int_equal(map.nr_gaps, 0);
	assert_int_equal(map.shared, 4096);
	assert_int_equal(map.elsewhere, 8192 + 12);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(map_without_gaps),
		cmocka_unit_test(map_with_gaps),
		cmocka_unit_test(map_of_nothing),
		cmocka_unit_test(map_of_what_is_elsewhere),
	};

	return cmocka_run_group_tests_name("file-map", tests, NULL, NULL);
}
