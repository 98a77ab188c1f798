// SPDX-License-Identifier: GPL-2.0-only
/*
 * Is the kernel one of those that were read for this module? Its headers tell,
 * when the module is built: see compat/known-kernel. On any other kernel all devices stay on
 * dm core's path, unless the parameter any_kernel is set.
 */
#include "kernel.h"
#include "include/dm-noclone.h"

#include <linux/device-mapper.h>
#include <linux/module.h>

static bool noclone_kernel_any __ro_after_init;
module_param_named(any_kernel, noclone_kernel_any, bool, 0444);
MODULE_PARM_DESC(any_kernel, "Use the fast path also on a kernel that was not read for this module (default N)");

/* For modinfo, and the tool */
MODULE_INFO(kernel, NOCLONE_KERNEL_DIFFERS);

/* May the fast path be used? The answer does not change while the module is loaded. */
bool noclone_kernel_is_allowed(void)
{
	return NOCLONE_KERNEL_IS_KNOWN || noclone_kernel_any;
}

void __init noclone_kernel_init(void)
{
	if (NOCLONE_KERNEL_IS_KNOWN)
		return;
	DMWARN("this kernel is like none that was read for this module, which shows in %s: %s",
		NOCLONE_KERNEL_DIFFERS, noclone_kernel_any ?
		"the parameter any_kernel allows the fast path" :
		"all devices stay on dm core's path, load the module with any_kernel=1 to change that");
}
