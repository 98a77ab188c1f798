/* SPDX-License-Identifier: GPL-2.0-only */
/* Memory for devices with stock targets; memory.c has the rest. */
#ifndef DM_NOCLONE_STOCK_MEMORY_H
#define DM_NOCLONE_STOCK_MEMORY_H

#include <linux/types.h>

struct gendisk;
struct noclone_stock;

bool noclone_stock_prepare(struct noclone_stock *sd);
bool noclone_stock_prepare_wait(struct noclone_stock *sd);

bool noclone_memory_miss(const struct gendisk *disk);
bool noclone_memory_is_missed(const struct gendisk *disk);
dev_t noclone_memory_next_missed(unsigned int minor);
bool noclone_memory_found(dev_t dev);
void noclone_memory_set_partial(const struct gendisk *disk);
bool noclone_memory_is_partial(const struct gendisk *disk);
void noclone_memory_forget(struct gendisk *disk);
void noclone_memory_forget_all(void);

#endif /* DM_NOCLONE_STOCK_MEMORY_H */
