/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef DM_NOCLONE_MAPPED_DEVICE_H
#define DM_NOCLONE_MAPPED_DEVICE_H

#include <linux/types.h>

struct gendisk;
struct mapped_device;
struct noclone_dev;
struct noclone_extent;
struct noclone_table;
struct noclone_target;

void noclone_dev_init(struct noclone_dev *nd, struct gendisk *disk);
int noclone_dev_alloc(struct noclone_dev *nd, gfp_t gfp);
void noclone_dev_exit(struct noclone_dev *nd);
struct mapped_device *noclone_dev_get_md(const struct noclone_dev *nd);
bool noclone_dev_unpin(struct noclone_dev *nd);
void noclone_devs_exit(void);

int noclone_table_append(struct noclone_table *table, struct noclone_target *t,
			 const struct noclone_extent *extents, u32 nr, gfp_t gfp);
void noclone_table_exit(struct noclone_table *table);

int noclone_table_add(struct noclone_target *t,
		      const struct noclone_extent *extents, u32 nr);
void noclone_table_del(struct noclone_target *t);

bool noclone_table_is_known(struct dm_table *dm);

#endif /* DM_NOCLONE_MAPPED_DEVICE_H */
