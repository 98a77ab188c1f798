/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef DM_NOCLONE_STATUS_LINE_H
#define DM_NOCLONE_STATUS_LINE_H

#include <linux/device-mapper.h>

/* Callback of struct target_type */
void noclone_status_line(struct dm_target *ti, status_type_t type,
			 unsigned int status_flags, char *result,
			 unsigned int maxlen);

#endif /* DM_NOCLONE_STATUS_LINE_H */
