// SPDX-License-Identifier: GPL-2.0-only
/* The status line. */
#include "unit.h"

#include "status.h"

#define COUNTERS	"26 fast 12 reserve 1 clones 3 flush 0 op 0 split 2 " \
			"chain 0 polled 0 integrity 0 crypto 0 stats 0 suspending 0 nomem 9"

static void status_linear(void **state __unused)
{
	_cleanup_status_ struct status s;

	assert_true(status_parse(&s, "fastpath on " COUNTERS));
	assert_string_equal(s.stock, "");
	assert_null(s.health);
	assert_true(s.fast);
	assert_null(s.reason);
	assert_int_equal(s.nr_counters, 13);
	assert_int_equal(status_counter(&s, "fast"), 12);
	assert_int_equal(status_counter(&s, "nomem"), 9);
	assert_int_equal(status_counter(&s, "unheard"), 0);
}

static void status_striped(void **state __unused)
{
	_cleanup_status_ struct status s;

	assert_true(status_parse(&s, "2 8:0 8:16 1 AD fastpath off:option " COUNTERS));
	assert_string_equal(s.stock, "2 8:0 8:16 1 AD");
	assert_string_equal(s.health, "AD");
	assert_false(s.fast);
	assert_string_equal(s.reason, "option");
}

static void status_of_a_newer_module(void **state __unused)
{
	_cleanup_status_ struct status s;

	assert_true(status_parse(&s, "fastpath off:moon 4 fast 1 quantum 2 more words"));
	assert_string_equal(s.reason, "moon");
	assert_int_equal(s.nr_counters, 2);
	assert_string_equal(s.counters[1].name, "quantum");
	assert_null(status_counter_meaning("quantum"));
	assert_null(status_reason_meaning("moon"));
}

static void status_no_counters(void **state __unused)
{
	_cleanup_status_ struct status s;

	assert_true(status_parse(&s, "fastpath on 0"));
	assert_int_equal(s.nr_counters, 0);
}

static void status_not_ours(void **state __unused)
{
	static const char * const lines[] = {
		"", "2 8:0 8:16 1 AA", "fastpath", "fastpath on",
		"fastpath maybe 0", "fastpath off 0", "fastpath off: 0",
		"fastpath on x", "fastpath on 4 fast 1", "fastpath on 3 fast 1 x",
		"fastpath on 2 fast many", "fastpath on 4294967295 fast 1",
	};
	struct status s;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(lines); i++)
		assert_false(status_parse(&s, lines[i]));
}

#define CHECK_COUNTER(enumerator, word, meaning) \
	assert_string_equal(status_counter_meaning(word), meaning);
#define CHECK_REASON(enumerator, word, meaning) \
	assert_string_equal(status_reason_meaning(word), meaning);

static void status_meanings(void **state __unused)
{
	NOCLONE_COUNTERS(CHECK_COUNTER)
	NOCLONE_OFF_REASONS(CHECK_REASON)
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(status_linear),
		cmocka_unit_test(status_striped),
		cmocka_unit_test(status_of_a_newer_module),
		cmocka_unit_test(status_no_counters),
		cmocka_unit_test(status_not_ours),
		cmocka_unit_test(status_meanings),
	};

	return cmocka_run_group_tests_name("status", tests, NULL, NULL);
}
