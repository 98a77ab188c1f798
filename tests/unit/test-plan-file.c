// SPDX-License-Identifier: GPL-2.0-only
/* What has to be done to a backing file, and which engine a reload requests. */
#include "unit.h"

#include "base/util.h"
#include "model/facts.h"
#include "model/finding.h"
#include "model/plan.h"
#include "model/table.h"

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
	const struct file_facts dir = { .kind = FILE_DIRECTORY };

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
	DECIDE(&file, BACKING_KEEP, "never made smaller", .bytes = MIB - 512);
	DECIDE(&dir, BACKING_KEEP, "is a directory", .bytes = MIB);
}

/* The engine that is requested then; NULL: the targets disagree. */
static void keeps_engine(const char *live, const char *engine, bool given)
{
	struct file_request req = { .engine = ENGINE_DIRECT };
	_cleanup_findings_ struct findings p = { 0 };
	_cleanup_table_ struct table t = { 0 };

	table_parse(&t, live, &p);
	assert_int_equal(plan_file_engine(&t, &req), !!engine);
	assert_string_equal(engine_name(req.engine), engine ? engine : "direct");
	assert_int_equal(req.engine_given, given);
}

static void plan_keeps_the_engine(void **state __unused)
{
	keeps_engine("0 8 noclone-file /f 0", "direct", false);
	keeps_engine("0 8 noclone-file /f 0 2 engine direct", "direct", true);
	keeps_engine("0 8 noclone-file /f 0 3 engine extent no_fastpath",
		     "extent", true);
	keeps_engine("0 8 linear 8:0 0\n8 8 noclone-file /f 0 2 engine sync\n"
		     "16 8 noclone-file /g 0 2 engine sync", "sync", true);
	keeps_engine("0 8 noclone-file /f 0 2 engine sync\n"
		     "8 8 noclone-file /g 0", NULL, false);
	keeps_engine("0 8 linear 8:0 0", "direct", false);
}

static void plan_changes_no_protected_file(void **state __unused)
{
	const struct file_facts immutable = { .bytes = MIB, .immutable = true };
	const struct file_facts append = { .bytes = MIB, .append_only = true };
	const struct file_facts readonly = { .bytes = MIB, .readonly = true };

	DECIDE(&immutable, BACKING_KEEP, NULL, .bytes = MIB);
	DECIDE(&immutable, BACKING_KEEP, "chattr -i", .allocate = true);
	DECIDE(&append, BACKING_KEEP, "chattr -a", .bytes = 2 * MIB);
	DECIDE(&readonly, BACKING_KEEP, "cannot be written", .allocate = true);
}

static void facts_after_the_change(void **state __unused)
{
	struct file_facts f = { .kind = FILE_DIRECTORY };
	struct file_request req = { .bytes = MIB };

	plan_file_facts(&req, &f);
	assert_int_equal(f.kind, FILE_REGULAR);
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
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(plan_what_becomes_of_a_file),
		cmocka_unit_test(plan_keeps_the_engine),
		cmocka_unit_test(plan_changes_no_protected_file),
		cmocka_unit_test(facts_after_the_change),
	};

	return cmocka_run_group_tests_name("plan-file", tests, NULL, NULL);
}
