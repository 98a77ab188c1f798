/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef DM_NOCLONE_EXTENT_H
#define DM_NOCLONE_EXTENT_H

struct noclone_engine;
struct noclone_extent;
struct noclone_file_c;

extern const struct noclone_engine noclone_extent_engine;

void noclone_extent_init(struct noclone_file_c *fc);
int noclone_extent_find(struct noclone_file_c *fc, struct noclone_extent **extents);
void noclone_extent_preresume(struct noclone_file_c *fc);

#endif /* DM_NOCLONE_EXTENT_H */
