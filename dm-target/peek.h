/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef DM_NOCLONE_PEEK_H
#define DM_NOCLONE_PEEK_H

#include <linux/types.h>

struct block_device_operations;

bool noclone_peek_read(void *to, const void *from, size_t bytes);
bool noclone_peek_has_text(const char *at, const char *text);
bool noclone_peek_is_symbol(const void *address, const char *name);
bool noclone_peek_is_dm_fops(const struct block_device_operations *fops);
const unsigned long *noclone_peek_find_stats(const struct block_device_operations *fops);

#endif /* DM_NOCLONE_PEEK_H */
