/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Mapped devices with stock targets: what the callbacks that slots.c installs do.
 */
#ifndef DM_NOCLONE_STOCK_H
#define DM_NOCLONE_STOCK_H

struct dm_target;

void noclone_stock_attach(struct dm_target *ti);
void noclone_stock_detach(struct dm_target *ti);
int noclone_stock_message(struct dm_target *ti, unsigned int argc, char **argv,
			  char *result, unsigned int maxlen);

void noclone_stock_detach_all(void);
void noclone_stock_free_all(void);

#endif /* DM_NOCLONE_STOCK_H */
