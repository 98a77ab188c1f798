// SPDX-License-Identifier: GPL-2.0-only
/*
 * Was the kernel reviewed for this module? When the module is built, compat/known-kernel compares
 * the headers of the kernel with the headers of the reviewed kernels, and gives the kernel a grade.
 * A kernel of grade "alike" gets the fast path only if this build of the module has passed the test
 * on this kernel, because headers do not show a change of code: see tested.c. The parameter
 * any_kernel=1 gives each kernel the fast path.
 *
 * The grade is valid only for the kernel with these headers. With CONFIG_MODVERSIONS another kernel
 * also loads the module, if the checksums of the functions that the module calls are the same; no
 * checksum contains the values of BIO_* and __REQ_*. So the fast path is allowed only if the
 * release of the running kernel is the release of the headers: see noclone_kernel_is_allowed().
 */
#include "kernel.h"
#include "probe.h"
#include "tested.h"
#include "include/dm-noclone.h"

#include <generated/utsrelease.h>
#include <linux/device-mapper.h>
#include <linux/module.h>
#include <linux/utsname.h>

static bool noclone_kernel_any __ro_after_init;
module_param_named(any_kernel, noclone_kernel_any, bool, 0444);
MODULE_PARM_DESC(any_kernel, "Use the fast path also on a kernel that was not reviewed for this module (default N)");

/* The grade for modinfo and for the tool: "reviewed", "alike", or the name of the difference */
MODULE_INFO(kernel, NOCLONE_KERNEL_GRADE);

/* True if the module was built with the headers of another kernel than the running one. */
static bool noclone_kernel_is_another __ro_after_init;

/* The first probe that the running kernel has failed, or NULL; see probe.c. */
static const char *noclone_kernel_failed __ro_after_init;

/*
 * May the fast path be used? The parameter any_kernel accepts a kernel that was not reviewed.
 * any_kernel does not accept a kernel whose headers are not known, or a kernel that fails a probe.
 * The result does not change while the module is loaded.
 */
bool noclone_kernel_is_allowed(void)
{
	return !noclone_kernel_is_another && !noclone_kernel_failed &&
	       (NOCLONE_KERNEL_IS_KNOWN || noclone_kernel_any || noclone_tested());
}

/*
 * May polled bios take the fast path, if other bios may? The test that this build has passed may
 * have left out polled I/O.
 */
bool noclone_kernel_polled_is_allowed(void)
{
	return NOCLONE_KERNEL_IS_KNOWN || noclone_kernel_any || noclone_tested_polled();
}

static void __init noclone_kernel_warn_another(const char *release)
{
	DMWARN("the module was built for Linux %s, but this kernel is %s: no device gets the fast path, build the module for this kernel",
	       UTS_RELEASE, release);
}

static const char *__init noclone_kernel_outcome(void)
{
	if (noclone_kernel_any)
		return "the parameter any_kernel allows the fast path";
	if (NOCLONE_KERNEL_IS_ALIKE)
		return "no device gets the fast path, \"noclone doctor\" says what to do";
	return "no device gets the fast path unless the module is loaded with any_kernel=1";
}

static void __init noclone_kernel_say_tested(void)
{
	DMINFO("this kernel was not reviewed for this module, but its headers are like the headers of reviewed kernels (grade alike): this build of the module has passed the test of this kernel, and devices can get the fast path%s",
	       noclone_tested_polled() ? "" : ", but not for polled I/O");
}

static void __init noclone_kernel_warn_unreviewed(void)
{
	if (NOCLONE_KERNEL_IS_ALIKE)
		DMWARN("this kernel was not reviewed for this module, but its headers are like the headers of reviewed kernels (grade alike): %s",
		       noclone_kernel_outcome());
	else
		DMWARN("this kernel differs from all kernels that were reviewed for this module (difference: %s): %s",
		       NOCLONE_KERNEL_GRADE, noclone_kernel_outcome());
}

static void __init noclone_kernel_warn_failed(void)
{
	DMWARN("this kernel treats bios in another way than the kernels that were reviewed for this module (failed probe: %s): no device gets the fast path",
	       noclone_kernel_failed);
}

/*
 * The probes use structures of the headers, so they run only if the running kernel has the same
 * structures.
 */
int __init noclone_kernel_init(void)
{
	const char *release = init_utsname()->release;
	int r;

	noclone_kernel_is_another = strcmp(release, UTS_RELEASE);
	if (noclone_kernel_is_another) {
		noclone_kernel_warn_another(release);
		return 0;
	}
	r = noclone_probe_run(&noclone_kernel_failed);
	if (noclone_kernel_failed)
		noclone_kernel_warn_failed();
	else if (noclone_tested() && !noclone_kernel_any)
		noclone_kernel_say_tested();
	else if (!NOCLONE_KERNEL_IS_KNOWN)
		noclone_kernel_warn_unreviewed();
	return r;
}
