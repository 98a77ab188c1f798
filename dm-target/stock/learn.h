/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef DM_NOCLONE_STOCK_LEARN_H
#define DM_NOCLONE_STOCK_LEARN_H

struct dm_target;
struct noclone_dev;
struct noclone_table;
struct noclone_target;

struct noclone_target *noclone_learn_target(struct dm_target *ti);
void noclone_learn_forget(struct noclone_table *table, struct noclone_dev *nd);

#endif /* DM_NOCLONE_STOCK_LEARN_H */
