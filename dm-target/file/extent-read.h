/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef DM_NOCLONE_EXTENT_READ_H
#define DM_NOCLONE_EXTENT_READ_H

#include <linux/types.h>

struct noclone_extent;
struct noclone_file_c;
struct swap_info_struct;

struct swap_info_struct *noclone_extent_swap_read(struct noclone_file_c *fc);
void noclone_extent_swap_free(struct swap_info_struct *sis);
u32 noclone_extent_build(const struct noclone_file_c *fc,
			 const struct swap_info_struct *sis,
			 struct noclone_extent **extents);
bool noclone_extent_is_written(struct noclone_file_c *fc);

#endif /* DM_NOCLONE_EXTENT_READ_H */
