// SPDX-License-Identifier: GPL-2.0-only
/*
 * dm-noclone: device-mapper targets whose reads and writes are remapped in
 * place instead of being cloned, and one for files.  Loading and unloading.
 */
#include "core.h"
#include "io.h"

#include <linux/module.h>

/* Guarded by nothing: each device reads it once, when it is made. */
bool noclone_fastpath_default = true;
module_param_named(fastpath, noclone_fastpath_default, bool, 0644);
MODULE_PARM_DESC(fastpath, "Use the fast path on devices made from now on (default Y)");

/* For leg errors; unbound, as nothing about an event belongs to a CPU. */
struct workqueue_struct *noclone_wq;

static struct target_type * const noclone_targets[] = {
	&noclone_linear_target, &noclone_striped_target, &noclone_file_target,
};

static void noclone_unregister(unsigned int nr)
{
	while (nr)
		dm_unregister_target(noclone_targets[--nr]);
}

static int __init noclone_register(void)
{
	unsigned int i;
	int r;

	for (i = 0; i < ARRAY_SIZE(noclone_targets); i++) {
		r = dm_register_target(noclone_targets[i]);
		if (r) {
			noclone_unregister(i);
			return r;
		}
	}
	return 0;
}

static int __init noclone_init(void)
{
	int r;

	noclone_wq = alloc_workqueue("dm_noclone", WQ_UNBOUND, 0);
	if (!noclone_wq)
		return -ENOMEM;

	noclone_fastpath_init();
	r = noclone_io_init();
	if (r)
		goto destroy_wq;

	r = noclone_file_init();
	if (r)
		goto exit_io;

	r = noclone_register();
	if (r)
		goto exit_file;
	return 0;

exit_file:
	noclone_file_exit();
exit_io:
	noclone_io_exit();
destroy_wq:
	destroy_workqueue(noclone_wq);
	return r;
}

static void __exit noclone_exit(void)
{
	noclone_unregister(ARRAY_SIZE(noclone_targets));
	noclone_fastpath_quiesce();
	noclone_file_exit();
	noclone_io_exit();
	destroy_workqueue(noclone_wq);
}

module_init(noclone_init);
module_exit(noclone_exit);

MODULE_ALIAS("dm-" NOCLONE_LINEAR_NAME);
MODULE_ALIAS("dm-" NOCLONE_STRIPED_NAME);
MODULE_ALIAS("dm-" NOCLONE_FILE_NAME);
MODULE_VERSION(__stringify(NOCLONE_VERSION_MAJOR) "."
	       __stringify(NOCLONE_VERSION_MINOR) "."
	       __stringify(NOCLONE_VERSION_PATCH));
MODULE_DESCRIPTION("Device-mapper linear, striped and file targets with a no-clone fast path");
MODULE_AUTHOR("dm-noclone maintainers");
MODULE_LICENSE("GPL");
