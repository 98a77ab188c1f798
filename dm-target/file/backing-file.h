/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef DM_NOCLONE_BACKING_FILE_H
#define DM_NOCLONE_BACKING_FILE_H

struct noclone_file_c;

int noclone_backing_open(struct noclone_file_c *fc);
int noclone_backing_open_for_extents(struct noclone_file_c *fc);
bool noclone_backing_has_error(const struct noclone_file_c *fc);
void noclone_backing_close(struct noclone_file_c *fc);
struct noclone_file_c *noclone_backing_next(const struct noclone_file_c *fc,
					    struct noclone_file_c *after);

#endif /* DM_NOCLONE_BACKING_FILE_H */
