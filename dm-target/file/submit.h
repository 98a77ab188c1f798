/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * noclone-file: take bios from the fast path and from dm core.
 */
#ifndef DM_NOCLONE_SUBMIT_H
#define DM_NOCLONE_SUBMIT_H

struct bio;
struct noclone_file_c;

extern const struct noclone_target_ops noclone_submit_ops;

int noclone_submit_clone(struct noclone_file_c *fc, struct bio *bio);

#endif /* DM_NOCLONE_SUBMIT_H */
