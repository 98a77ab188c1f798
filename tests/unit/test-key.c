// SPDX-License-Identifier: GPL-2.0-only
/* Keys that modules are signed with. */
#include "unit.h"

#include "base/util.h"

#include "system/module.h"

static const char keys[] =
	"0a1b2c3d I------ 1 perm 1f030000 0 0 asymmetri Debian CA: 6ccece7e: X509.rsa 6ccece7e []\n"
	"0a1b2c3e I------ 1 perm 1f030000 0 0 asymmetri DKMS key: 63aa01: X509.rsa 63aa01 []\n"
	"0a1b2c3f I------ 1 perm 1f030000 0 0 keyring   Other key: 1\n";

static bool is_unknown(const char *certificate)
{
	return module_key_is_unknown(keys, "DKMS key", "0A:B9:01", certificate);
}

/* A new installation of dkms makes another key of the same name. */
static void keys_of_one_name(void **state __unused)
{
	assert_false(is_unknown(NULL));
	assert_false(is_unknown("serial=AB901\nX509v3 Subject Key Identifier: \n    63:AA:01\n"));
	assert_true(is_unknown("serial=AB901\nX509v3 Subject Key Identifier: \n    63:AA:02\n"));
	assert_false(is_unknown("serial=AB902\nX509v3 Subject Key Identifier: \n    63:AA:02\n"));
	assert_false(is_unknown("serial=AB901\n"));
	assert_true(module_key_is_unknown(keys, "Other key", NULL, NULL));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(keys_of_one_name),
	};

	return cmocka_run_group_tests_name("key", tests, NULL, NULL);
}
