// SPDX-License-Identifier: GPL-2.0-only
/* The chunk of a striped device that is created without --chunk. */
#include "unit.h"

#include "base/util.h"
#include "model/plan.h"

#define KIB	(1U << 10)

static void choose(uint32_t preferred, uint64_t smallest, uint32_t bytes, const char *why)
{
	const char *said;

	assert_int_equal(plan_choose_chunk(preferred, smallest, &said) << SECTOR_SHIFT, bytes);
	assert_non_null(strstr(said, why));
}

static void chunks(void **state __unused)
{
	choose(0, UINT64_MAX, 256 * KIB, "most I/O is smaller");
	choose(4096, 1 << 20, 256 * KIB, "most I/O is smaller");
	choose(512 * KIB, 1 << 20, 512 * KIB, "prefers");
	choose(0, 100 * 2, 64 * KIB, "a leg is too small");
	choose(512 * KIB, 1, 512, "a leg is too small");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(chunks),
	};

	return cmocka_run_group_tests_name("chunk", tests, NULL, NULL);
}
