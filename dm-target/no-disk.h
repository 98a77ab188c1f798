/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A disk that is never added and has no limit: dm core gets it where it has to name a disk and must
 * not name a real one. No user sees its statistics, and no bio is submitted to it.
 */
#ifndef DM_NOCLONE_NO_DISK_H
#define DM_NOCLONE_NO_DISK_H

#include <linux/blkdev.h>

extern struct gendisk *noclone_no_disk;

int noclone_no_disk_init(void);
void noclone_no_disk_exit(void);

#endif /* DM_NOCLONE_NO_DISK_H */
