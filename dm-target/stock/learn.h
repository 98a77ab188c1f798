/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef DM_NOCLONE_STOCK_LEARN_H
#define DM_NOCLONE_STOCK_LEARN_H

struct dm_target;
struct noclone_target;

struct noclone_target *noclone_learn_target(struct dm_target *ti);

#endif /* DM_NOCLONE_STOCK_LEARN_H */
