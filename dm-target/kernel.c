// SPDX-License-Identifier: GPL-2.0-only
/*
 * Is the kernel one of those that were reviewed for this module? Its headers tell, when the module
 * is built: see compat/known-kernel. A kernel that is only like those has no fast path either,
 * because headers do not show a change of code.
 *
 * The answer holds for the kernel with these headers only. With CONFIG_MODVERSIONS another kernel
 * loads the module as well, if the checksums of the functions that it calls are the same; no
 * checksum contains the numbers of BIO_* and __REQ_*. So the release of the running kernel has to
 * be the one of the headers. On any other kernel all devices stay on dm core's path, see
 * noclone_kernel_is_allowed().
 */
#include "kernel.h"
#include "probe.h"
#include "include/dm-noclone.h"

#include <generated/utsrelease.h>
#include <linux/device-mapper.h>
#include <linux/module.h>
#include <linux/utsname.h>

static bool noclone_kernel_any __ro_after_init;
module_param_named(any_kernel, noclone_kernel_any, bool, 0444);
MODULE_PARM_DESC(any_kernel, "Use the fast path also on a kernel that was not reviewed for this module (default N)");

/* For modinfo, and the tool: "reviewed", "alike", or the name of what differs */
MODULE_INFO(kernel, NOCLONE_KERNEL_GRADE);

/* True if the module was built with the headers of another kernel than the running one. */
static bool noclone_kernel_is_another __ro_after_init;

/* The first probe that the running kernel has failed, or NULL; see probe.c. */
static const char *noclone_kernel_failed __ro_after_init;

/*
 * May the fast path be used? The parameter any_kernel accepts a kernel that was not reviewed. It
 * does not accept a kernel whose headers are not known, or one that fails a probe. The answer does
 * not change while the module is loaded.
 */
bool noclone_kernel_is_allowed(void)
{
	return !noclone_kernel_is_another && !noclone_kernel_failed &&
	       (NOCLONE_KERNEL_IS_KNOWN || noclone_kernel_any);
}

static void __init noclone_kernel_warn_another(const char *release)
{
	DMWARN("the module was built for Linux %s, and this is %s: all devices stay on dm core's path, build the module for this kernel to change that",
	       UTS_RELEASE, release);
}

static const char *__init noclone_kernel_outcome(void)
{
	if (noclone_kernel_any)
		return "the parameter any_kernel allows the fast path";
	return "all devices stay on dm core's path unless the module is loaded with any_kernel=1";
}

static void __init noclone_kernel_warn_unreviewed(void)
{
	if (NOCLONE_KERNEL_IS_ALIKE)
		DMWARN("this kernel was not reviewed for this module, and its headers are like those of kernels that were (grade alike): %s",
		       noclone_kernel_outcome());
	else
		DMWARN("this kernel is like none that was reviewed for this module, which shows in %s: %s",
		       NOCLONE_KERNEL_GRADE, noclone_kernel_outcome());
}

static void __init noclone_kernel_warn_failed(void)
{
	DMWARN("this kernel treats bios in another way than the kernels that were reviewed for this module, which shows in the probe \"%s\": all devices stay on dm core's path",
	       noclone_kernel_failed);
}

/* The probes use structures of the headers, so they run only if the kernel has these. */
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
	else if (!NOCLONE_KERNEL_IS_KNOWN)
		noclone_kernel_warn_unreviewed();
	return r;
}
