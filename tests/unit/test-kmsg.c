// SPDX-License-Identifier: GPL-2.0-only
/* Picking device-mapper's sentence out of a kernel log record. */
#include "unit.h"

#include "base/util.h"
#include "system/devmap-task.h"

static void sentence(const char *record, const char *expected)
{
	_cleanup_free_ char *got = kmsg_sentence(record);

	if (!expected)
		assert_null(got);
	else
		assert_string_equal(got, expected);
}

static void kmsg_sentences(void **state __unused)
{
	sentence("3,1,2,-;device-mapper: table: 253:0: noclone-linear: Gap in table (-EINVAL)\n",
		 "table: 253:0: noclone-linear: Gap in table (-EINVAL)");
	sentence("3,1,2,-;device-mapper: ioctl: x\n SUBSYSTEM=block\n DEVICE=b1:0\n",
		 "ioctl: x");
	sentence("4,1,2,-;dm-noclone: something\n", "dm-noclone: something");
	sentence("6,1,2,-;usb 1-1: new device\n", NULL);
	sentence("6,1,2,-;about device-mapper: no\n", NULL);
	sentence("no semicolon", NULL);
	sentence("", NULL);
}

static void kmsg_without_a_log(void **state __unused)
{
	struct kmsg k = { .fd = -1 };

	assert_null(kmsg_read(&k));
	kmsg_close(&k);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kmsg_sentences),
		cmocka_unit_test(kmsg_without_a_log),
	};

	return cmocka_run_group_tests_name("kmsg", tests, NULL, NULL);
}
