/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef DM_NOCLONE_WORKER_H
#define DM_NOCLONE_WORKER_H

struct noclone_cmd;
struct noclone_file_c;

int noclone_worker_init(struct noclone_file_c *fc);
void noclone_worker_exit(struct noclone_file_c *fc);
void noclone_worker_add(struct noclone_file_c *fc, struct noclone_cmd *newest,
			struct noclone_cmd *oldest);
void noclone_worker_block(struct noclone_cmd *cmd);

#endif /* DM_NOCLONE_WORKER_H */
