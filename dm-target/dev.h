/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef DM_NOCLONE_DEV_H
#define DM_NOCLONE_DEV_H

#include <linux/types.h>

struct dm_table;
struct gendisk;
struct mapped_device;
struct noclone_dev;
struct noclone_extent;
struct noclone_target;

void noclone_dev_init(struct noclone_dev *nd, struct gendisk *disk);
int noclone_dev_alloc(struct noclone_dev *nd, gfp_t gfp);
void noclone_dev_exit(struct noclone_dev *nd);
struct mapped_device *noclone_dev_get_md(const struct noclone_dev *nd);
bool noclone_dev_uncover(struct noclone_dev *nd);
void noclone_dev_stop_looking(void);

int noclone_dev_add_target(struct noclone_target *t,
			   const struct noclone_extent *extents, u32 nr);
void noclone_dev_del_target(struct noclone_target *t);

bool noclone_dev_knows_table(struct dm_table *dm);

#endif /* DM_NOCLONE_DEV_H */
