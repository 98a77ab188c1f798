/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef DM_NOCLONE_MAPPED_DEVICE_H
#define DM_NOCLONE_MAPPED_DEVICE_H

#include <linux/types.h>

struct noclone_extent;
struct noclone_target;

int noclone_table_add(struct noclone_target *t,
		      const struct noclone_extent *extents, u32 nr);
void noclone_table_del(struct noclone_target *t);

#endif /* DM_NOCLONE_MAPPED_DEVICE_H */
