/* SPDX-License-Identifier: GPL-2.0-only */
/* The work of the callbacks that slots.c installs; stock.h declares the rest of stock/. */
#ifndef DM_NOCLONE_STOCK_CALLBACK_H
#define DM_NOCLONE_STOCK_CALLBACK_H

#include "../sentinel.h"

struct dm_target;

void noclone_callback_resume(struct dm_target *ti);
void noclone_callback_presuspend_undo(struct dm_target *ti);
void noclone_callback_presuspend(struct dm_target *ti, noclone_sentinel_submit_fn *submit);
int noclone_callback_message(struct dm_target *ti, unsigned int argc, char **argv,
			     char *result, unsigned int maxlen);

#endif /* DM_NOCLONE_STOCK_CALLBACK_H */
