/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef DM_NOCLONE_ZERO_IO_H
#define DM_NOCLONE_ZERO_IO_H

#include <linux/types.h>

struct bio;
struct noclone_dev;

bool noclone_zero_handle(struct bio *bio);
void noclone_zero_submit(struct noclone_dev *nd, struct bio *bio);

#endif /* DM_NOCLONE_ZERO_IO_H */
