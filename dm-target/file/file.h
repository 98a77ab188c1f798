/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef DM_NOCLONE_FILE_H
#define DM_NOCLONE_FILE_H

#include <linux/device-mapper.h>

extern struct target_type noclone_file_target;

int noclone_file_init(void);
void noclone_file_exit(void);

#endif /* DM_NOCLONE_FILE_H */
