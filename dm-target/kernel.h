/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Was the kernel reviewed for this module, or has this build passed the test on it?
 */
#ifndef DM_NOCLONE_KERNEL_H
#define DM_NOCLONE_KERNEL_H

#include <linux/types.h>

bool noclone_kernel_is_allowed(void);
bool noclone_kernel_polled_is_allowed(void);
int noclone_kernel_init(void);

#endif /* DM_NOCLONE_KERNEL_H */
