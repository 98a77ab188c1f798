// SPDX-License-Identifier: GPL-2.0-only
/* Options of modprobe.d with the parameter "tested" of the module. */
#include "unit.h"

#include "base/util.h"

#include "system/kernel-test.h"

#define BUILD	"0123456789abcdef0123456789abcdef"
#define OTHER	"fedcba9876543210fedcba9876543210"

static void allowed(void **state __unused)
{
	static const struct {
		const char *options;
		enum kernel_test_allowed allowed;
	} cases[] = {
		{ "", KERNEL_TEST_NONE },
		{ "tested=", KERNEL_TEST_NONE },
		{ "any_kernel=1 stock=on", KERNEL_TEST_NONE },
		{ "tested=" BUILD, KERNEL_TEST_FAST },
		{ "tested=" BUILD ":polled", KERNEL_TEST_POLLED },
		{ "tested=" OTHER ":polled", KERNEL_TEST_NONE },
		{ "tested=" OTHER ":polled," BUILD, KERNEL_TEST_FAST },
		{ "tested=" BUILD ":polled," BUILD, KERNEL_TEST_POLLED },
		{ "tested=" BUILD " tested=" OTHER " tested=" BUILD ":polled", KERNEL_TEST_POLLED },
		{ "tested=,," BUILD ",", KERNEL_TEST_FAST },
		{ "\"tested=" OTHER "," BUILD "\"", KERNEL_TEST_FAST },
		{ "tested=\"" BUILD ":polled\"", KERNEL_TEST_POLLED },
		/* the module ignores these entries */
		{ "tested=" BUILD "0", KERNEL_TEST_NONE },
		{ "tested=0" BUILD, KERNEL_TEST_NONE },
		{ "tested=" BUILD ":polledx", KERNEL_TEST_NONE },
		{ "tested=" BUILD ":", KERNEL_TEST_NONE },
		{ "untested=" BUILD, KERNEL_TEST_NONE },
		{ "note=" BUILD, KERNEL_TEST_NONE },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++)
		if (kernel_test_allowed(cases[i].options, BUILD) != cases[i].allowed)
			fail_msg("%s", cases[i].options);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(allowed),
	};

	return cmocka_run_group_tests_name("tested", tests, NULL, NULL);
}
