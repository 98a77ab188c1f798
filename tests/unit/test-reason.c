// SPDX-License-Identifier: GPL-2.0-only
/* The reasons for "off". */
#include "unit.h"

#include "dm-noclone.h"
#include "base/util.h"
#include "model/reason.h"

static const struct {
	const char *word;
	enum noclone_reason_class class;
} reasons[] = {
#define X(name, word, class, enable, doctor) { word, NOCLONE_REASON_##class },
	NOCLONE_OFF_REASONS(X)
#undef X
};

static void reason_in_words(void **state __unused)
{
	_cleanup_free_ char *known = reason_words("off:unpinned", "a b");
	_cleanup_free_ char *unknown = reason_words("off:moon", "a");

	assert_string_equal(known, "a backing file of the table is not pinned: \"noclone status 'a b'\" "
			    "says why; unless the device is swap, \"dmsetup --manglename none suspend 'a b' && "
			    "dmsetup --manglename none resume 'a b'\" tries again");
	assert_string_equal(unknown, "moon");
}

static void reason_has_a_remedy(void **state __unused)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(reasons); i++) {
		const char *word = reasons[i].word;
		_cleanup_free_ char *remedy = reason_remedy(word, "vg0-root");

		assert_non_null(reason_meaning(word));
		assert_non_null(remedy);
		/* the text has a command that can be pasted, also for the root file system */
		if (!strcmp(word, "unasked") || !strcmp(word, "detached") ||
		    !strcmp(word, "memory")) {
			assert_null(strstr(remedy, "suspend"));
			assert_non_null(strstr(remedy, "enable --runtime"));
		}
		assert_null(strstr(remedy, "NAME"));
		if (strstr(remedy, "enable --runtime"))
			assert_non_null(strstr(remedy, "noclone enable --runtime vg0-root"));
	}
	assert_null(reason_meaning("moon"));
	assert_null(reason_remedy("moon", "vg0-root"));
}

/*
 * "noclone enable" waits only for states that can pass by themselves: the kernel, for example, does
 * not change while it waits.
 */
static void reason_agrees_with_its_class(void **state __unused)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(reasons); i++) {
		_cleanup_free_ char *off = xasprintf("off:%s", reasons[i].word);
		const struct reason *reason = reason_of_state(off);

		assert_string_equal(reason->word, reasons[i].word);
		if (reasons[i].class == NOCLONE_REASON_KERNEL)
			assert_int_equal(reason->enable, REASON_NEVER);
		if (reasons[i].class == NOCLONE_REASON_USER ||
		    reasons[i].class == NOCLONE_REASON_PASSING) {
			assert_int_not_equal(reason->enable, REASON_NEVER);
			assert_int_not_equal(reason->doctor, REASON_GRAVE);
		}
	}
}

static void reason_of_states(void **state __unused)
{
	assert_null(reason_of_state(NULL));
	assert_null(reason_of_state("on"));
	assert_null(reason_of_state("stock"));
	assert_string_equal(reason_of_state("off:mixed")->word, "mixed");
	assert_int_equal(reason_of_state("off:mixed")->enable, REASON_WAITS);
	assert_int_equal(reason_of_state("off:stuck")->enable, REASON_LASTS);
	assert_int_equal(reason_of_state("off:layout")->doctor, REASON_GRAVE);
	assert_int_equal(reason_of_state("off:message")->doctor, REASON_CHOSEN);
}

/* If a newer module reports an unknown reason, an older tool waits, and prints the reason. */
static void reason_of_a_newer_module(void **state __unused)
{
	const struct reason *reason = reason_of_state("off:moon");

	assert_non_null(reason);
	assert_null(reason->word);
	assert_int_equal(reason->enable, REASON_WAITS);
	assert_int_equal(reason->doctor, REASON_WARNS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reason_in_words),
		cmocka_unit_test(reason_has_a_remedy),
		cmocka_unit_test(reason_agrees_with_its_class),
		cmocka_unit_test(reason_of_states),
		cmocka_unit_test(reason_of_a_newer_module),
	};

	return cmocka_run_group_tests_name("reason", tests, NULL, NULL);
}
