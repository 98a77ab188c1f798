/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * noclone-file: how bios come in.
 *
 * The one place where the fast path, which knows no targets otherwise, calls into
 * a target. It is a direct call and not an operation of the target, because it is
 * made for each bio and indirect calls cost a retpoline.
 */
#ifndef DM_NOCLONE_SUBMIT_H
#define DM_NOCLONE_SUBMIT_H

#include <linux/types.h>

struct bio;
struct noclone_dev;
struct noclone_file_c;

bool noclone_submit_original(struct noclone_file_c *fc, struct noclone_dev *nd,
			     struct bio *bio);
int noclone_submit_clone(struct noclone_file_c *fc, struct bio *bio);

#endif /* DM_NOCLONE_SUBMIT_H */
