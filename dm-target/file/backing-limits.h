/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef DM_NOCLONE_BACKING_LIMITS_H
#define DM_NOCLONE_BACKING_LIMITS_H

#include <linux/types.h>

struct noclone_file_c;

int noclone_backing_find_limits(struct noclone_file_c *fc);
bool noclone_backing_has_direct_io(const struct noclone_file_c *fc);

#endif /* DM_NOCLONE_BACKING_LIMITS_H */
