/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef DM_NOCLONE_FASTPATH_H
#define DM_NOCLONE_FASTPATH_H

void noclone_fastpath_init(void);
void noclone_fastpath_quiesce(void);

#endif /* DM_NOCLONE_FASTPATH_H */
