/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Attach the fast path to a mapped device, and detach it, any number of times.
 */
#ifndef DM_NOCLONE_FASTPATH_H
#define DM_NOCLONE_FASTPATH_H

#include "sentinel.h"

#include <linux/types.h>

struct noclone_dev;
struct noclone_table;

bool noclone_fastpath_is_being_removed(struct gendisk *disk);
void noclone_fastpath_attach(struct noclone_table *table);
void noclone_fastpath_presuspend(struct noclone_dev *nd, noclone_sentinel_submit_fn *submit);
bool noclone_fastpath_detach_begin(struct noclone_dev *nd);
void noclone_fastpath_deny_writes(struct noclone_table *table);
void noclone_fastpath_switch(struct noclone_dev *nd, bool on);

void noclone_fastpath_init(void);
void noclone_fastpath_quiesce(void);

#endif /* DM_NOCLONE_FASTPATH_H */
