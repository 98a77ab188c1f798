/* SPDX-License-Identifier: GPL-2.0-only */
/* The work of the callbacks that slots.c installs; devices.h has the rest. */
#ifndef DM_NOCLONE_STOCK_H
#define DM_NOCLONE_STOCK_H

#include "../sentinel.h"

struct dm_target;

void noclone_stock_attach(struct dm_target *ti);
void noclone_stock_reattach(struct dm_target *ti);
void noclone_stock_detach(struct dm_target *ti, noclone_sentinel_submit_fn *submit);
int noclone_stock_message(struct dm_target *ti, unsigned int argc, char **argv,
			  char *result, unsigned int maxlen);

#endif /* DM_NOCLONE_STOCK_H */
