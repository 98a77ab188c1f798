/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef DM_NOCLONE_FASTPATH_ATTACH_H
#define DM_NOCLONE_FASTPATH_ATTACH_H

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

#endif /* DM_NOCLONE_FASTPATH_ATTACH_H */
