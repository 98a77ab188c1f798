/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Send reads and writes that cannot be remapped in place to the legs as bios of our own.
 */
#ifndef DM_NOCLONE_GATHER_H
#define DM_NOCLONE_GATHER_H

#include "device-state.h"

enum noclone_counter noclone_gather_submit(struct noclone_dev *nd,
					   const struct noclone_table *table,
					   struct bio *parent, enum noclone_counter why);
int noclone_gather_init(void);
void noclone_gather_exit(void);

#endif /* DM_NOCLONE_GATHER_H */
