// SPDX-License-Identifier: GPL-2.0-only
/*
 * Has this build of the module passed the test on the running kernel? The parameter "tested" lists
 * the build words of builds that have passed, see Documentation/design/kernel-test.rst. The
 * parameter is used only on a kernel whose headers are like the headers of reviewed kernels.
 *
 * A build word belongs to one release of the kernel and one build of the module. All kernels of a
 * machine share the file that sets the parameter, so words of other builds are ignored. A wrong
 * word does not prevent the load of the module.
 */
#include "tested.h"
#include "module-build.h"
#include "include/dm-noclone.h"

#include <linux/device-mapper.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/string.h>

static bool noclone_tested_fast __ro_after_init;
static bool noclone_tested_polls __ro_after_init;

bool noclone_tested(void)
{
	return noclone_tested_fast;
}

/* Was polled I/O part of the test? */
bool noclone_tested_polled(void)
{
	return noclone_tested_polls;
}

static bool noclone_tested_has_polled(const char *entry, size_t length)
{
	const size_t more = strlen(NOCLONE_TESTED_POLLED);

	return length == NOCLONE_BUILD_DIGITS + more &&
	       !strncmp(entry + NOCLONE_BUILD_DIGITS, NOCLONE_TESTED_POLLED, more);
}

static bool noclone_tested_is_entry(const char *entry, size_t length)
{
	return strspn(entry, "0123456789abcdef") == NOCLONE_BUILD_DIGITS &&
	       (length == NOCLONE_BUILD_DIGITS || noclone_tested_has_polled(entry, length));
}

static void noclone_tested_take(const char *entry, size_t length)
{
	bool is_own = !strncmp(entry, noclone_build, NOCLONE_BUILD_DIGITS);

	if (!noclone_tested_is_entry(entry, length)) {
		DMERR("parameter tested: \"%.*s\" is ignored, because it is not a build word; \"modinfo -F build dm-noclone\" prints the build word of the installed module",
		      (int)length, entry);
	} else if (NOCLONE_KERNEL_IS_ALIKE && is_own) {
		noclone_tested_fast = true;
		noclone_tested_polls |= noclone_tested_has_polled(entry, length);
	}
}

/*
 * Add a value to the earlier values, because modprobe.d may have a file for each kernel. Return: 0
 */
static int noclone_tested_set(const char *value, const struct kernel_param *kp)
{
	size_t length;

	do {
		length = strcspn(value, ",\n");
		if (length)
			noclone_tested_take(value, length);
		value += length;
	} while (*value++ == ',');
	return 0;
}

/* Print the entry for this build, or an empty line. */
static int noclone_tested_get(char *buffer, const struct kernel_param *kp)
{
	return scnprintf(buffer, PAGE_SIZE, "%s%s\n", noclone_tested_fast ? noclone_build : "",
			 noclone_tested_polls ? NOCLONE_TESTED_POLLED : "");
}

static const struct kernel_param_ops noclone_tested_ops = {
	.set = noclone_tested_set,
	.get = noclone_tested_get,
};
module_param_cb(tested, &noclone_tested_ops, NULL, 0444);
__MODULE_PARM_TYPE(tested, "string");
MODULE_PARM_DESC(tested, "Builds of this module that have passed the test of a kernel of grade \"alike\" (its headers are like those of reviewed kernels), as build words: modinfo -F build");
