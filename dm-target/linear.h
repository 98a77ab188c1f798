/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef DM_NOCLONE_LINEAR_H
#define DM_NOCLONE_LINEAR_H

#include <linux/device-mapper.h>

extern struct target_type noclone_linear_target;

#endif /* DM_NOCLONE_LINEAR_H */
