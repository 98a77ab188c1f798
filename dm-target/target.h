/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Code that noclone-linear, noclone-striped, noclone-zero and noclone-file share.
 */
#ifndef DM_NOCLONE_TARGET_H
#define DM_NOCLONE_TARGET_H

#include <linux/device-mapper.h>

#include "include/dm-noclone.h"
#include "include/noclone-refusals.h"

struct noclone_target;

struct noclone_target *noclone_target_alloc(struct dm_target *ti,
					    unsigned int max_legs);
int noclone_target_add_leg(struct noclone_target *t, char **argv);
int noclone_target_options(struct noclone_target *t, struct dm_arg_set *as);
int noclone_target_finish(struct noclone_target *t);
void noclone_target_free(struct noclone_target *t);

size_t noclone_target_emit_options(struct noclone_target *t, char *result,
				   unsigned int maxlen, size_t sz);

/* Callbacks of struct target_type */
void noclone_target_dtr(struct dm_target *ti);
void noclone_target_presuspend(struct dm_target *ti);
void noclone_target_resume(struct dm_target *ti);
int noclone_target_message(struct dm_target *ti, unsigned int argc, char **argv,
			   char *result, unsigned int maxlen);
int noclone_target_iterate_devices(struct dm_target *ti,
				   iterate_devices_callout_fn fn, void *data);

#endif /* DM_NOCLONE_TARGET_H */
