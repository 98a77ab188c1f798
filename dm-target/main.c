// SPDX-License-Identifier: GPL-2.0-only
/*
 * dm-noclone: device-mapper targets whose reads and writes are remapped in place instead of
 * being cloned. This file loads and unloads the module.
 */
#include "dev.h"
#include "fastpath.h"
#include "gather.h"
#include "io.h"
#include "kernel.h"
#include "linear.h"
#include "no-disk.h"
#include "polled.h"
#include "striped.h"
#include "work.h"
#include "zero.h"
#include "file/file.h"
#include "stock/slots.h"
#include "stock/stock.h"

#include <linux/module.h>

static struct target_type * const noclone_targets[] = {
	&noclone_linear_target, &noclone_striped_target, &noclone_zero_target,
	&noclone_file_target,
};

static void noclone_main_unregister(unsigned int nr)
{
	while (nr)
		dm_unregister_target(noclone_targets[--nr]);
}

static int __init noclone_main_register(void)
{
	unsigned int i;
	int r;

	for (i = 0; i < ARRAY_SIZE(noclone_targets); i++) {
		r = dm_register_target(noclone_targets[i]);
		if (r) {
			noclone_main_unregister(i);
			return r;
		}
	}
	return 0;
}

static int __init noclone_main_init(void)
{
	int r = noclone_work_init();

	if (r)
		return r;

	r = noclone_kernel_init();
	if (r)
		goto exit_work;
	noclone_fastpath_init();
	r = noclone_io_init();
	if (r)
		goto exit_work;

	r = noclone_gather_init();
	if (r)
		goto exit_io;

	r = noclone_polled_init();
	if (r)
		goto exit_gather;

	r = noclone_no_disk_init();
	if (r)
		goto exit_polled;

	r = noclone_file_init();
	if (r)
		goto exit_no_disk;

	r = noclone_stock_init();
	if (r)
		goto exit_file;

	/*
	 * Users can create devices with a target as soon as the target is registered, so no step
	 * after this one may fail. This step fails if another module has registered one of our
	 * names.
	 */
	r = noclone_main_register();
	if (r)
		goto exit_stock;
	noclone_slots_init(noclone_targets[ARRAY_SIZE(noclone_targets) - 1]);
	return 0;

exit_stock:
	noclone_stock_exit();
exit_file:
	noclone_file_exit();
exit_no_disk:
	noclone_no_disk_exit();
exit_polled:
	noclone_polled_exit();
exit_gather:
	noclone_gather_exit();
exit_io:
	noclone_io_exit();
exit_work:
	noclone_work_exit();
	return r;
}

static void __exit noclone_main_exit(void)
{
	noclone_slots_exit();
	noclone_main_unregister(ARRAY_SIZE(noclone_targets));
	noclone_dev_stop_looking();
	noclone_fastpath_quiesce();
	noclone_stock_exit();
	noclone_file_exit();
	noclone_no_disk_exit();
	noclone_polled_exit();
	noclone_gather_exit();
	noclone_io_exit();
	noclone_work_exit();
}

module_init(noclone_main_init);
module_exit(noclone_main_exit);

MODULE_ALIAS("dm-" NOCLONE_LINEAR_NAME);
MODULE_ALIAS("dm-" NOCLONE_STRIPED_NAME);
MODULE_ALIAS("dm-" NOCLONE_ZERO_NAME);
MODULE_ALIAS("dm-" NOCLONE_FILE_NAME);
MODULE_VERSION(__stringify(NOCLONE_VERSION_MAJOR) "."
	       __stringify(NOCLONE_VERSION_MINOR) "."
	       __stringify(NOCLONE_VERSION_PATCH));
MODULE_DESCRIPTION("Device-mapper linear, striped, zero and file targets with a no-clone fast path");
MODULE_AUTHOR("dm-noclone maintainers");
MODULE_LICENSE("GPL");
