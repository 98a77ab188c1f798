// SPDX-License-Identifier: GPL-2.0-only
/*
 * The fast path of a mapped device in words: state and counters, for the status
 * line of our targets and for the message "fastpath".
 */
#include "fastpath-status.h"
#include "device-state.h"
#include "inflight.h"

#include <linux/device-mapper.h>

static const char * const noclone_counter_word[] = {
#define X(name, word, text) [NOCLONE_##name] = word,
	NOCLONE_COUNTERS(X)
#undef X
};

static const char * const noclone_state_word[] = {
	[NOCLONE_ON] = "on",
#define X(name, word, class, enable, doctor) [NOCLONE_OFF_##name] = "off:" word,
	NOCLONE_OFF_REASONS(X)
#undef X
};

static unsigned long noclone_status_counter_sum(const struct noclone_dev *nd,
						enum noclone_counter which)
{
	unsigned long sum = 0;
	int cpu;

	if (which == NOCLONE_INFLIGHT)
		return noclone_inflight_count(nd);
	for_each_possible_cpu(cpu)
		sum += READ_ONCE(per_cpu_ptr(nd->counters, cpu)->n[which]);
	return sum;
}

/*
 * Return: the state of the device. "dmsetup stats" counts as a reason for "off", and is looked up
 * here because dm core does not report when statistics begin and end.
 */
static enum noclone_state noclone_status_state(const struct noclone_dev *nd)
{
	enum noclone_state state = READ_ONCE(nd->state);
	/*
	 * The pointer is stored before the state, but this CPU may see the state first: NULL is
	 * possible
	 */
	const unsigned long *bytes = READ_ONCE(nd->stats_bytes);

	if (state == NOCLONE_ON && bytes && READ_ONCE(*bytes))
		return NOCLONE_OFF_BYSTATS;
	return state;
}

/*
 * Does the device have this counter? For stock targets the module does not see the clones of dm
 * core.
 */
static bool noclone_status_has(const struct noclone_dev *nd,
			       enum noclone_counter which)
{
	return which != NOCLONE_CLONES || !nd->stock;
}

static unsigned int noclone_status_nr_counters(const struct noclone_dev *nd)
{
	return NOCLONE_NR_COUNTERS - (nd->stock ? 1 : 0);
}

/*
 * Print the end of a status line, see include/dm-noclone.h. @counters: print the counters of the
 * device as well. Return: the new @sz.
 */
size_t noclone_status_emit(const struct noclone_dev *nd, bool counters, char *result,
			   unsigned int maxlen, size_t sz)
{
	unsigned int i, nr = counters && noclone_dev_is_ready(nd) ?
		noclone_status_nr_counters(nd) : 0;

	DMEMIT("fastpath %s %u", noclone_state_word[noclone_status_state(nd)],
	       2 * nr);
	for (i = 0; nr && i < NOCLONE_NR_COUNTERS; i++)
		if (noclone_status_has(nd, i))
			DMEMIT(" %s %lu", noclone_counter_word[i],
			       noclone_status_counter_sum(nd, i));
	return sz;
}

/* Print the status of a stock device for which the module keeps no struct noclone_stock */
void noclone_status_emit_none(enum noclone_state state, char *result,
			      unsigned int maxlen)
{
	size_t sz = 0;

	DMEMIT("fastpath %s 0", noclone_state_word[state]);
}
