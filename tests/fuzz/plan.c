// SPDX-License-Identifier: GPL-2.0-only
/*
 * Fuzz plans: a planned table has no gap and passes the checks, and growing never shrinks or moves
 * anything.
 */
#include "fuzz.h"

#include "devices.h"
#include "model/finding.h"
#include "model/lint.h"
#include "model/plan.h"
#include "model/resize.h"
#include "model/table-target.h"
#include "model/table.h"

#define MAX_LEGS	4
/*
 * MAX_BITS: the largest number of bits of a size in sectors. A device of four such legs is not too
 * large.
 */
#define MAX_BITS	51

struct input {
	const uint8_t *data;
	size_t size;
};

static uint8_t plan_byte(struct input *in)
{
	return in->size ? in->size--, *in->data++ : 0;
}

/* Return: a number below 1 << @bits, of a random magnitude. */
static uint64_t plan_number(struct input *in, unsigned int bits)
{
	unsigned int keep = plan_byte(in) % (bits + 1);
	uint64_t n = 0;

	for (bits = 0; bits < keep; bits += 8)
		n = n << 8 | plan_byte(in);
	return keep ? n & (UINT64_MAX >> (64 - keep)) : 0;
}

/* Check that the table has no gap.  Return: its end. */
static uint64_t plan_has_no_gap(const struct table *t)
{
	uint64_t at = 0;
	unsigned int i;

	for (i = 0; i < t->nr; i++) {
		assert(t->targets[i].start == at && t->targets[i].length);
		at += t->targets[i].length;
	}
	return at;
}

/* Extend the table on the sectors behind its last target, or on other devices. */
static void plan_grow(struct input *in, const struct table *old, const struct leg_spec *legs)
{
	struct resize_size size = { plan_byte(in) % 3, plan_number(in, 64) };
	struct resize_room room = { plan_number(in, MAX_BITS), 512 << plan_byte(in) % 4,
				    legs, plan_byte(in) % MAX_LEGS };
	const struct target *last = &old->targets[old->nr - 1];
	uint64_t has = table_sectors(old), to, unit = room.block >> SECTOR_SHIFT;
	_cleanup_table_ struct table new = { 0 };
	_cleanup_free_ char *why = resize_table(old, &size, &room, &new);

	if (why)
		return;
	to = plan_has_no_gap(&new);
	assert(to >= has && table_same_mapping(old, &new));
	assert(room.nr_legs || to - has <= room.free);
	if (!room.nr_legs && last->kind == TARGET_STRIPED)
		unit = (uint64_t)last->chunk * last->nr_legs;
	if (size.how == RESIZE_TO)
		assert(to >= size.sectors && to - size.sectors < unit);
	if (size.how == RESIZE_MORE)
		assert(to - has >= size.sectors && to - has - size.sectors < unit);
}

static void plan_devices(struct input *in)
{
	struct test_device list[MAX_LEGS + 1] = { 0 };
	static char names[MAX_LEGS][2] = { "a", "b", "c", "d" };
	struct leg_spec legs[MAX_LEGS];
	bool good;
	const struct facts_source src = TEST_SOURCE;
	_cleanup_findings_ struct findings findings = { 0 };
	_cleanup_table_ struct table t = { 0 };
	struct plan_request req = { TARGET_LINEAR, legs, 1 + plan_byte(in) % MAX_LEGS,
				    plan_number(in, 32), NULL, plan_byte(in) % 2 };
	unsigned int i;

	test_devices = list;
	if (req.chunk)
		req.kind = TARGET_STRIPED;
	/*
	 * starts are whole blocks, because starts are not rounded, and the checks refuse other
	 * starts
	 */
	for (i = 0; i < MAX_LEGS; i++) {
		list[i] = (struct test_device) { names[i], plan_number(in, MAX_BITS),
						 512 << plan_byte(in) % 4 };
		legs[i] = (struct leg_spec) { xstrdup(names[i]), plan_number(in, MAX_BITS) & ~7ULL,
					      plan_number(in, MAX_BITS) };
	}
	plan_table(&req, &src, &t, &findings);
	if (!findings_count(&findings, FINDING_ERROR)) {
		plan_has_no_gap(&t);
		lint_table(&t, &src, 0, &findings);
		/* a chunk that is not a multiple of a logical block is an error */
		good = !findings_count(&findings, FINDING_ERROR);
		assert((good || req.chunk % 8) && !resize_objection(&t));
		if (good)
			plan_grow(in, &t, legs);
	}
	for (i = 0; i < MAX_LEGS; i++)
		free(legs[i].device);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in = { data, size };

	plan_devices(&in);
	return 0;
}
