/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef DM_NOCLONE_FASTPATH_STATUS_H
#define DM_NOCLONE_FASTPATH_STATUS_H

#include "device-state.h"

size_t noclone_status_emit(const struct noclone_dev *nd, bool counters, char *result,
			   unsigned int maxlen, size_t sz);
void noclone_status_emit_none(enum noclone_state state, char *result,
			      unsigned int maxlen);

#endif /* DM_NOCLONE_FASTPATH_STATUS_H */
