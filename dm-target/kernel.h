/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Whether the kernel is one of those that were reviewed for this module.
 */
#ifndef DM_NOCLONE_KERNEL_H
#define DM_NOCLONE_KERNEL_H

#include <linux/types.h>

bool noclone_kernel_is_allowed(void);
int noclone_kernel_init(void);

#endif /* DM_NOCLONE_KERNEL_H */
