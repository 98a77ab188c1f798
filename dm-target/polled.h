/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Polled bios on the fast path; see polled.c.
 */
#ifndef DM_NOCLONE_POLLED_H
#define DM_NOCLONE_POLLED_H

#include "device-state.h"

#include <linux/bio.h>
#include <linux/blkdev.h>
#include <linux/sched.h>

/*
 * The cookie of a bio in dm core's poll list. On blk-mq, 0 is the first hardware queue,
 * normally not a poll queue.
 */
#define NOCLONE_DM_COOKIE	(~BLK_QC_T_NONE)

int noclone_polled_poll_bio(struct bio *bio, struct io_comp_batch *iob,
			    unsigned int flags);
void noclone_polled_dev_init(struct noclone_dev *nd);
bool noclone_polled_pass(struct noclone_dev *nd, struct bio *bio,
			 enum noclone_counter reason);
void noclone_polled_retry(struct noclone_dev *nd, struct bio *bio);
bool noclone_polled_in_place(const struct noclone_table *table);
int noclone_polled_init(void);
void noclone_polled_exit(void);

/* Does the current task have this flag of PF_*? */
static inline bool noclone_polled_by_task(unsigned int flag)
{
	/* The scheduler may clear PF_BLOCK_TS in current->flags during the read */
	return data_race(current->flags) & flag;
}

/*
 * Has dm core polled the bio, and does a worker of dm core submit the bio again now? A poller may
 * have read dm core's cookie, and must not use this cookie with the leg as the device. (A bio that
 * was reset has the same cookie, but most disks have no queue with the number of this cookie.)
 */
static inline bool noclone_polled_is_requeued(const struct bio *bio)
{
	return unlikely(bio->bi_cookie == NOCLONE_DM_COOKIE) &&
	       noclone_polled_by_task(PF_WQ_WORKER) &&
	       noclone_compat_polls(bdev_get_queue(bio->bi_bdev));
}

/*
 * Let the bio complete without polling. The bio also loses REQ_NOWAIT, because only a polled bio is
 * tried again after BLK_STS_AGAIN.
 */
static inline void noclone_polled_end_polling(struct bio *bio)
{
	bio_clear_polled(bio);
	bio->bi_opf &= ~REQ_NOWAIT;
}

/*
 * Correct the flags of a polled bio that comes in. The rest of a bio that dm core has split is left
 * as it is, because this rest may be in a list of dm core. No other bio is in such a list.
 *
 * REQ_DRV comes from the dm core of a device above, because alloc_tio() clears the flag in some
 * clones only. If the flag stayed, dm core below would take bi_private for its list.
 *
 * A bio that a kernel thread submits completes without polling. Such a bio was put aside: by dm
 * core during a suspend, by a limit of a control group, or by a target of a device above. The task
 * that has sent the bio polls for it meanwhile, so dm core cannot put the bio into a list safely:
 * see P10 in polled.rst.
 */
static inline void noclone_polled_enter(struct bio *bio)
{
	if (bio_flagged(bio, BIO_CHAIN))
		return;
	bio->bi_opf &= ~REQ_DRV;
	if (noclone_polled_by_task(PF_KTHREAD))
		noclone_polled_end_polling(bio);
}

#endif /* DM_NOCLONE_POLLED_H */
