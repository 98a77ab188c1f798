/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef DM_NOCLONE_FASTPATH_STATUS_H
#define DM_NOCLONE_FASTPATH_STATUS_H

#include <linux/types.h>

struct noclone_dev;

size_t noclone_status_emit(const struct noclone_dev *nd, char *result,
			   unsigned int maxlen, size_t sz);

#endif /* DM_NOCLONE_FASTPATH_STATUS_H */
