/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef DM_NOCLONE_WORK_H
#define DM_NOCLONE_WORK_H

struct work_struct;

void noclone_work_queue(struct work_struct *work);
int noclone_work_init(void);
void noclone_work_exit(void);

#endif /* DM_NOCLONE_WORK_H */
