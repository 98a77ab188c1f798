// SPDX-License-Identifier: GPL-2.0-only
/* The steps that prepare a backing file. */
#include "unit.h"

#include "base/util.h"
#include "model/file-map.h"
#include "model/plan.h"

#define MIB	(1ULL << 20)

static void decides(const struct file_request *req,
		    const struct file_facts *facts, enum backing_action expected,
		    const char *fragment)
{
	enum backing_action action;
	const char *wrong = plan_file_action(req, facts, &action);

	if (fragment) {
		assert_non_null(wrong);
		assert_non_null(strstr(wrong, fragment));
		return;
	}
	assert_null(wrong);
	assert_int_equal(action, expected);
}

#define DECIDE(facts, expected, fragment, ...)				\
	decides(&(struct file_request) { __VA_ARGS__ }, facts, expected, fragment)

static void plan_what_becomes_of_a_file(void **state __unused)
{
	const struct file_facts file = { .bytes = MIB };
	const struct file_facts dir = { .problem = "is a directory" };

	DECIDE(NULL, BACKING_CREATE, NULL, .bytes = MIB);
	DECIDE(NULL, BACKING_CREATE, NULL, .bytes = MIB, .engine = ENGINE_EXTENT,
	       .allocate = true);
	DECIDE(NULL, BACKING_KEEP, "--size SIZE creates it", .allocate = true);
	DECIDE(NULL, BACKING_KEEP, "add --allocate", .bytes = MIB,
	       .engine = ENGINE_EXTENT);
	DECIDE(&file, BACKING_KEEP, NULL, .bytes = 0);
	DECIDE(&file, BACKING_KEEP, NULL, .bytes = MIB, .engine = ENGINE_EXTENT);
	DECIDE(&file, BACKING_KEEP, NULL, .allocate = true);
	DECIDE(&file, BACKING_GROW, NULL, .bytes = MIB + 512);
	DECIDE(&file, BACKING_KEEP, "add --allocate", .bytes = MIB + 512,
	       .engine = ENGINE_EXTENT);
	DECIDE(&file, BACKING_KEEP, "never makes a file smaller", .bytes = MIB - 512);
	DECIDE(&dir, BACKING_KEEP, "is a directory", .bytes = MIB);
}

static void facts_after_the_change(void **state __unused)
{
	struct file_facts f = { .problem = "is a directory" };
	struct file_request req = { .bytes = MIB };

	plan_file_facts(&req, &f);
	assert_null(f.problem);
	assert_int_equal(f.bytes, MIB);
	assert_int_equal(f.allocated, 0);
	req = (struct file_request) { .allocate = true };
	file_map_gap(&f.map, 0, MIB);
	f.map.shared = 4096;
	plan_file_facts(&req, &f);
	assert_int_equal(f.map.nr_gaps, 0);
	assert_int_equal(f.map.gap_bytes, 0);
	assert_int_equal(f.map.shared, 4096);
	assert_int_equal(f.bytes, MIB);
	assert_int_equal(f.allocated, 2048);
	assert_true(f.map.known);
	/* the blocks of the file are already allocated, and the rest has to be free */
	f.has_free = true;
	f.free = MIB;
	req.bytes = 2 * MIB;
	assert_null(plan_file_facts(&req, &f));
	req.bytes = 3 * MIB + 1;
	assert_non_null(strstr(plan_file_facts(&req, &f), "than --allocate needs"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(plan_what_becomes_of_a_file),
		cmocka_unit_test(facts_after_the_change),
	};

	return cmocka_run_group_tests_name("plan-file", tests, NULL, NULL);
}
