/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef DM_NOCLONE_ZERO_H
#define DM_NOCLONE_ZERO_H

#include <linux/device-mapper.h>

extern struct target_type noclone_zero_target;

#endif /* DM_NOCLONE_ZERO_H */
