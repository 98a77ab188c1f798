/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What noclone-linear, noclone-striped and noclone-file have in common.
 */
#ifndef DM_NOCLONE_TARGET_H
#define DM_NOCLONE_TARGET_H

#include <linux/device-mapper.h>
#include <linux/workqueue.h>

#include "include/dm-noclone.h"
#include "include/noclone-map.h"
#include "include/noclone-refusals.h"

#define DM_MSG_PREFIX "noclone"

struct noclone_dev;
struct noclone_file_c;
struct noclone_table;

/* A lower device of a target */
struct noclone_leg {
	struct block_device *bdev;	/* cached @dev->bdev */
	struct dm_dev *dev;
	sector_t start;
	atomic_t errors;		/* failed I/Os, counted by striped targets only */
};

/* ti->private of noclone-linear and noclone-striped */
struct noclone_target {
	struct noclone_layout layout;
	struct dm_target *ti;
	struct noclone_table *table;	/* NULL until noclone_table_add() */
	struct noclone_dev *nd;		/* likewise */
	bool no_fastpath;
	struct noclone_file_c *fc;	/* its workers take the bios if nr_legs is 0 */
	/*
	 * A bio of the fast path has failed; bi_bdev still names the leg. Any
	 * context. NULL if the target does not care. A pointer because the fast
	 * path is below the targets, and because errors need not be fast.
	 */
	void (*leg_error)(struct noclone_target *t, struct bio *bio,
			  blk_status_t status);
	struct work_struct event;
	unsigned int nr_legs;		/* opened so far, while the constructor runs */
	struct noclone_leg leg[];
};

extern struct target_type noclone_linear_target;
extern struct target_type noclone_striped_target;
extern struct target_type noclone_file_target;

int noclone_target_init(void);
void noclone_target_exit(void);

struct noclone_target *noclone_target_alloc(struct dm_target *ti,
					    unsigned int max_legs);
int noclone_target_add_leg(struct noclone_target *t, char **argv);
int noclone_target_options(struct noclone_target *t, struct dm_arg_set *as);
int noclone_target_finish(struct noclone_target *t);
void noclone_target_free(struct noclone_target *t);

void noclone_target_event(struct noclone_target *t);
int noclone_target_switch(struct noclone_target *t, unsigned int argc,
			  char **argv);
size_t noclone_target_emit_state(struct noclone_target *t, char *result,
				 unsigned int maxlen, size_t sz);
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
