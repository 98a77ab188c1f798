// SPDX-License-Identifier: GPL-2.0-only
/* Create the disk that no-disk.h describes. */
#include "no-disk.h"

static const struct block_device_operations noclone_no_disk_ops;
struct gendisk *noclone_no_disk __ro_after_init;

int __init noclone_no_disk_init(void)
{
	noclone_no_disk = noclone_compat_alloc_disk();
	if (!noclone_no_disk)
		return -ENOMEM;
	noclone_no_disk->fops = &noclone_no_disk_ops;
	return 0;
}

void noclone_no_disk_exit(void)
{
	put_disk(noclone_no_disk);
}
