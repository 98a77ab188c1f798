/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Decide by operation and flags which bios the fast path takes, and give a reason for each other
 * bio. fastpath.c then checks the sectors of a bio, and looks for memory.
 */
#ifndef DM_NOCLONE_PLAIN_H
#define DM_NOCLONE_PLAIN_H

#include <linux/bio.h>
#include <linux/blk-crypto.h>

#include "polled.h"

/*
 * A bio with any of these bits is not a plain read or write. Unless the parameter "polled" is set,
 * REQ_POLLED is added to these bits, see polled.c.
 */
#define NOCLONE_SLOW_OPF	((REQ_OP_MASK & ~(__force blk_opf_t)REQ_OP_WRITE) | \
				 REQ_PREFLUSH | REQ_INTEGRITY)

static inline blk_opf_t noclone_plain_slow_opf(const struct noclone_table *table)
{
	blk_opf_t slow = NOCLONE_SLOW_OPF;

	if (!noclone_polled_in_place(table))
		slow |= REQ_POLLED;
	/* The target's .map refuses writes */
	if (table->denies_writes)
		slow |= (__force blk_opf_t)REQ_OP_WRITE;
	return slow;
}

/*
 * Is the bio plain? @slow, @flags: further bits of bi_opf and bi_flags that a plain bio must not
 * have. noclone_polled_is_requeued() is true only for a bio that dm core has polled, and that a
 * worker of dm core submits again.
 */
static inline bool noclone_plain_is(const struct noclone_dev *nd, struct bio *bio, blk_opf_t slow,
				    unsigned short flags)
{
	return !(bio->bi_opf & (READ_ONCE(nd->slow_opf) | slow)) && bio->bi_iter.bi_size &&
	       !(bio->bi_flags & (BIT(BIO_CHAIN) | flags)) && !bio_has_crypt_ctx(bio) &&
	       !noclone_polled_is_requeued(bio);
}

/* Return: the counter for a bio for which noclone_plain_is() is false. */
static inline enum noclone_counter
noclone_plain_why_not(const struct noclone_dev *nd, struct bio *bio)
{
	blk_opf_t why = bio->bi_opf & READ_ONCE(nd->slow_opf);

	if (why & REQ_POLLED || noclone_polled_is_requeued(bio))
		return NOCLONE_POLLED;
	if (bio->bi_opf & REQ_PREFLUSH)
		return NOCLONE_FLUSH;
	if (why & REQ_OP_MASK || !bio->bi_iter.bi_size)
		return NOCLONE_OP;
	if (bio->bi_opf & REQ_INTEGRITY)
		return NOCLONE_INTEGRITY;
	if (bio_flagged(bio, BIO_CHAIN))
		return NOCLONE_CHAIN;
	return NOCLONE_CRYPTO;
}

/* Do bios of our own take the place of this bio, which is not plain? See gather.c. */
static inline bool noclone_plain_is_chain(const struct noclone_dev *nd, struct bio *bio)
{
	return noclone_plain_why_not(nd, bio) == NOCLONE_CHAIN;
}

#endif /* DM_NOCLONE_PLAIN_H */
