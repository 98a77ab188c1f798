// SPDX-License-Identifier: GPL-2.0-only
/* The end of the sentinel when no bio is in flight any more; see inflight.h. */
#include "inflight.h"
#include "sentinel.h"

/*
 * End the sentinel for which a suspend waits, if all bios are done. The suspend calls this when it
 * has stored the clone of the sentinel, and a completion calls this when it has counted its bio: at
 * least one of the two sees the store of the other. Context: any that may complete bios, inside of
 * rcu_read_lock() or with md->suspend_lock, and preemptible if the caller is preemptible.
 */
void noclone_inflight_end_sentinel(struct noclone_dev *nd)
{
	/* The store of the caller comes before both reads. Pairs with itself on another CPU */
	smp_mb();
	/* Read the clone before the sums: only if the clone exists, no bio begins any more */
	if (smp_load_acquire(&nd->sentinel.clone) && noclone_inflight_is_zero(nd))
		noclone_sentinel_end(nd);
}
