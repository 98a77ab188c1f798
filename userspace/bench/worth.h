/* SPDX-License-Identifier: GPL-2.0-only */
/* Whether a measurement speaks for the fast path on this disk. */
#ifndef NOCLONE_BENCH_WORTH_H
#define NOCLONE_BENCH_WORTH_H

#include "bench/measurement.h"

/**
 * enum worth_kind - what a measurement comes down to
 * @WORTH_UNKNOWN: too few rounds, or the fast path was not used
 * @WORTH_YES: at least one load took less time, and none took more
 * @WORTH_PROCESSOR: only the processor has less to do
 * @WORTH_NO: no difference beyond the noise
 * @WORTH_WORSE: a load took more time than on stock
 */
enum worth_kind {
	WORTH_UNKNOWN,
	WORTH_YES,
	WORTH_PROCESSOR,
	WORTH_NO,
	WORTH_WORSE,
};

/**
 * struct worth - the answer
 * @kind: the result
 * @workload: the load that decided it; with WORTH_NO, the one with the shortest I/Os
 */
struct worth {
	enum worth_kind kind;
	unsigned int workload;
};

struct worth worth_of(const struct bench *b);
const char *worth_name(enum worth_kind kind);
/* One sentence that says so, under which load, and what it costs: a new string. */
char *worth_text(const struct bench *b, const struct worth *w);

#endif /* NOCLONE_BENCH_WORTH_H */
