/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The sentinel is one bio of each device. In a suspend dm core waits for the sentinel, and thus for
 * all bios of the fast path, see sentinel.c.
 */
#ifndef DM_NOCLONE_SENTINEL_H
#define DM_NOCLONE_SENTINEL_H

#include "device-state.h"

/* A function that submits the bio to dm core. Return: false if this is not possible now. */
typedef bool noclone_sentinel_submit_fn(struct noclone_dev *nd, struct bio *bio);

/* Is this the clone of the sentinel? A clone has the vectors of its bio. Context: .map */
static inline bool noclone_sentinel_is(const struct noclone_dev *nd,
				       const struct bio *clone)
{
	return unlikely(clone->bi_io_vec == &nd->sentinel.vec);
}

/* Does dm core have the sentinel? Pairs with clear_and_wake_up_bit() */
static inline bool noclone_sentinel_is_busy(const struct noclone_dev *nd)
{
	return test_bit_acquire(0, &nd->sentinel.busy);
}

int noclone_sentinel_keep(struct noclone_dev *nd, struct bio *clone);
bool noclone_sentinel_send(struct noclone_dev *nd, noclone_sentinel_submit_fn *submit);
void noclone_sentinel_end(struct noclone_dev *nd);
void noclone_sentinel_flush(struct noclone_dev *nd);

#endif /* DM_NOCLONE_SENTINEL_H */
