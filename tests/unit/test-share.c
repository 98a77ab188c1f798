// SPDX-License-Identifier: GPL-2.0-only
/* The share of a device's I/O that takes the fast path. */
#include "unit.h"

#include "base/util.h"
#include "model/finding.h"
#include "model/status.h"
#include "model/table-text.h"
#include "model/table.h"

#define LINEAR	"0 8 linear 8:0 0"
#define OURS	"0 8 noclone-linear 8:0 0"

/*
 * Check the share of the fast path: @expected is "FAST OTHER REASON", between the counters of
 * @before and @now, or of @now alone if @before is NULL.
 */
static void share_is(const char *table, const char *now, const char *before,
		     const char *expected)
{
	_cleanup_findings_ struct findings findings = { 0 };
	_cleanup_status_ struct status s = { 0 }, old = { 0 };
	_cleanup_table_ struct table t = { 0 };
	_cleanup_free_ char *text = NULL;
	struct share share;

	table_parse(&t, table, &findings);
	if (now)
		assert_int_equal(status_parse(&s, now), 0);
	if (before)
		assert_int_equal(status_parse(&old, before), 0);
	share = status_share(&t, now ? &s : NULL, before ? &old : NULL);
	text = share.counted ? xasprintf("%llu %llu %s", (unsigned long long)share.fast,
					 (unsigned long long)share.other, share.reason ?: "-") :
			       xstrdup("not counted");
	assert_string_equal(text, expected);
}

static void stock_device(void **state __unused)
{
	share_is(LINEAR, NULL, NULL, "not counted");
	share_is("0 8 noclone-file /f 0", NULL, NULL, "not counted");
}

/* The module does not see clones of a stock target, so the counters of the reasons are used. */
static void attached_device(void **state __unused)
{
	share_is(LINEAR, "fastpath on 12 fast 90 reserve 5 clones 0 flush 1 split 4 inflight 7",
		 NULL, "95 5 split");
}

static void own_device(void **state __unused)
{
	share_is(OURS, "fastpath off:message 6 fast 999999 clones 1 flush 0", NULL, "999999 1 -");
	share_is(OURS, "fastpath on 2 fast 0", NULL, "0 0 -");
}

static void since_an_earlier_status(void **state __unused)
{
	const char *old = "fastpath on 6 fast 100 flush 50 split 1";
	const char *now = "fastpath on 6 fast 400 flush 50 split 101";

	share_is(LINEAR, now, old, "300 100 split");
	/* the earlier status belongs to another device of the same name */
	share_is(LINEAR, old, now, "100 1 split");
}

static void which_devices(void **state __unused)
{
	static const struct {
		const char *table;
		bool can;
	} tables[] = {
		{ LINEAR, true }, { OURS, true }, { "0 8 error", false },
		{ "0 8 error\n8 8 linear 8:0 0", true },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(tables); i++) {
		_cleanup_findings_ struct findings findings = { 0 };
		_cleanup_table_ struct table t = { 0 };

		table_parse(&t, tables[i].table, &findings);
		assert_int_equal(table_can_be_fast(&t), tables[i].can);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(stock_device),
		cmocka_unit_test(attached_device),
		cmocka_unit_test(own_device),
		cmocka_unit_test(since_an_earlier_status),
		cmocka_unit_test(which_devices),
	};

	return cmocka_run_group_tests_name("share", tests, NULL, NULL);
}
