// SPDX-License-Identifier: GPL-2.0-only
/* Which chunk suits the devices below a striped one. */
#include "model/chunk.h"

#include "base/util.h"

/* Documentation/admin-guide/device-mapper/noclone-striped.rst says why. */
#define USUAL	(256U << 10)
/* What a device calls optimal may be nonsense, such as 65535 sectors. */
#define LARGEST	(1U << 20)
#define LEAST	4096U

static bool chunk_is_power(uint32_t bytes)
{
	return bytes && !(bytes & (bytes - 1));
}

/* The largest power of two that is not more than @n, which is not 0. */
static uint64_t chunk_round_down_to_power(uint64_t n)
{
	while (n & (n - 1))
		n &= n - 1;
	return n;
}

/* What a chunk should be a multiple of, if that is reasonable */
static uint32_t chunk_preferred(const struct queue_limits *l)
{
	const uint32_t wish[] = {
		l->physical_block, l->minimum_io, l->optimal_io, l->discard_granularity,
	};
	uint32_t most = LEAST;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(wish); i++)
		if (chunk_is_power(wish[i]) && wish[i] <= LARGEST)
			most = MAX(most, wish[i]);
	return most;
}

struct chunk_choice chunk_choose(const struct queue_limits *const *limits,
				 unsigned int nr, uint64_t smallest)
{
	uint64_t chunk = USUAL, room = smallest << SECTOR_SHIFT;
	const char *why = "larger than most I/O, so that little of it crosses a border";
	unsigned int i;

	for (i = 0; i < nr; i++) {
		if (chunk_preferred(limits[i]) <= chunk)
			continue;
		chunk = chunk_preferred(limits[i]);
		why = "the block, or the I/O or discard size, that a device prefers";
	}
	if (room && room < chunk) {
		chunk = chunk_round_down_to_power(room);
		why = "a leg is not larger";
	}
	return (struct chunk_choice) { chunk >> SECTOR_SHIFT, why };
}
