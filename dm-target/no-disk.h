/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A disk that is never added and has no limits. dm core gets this disk if dm core needs a disk but
 * must not get a real disk. No user sees its statistics, and no bio is submitted to it.
 */
#ifndef DM_NOCLONE_NO_DISK_H
#define DM_NOCLONE_NO_DISK_H

#include <linux/blkdev.h>

extern struct gendisk *noclone_no_disk;

int noclone_no_disk_init(void);
void noclone_no_disk_exit(void);

#endif /* DM_NOCLONE_NO_DISK_H */
