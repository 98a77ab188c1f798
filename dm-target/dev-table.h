/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef DM_NOCLONE_DEV_TABLE_H
#define DM_NOCLONE_DEV_TABLE_H

#include <linux/types.h>

struct noclone_extent;
struct noclone_table;
struct noclone_target;

int noclone_table_append(struct noclone_table *table, struct noclone_target *t,
			 const struct noclone_extent *extents, u32 nr, gfp_t gfp);
void noclone_table_exit(struct noclone_table *table);

#endif /* DM_NOCLONE_DEV_TABLE_H */
