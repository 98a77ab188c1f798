/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef DM_NOCLONE_STOCK_SLOTS_H
#define DM_NOCLONE_STOCK_SLOTS_H

struct target_type;

void noclone_slots_init(struct target_type *newest);
void noclone_slots_exit(void);

#endif /* DM_NOCLONE_STOCK_SLOTS_H */
