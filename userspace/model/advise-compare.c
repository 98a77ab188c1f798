// SPDX-License-Identifier: GPL-2.0-only
/* What the members of a device differ in, and whether the fast path will show. */
#include <string.h>

#include "base/util.h"
#include "model/advise.h"

/* Guesses where nothing was measured: a read of 4 KiB, one at a time */
#define GUESS_ROTATIONAL_NS	5000000
#define GUESS_OTHER_NS		80000

/* Below this share nobody sees it. */
#define SHARE_NOT_SEEN	0.005
#define SHARE_SEEN	0.05

static void compare_nodes(const struct members *m, struct advice *a)
{
	unsigned int i;

	for (i = 1; i < m->nr; i++) {
		const struct member *x = &m->member[0], *y = &m->member[i];

		if (x->limits.node < 0 || y->limits.node < 0 || x->limits.node == y->limits.node)
			continue;
		problem_add(&a->problems, PROBLEM_NOTE, 0,
			    "%s is on NUMA node %d and %s on node %d: some of the I/O goes from one node to the other",
			    x->spec.device, x->limits.node, y->spec.device, y->limits.node);
		return;
	}
}

static void compare_models(const struct members *m, struct advice *a)
{
	unsigned int i;

	for (i = 1; i < m->nr; i++) {
		const struct member *x = &m->member[0], *y = &m->member[i];

		if (!x->model || !y->model || !strcmp(x->model, y->model))
			continue;
		problem_add(&a->problems, PROBLEM_NOTE, 0,
			    "%s is a %s and %s a %s: if one is slower, --measure shows it",
			    x->spec.device, x->model, y->spec.device, y->model);
		return;
	}
}

static void compare_seeks(const struct members *m, struct advice *a)
{
	unsigned int i;

	for (i = 1; i < m->nr; i++) {
		const struct member *x = &m->member[0], *y = &m->member[i];
		bool first = x->limits.rotational;

		if (first == y->limits.rotational)
			continue;
		problem_add(&a->problems, PROBLEM_WARNING, 0,
			    "%s seeks and %s does not: what is on the first is a hundred times slower",
			    first ? x->spec.device : y->spec.device,
			    first ? y->spec.device : x->spec.device);
		return;
	}
}

static const struct member *extreme(const struct members *m, bool slowest)
{
	const struct member *found = &m->member[0];
	unsigned int i;

	for (i = 1; i < m->nr; i++)
		if ((m->member[i].measured.bytes_s < found->measured.bytes_s) == slowest)
			found = &m->member[i];
	return found;
}

/* Half as fast again is more than what two devices of a model differ in. */
static void compare_measured(const struct members *m, struct advice *a)
{
	const struct member *slow = extreme(m, true), *fast = extreme(m, false);

	if (!slow->measured.bytes_s || fast->measured.bytes_s < slow->measured.bytes_s * 3 / 2)
		return;
	problem_add(&a->problems, PROBLEM_WARNING, 0,
		    "%s reads %llu MB/s and %s %llu MB/s: %s",
		    slow->spec.device, (unsigned long long)slow->measured.bytes_s / 1000000,
		    fast->spec.device, (unsigned long long)fast->measured.bytes_s / 1000000,
		    a->kind == TARGET_STRIPED ?
		    "striped over both, each is as slow as the first" :
		    "what is on the first is slower");
}

static void find_latency(const struct members *m, struct advice *a)
{
	unsigned int i;

	a->latency_ns = UINT64_MAX;
	a->latency_is_measured = m->nr;
	for (i = 0; i < m->nr; i++) {
		const struct member *x = &m->member[i];
		uint64_t ns = x->measured.latency_ns;

		a->latency_is_measured &= !!ns;
		if (!ns)
			ns = x->limits.rotational ? GUESS_ROTATIONAL_NS : GUESS_OTHER_NS;
		a->latency_ns = MIN(a->latency_ns, ns);
	}
}

void advise_compare(const struct members *m, struct advice *a)
{
	find_latency(m, a);
	compare_nodes(m, a);
	if (m->nr < 2)
		return;
	compare_seeks(m, a);
	compare_measured(m, a);
	if (!a->latency_is_measured)
		compare_models(m, a);
}

double advise_share(const struct advice *a)
{
	return (double)ADVISE_SAVED_NS / (a->latency_ns + ADVISE_SAVED_NS);
}

static const char *verdict(double share)
{
	if (share < SHARE_NOT_SEEN)
		return "that does not matter here";
	if (share < SHARE_SEEN)
		return "that matters only where one processor does hundreds of thousands of I/Os per second";
	return "that will show, most of all where a processor is busy with I/O";
}

char *advise_fastpath_words(const struct advice *a)
{
	double share = advise_share(a);

	return xasprintf("saves about 0.1 us of processor time for each I/O, whatever the device; a read takes %.4g us here (%s), so it is %.2g %%: %s",
			 a->latency_ns / 1000.0, a->latency_is_measured ? "measured" :
			 "a guess, --measure measures it", share * 100, verdict(share));
}
