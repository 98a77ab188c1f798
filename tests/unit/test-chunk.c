// SPDX-License-Identifier: GPL-2.0-only
/* The chunk of a striped device that is created without --chunk. */
#include "unit.h"

#include "base/util.h"
#include "model/plan.h"

#define KIB	(1U << 10)
#define MIB	(1U << 20)

static void choose(const struct device_facts *a, const struct device_facts *b,
		   uint64_t smallest, uint32_t bytes, const char *why)
{
	const struct device_facts f[] = { *a, *(b ? b : a) };
	struct chunk_choice c = chunk_choose(f, b ? 2 : 1, smallest);

	assert_int_equal(c.sectors << SECTOR_SHIFT, bytes);
	assert_non_null(strstr(c.why, why));
}

static void chunks(void **state __unused)
{
	const struct device_facts none = { 0 };
	const struct device_facts usual = {
		.physical_block = 4096, .minimum_io = 4096,
		.discard_granularity = 4096,
	};
	struct device_facts l = usual;

	choose(&none, NULL, 0, 256 * KIB, "larger than most I/O");
	choose(&usual, &none, 1 << 20, 256 * KIB, "larger than most I/O");
	l.optimal_io = 512 * KIB;
	choose(&usual, &l, 1 << 20, 512 * KIB, "prefers");
	/* not a power of two, and nonsense */
	l.optimal_io = 384 * KIB;
	choose(&l, NULL, 0, 256 * KIB, "larger than most");
	l.optimal_io = 16776704;
	choose(&l, NULL, 0, 256 * KIB, "larger than most");
	l = usual;
	l.minimum_io = 512 * KIB;
	choose(&l, &usual, 0, 512 * KIB, "prefers");
	l = usual;
	l.discard_granularity = MIB;
	choose(&l, NULL, 0, MIB, "prefers");
	l.discard_granularity = 2 * MIB;
	choose(&l, NULL, 0, 256 * KIB, "larger than most");
	choose(&usual, NULL, 100 * 2, 64 * KIB, "a leg is not larger");
	choose(&usual, NULL, 1, 512, "a leg is not larger");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(chunks),
	};

	return cmocka_run_group_tests_name("chunk", tests, NULL, NULL);
}
