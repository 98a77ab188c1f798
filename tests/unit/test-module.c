// SPDX-License-Identifier: GPL-2.0-only
/* Loading the module: what is said of each error of libkmod, of which a VM has but a few. */
#include "unit.h"

#include <errno.h>
#include <libkmod.h>
#include <stdio.h>

#include "base/util.h"
#include "system/module.h"

static int answer;
static const char *path, *options;

int __wrap_kmod_module_probe_insert_module(struct kmod_module *module, unsigned int flags);
int __wrap_kmod_module_probe_insert_module(struct kmod_module *module __unused,
					   unsigned int flags)
{
	assert_int_equal(flags, KMOD_PROBE_APPLY_BLACKLIST);
	return answer;
}

const char *__wrap_kmod_module_get_path(const struct kmod_module *module);
const char *__wrap_kmod_module_get_path(const struct kmod_module *module __unused)
{
	return path;
}

const char *__wrap_kmod_module_get_options(const struct kmod_module *module);
const char *__wrap_kmod_module_get_options(const struct kmod_module *module __unused)
{
	return options;
}

/* module_load() fails and says that. */
static void says(int error, const char *expected)
{
	FILE *real = stderr;
	char *text = NULL;
	size_t length;
	int r;

	answer = error;
	stderr = open_memstream(&text, &length);
	r = module_load();
	fclose(stderr);
	stderr = real;
	assert_true(r < 0);
	if (!strstr(text, expected))
		fail_msg("no \"%s\" in: %s", expected, text);
	free(text);
}

static void errors(void **state __unused)
{
	path = "/lib/dm-noclone.ko";
	says(-ENOKEY, "not signed with a key that the kernel knows");
	says(-EKEYREJECTED, "run \"mokutil --import /");
	says(-ENOEXEC, "built for another kernel; run \"");
	says(-ENOENT, "built for another kernel; run \"");
	says(-EINVAL, "failed: Invalid argument");
	options = "stock=foo";
	says(-EINVAL, "with the options \"stock=foo\"");
	says(-EBUSY, "failed: Device or resource busy");
	says(KMOD_PROBE_APPLY_BLACKLIST, "is not loaded because it is blacklisted");
}

static void not_installed(void **state __unused)
{
	path = NULL;
	says(0, "is not built for the running kernel");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(errors),
		cmocka_unit_test(not_installed),
	};

	return cmocka_run_group_tests_name("module", tests, NULL, NULL);
}
