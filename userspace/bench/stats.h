/* SPDX-License-Identifier: GPL-2.0-only */
/* Medians, their spread, and when a difference is significant. */
#ifndef NOCLONE_BENCH_STATS_H
#define NOCLONE_BENCH_STATS_H

/*
 * With normal noise and no real difference, the rule below reports one in 1 of
 * 90 comparisons of 7 rounds, 1 of 20 of 5, and 1 of 6 of 3, which is too many.
 */
#define VERDICT_MIN_ROUNDS	5
/* A difference counts beyond that many times the spread of both sides. */
#define VERDICT_SPREADS		2.0

/**
 * struct figure - one quantity over all rounds
 * @median: of the rounds
 * @spread: median of the distances from it (median absolute deviation)
 */
struct figure {
	double median;
	double spread;
};

struct figure figure_of(const double *value, unsigned int nr);

/**
 * enum verdict_kind - result of a comparison
 * @VERDICT_FEW_ROUNDS: nothing, there are too few rounds
 * @VERDICT_NONE: no difference beyond the noise
 * @VERDICT_LESS: less than what it is compared with
 * @VERDICT_MORE: more
 */
enum verdict_kind {
	VERDICT_FEW_ROUNDS,
	VERDICT_NONE,
	VERDICT_LESS,
	VERDICT_MORE,
};

/**
 * struct verdict - a comparison
 * @kind: the result
 * @difference: of the medians; negative is less
 * @spread: of both sides, added
 * @percent: difference in percent of what it is compared with
 */
struct verdict {
	enum verdict_kind kind;
	double difference;
	double spread;
	double percent;
};

/* Compare @ours with @base; @rounds is that of the side with fewer. */
struct verdict verdict_of(const struct figure *base, const struct figure *ours,
			  unsigned int rounds);
const char *verdict_name(enum verdict_kind kind);
/*
 * "0.21 +- 0.03 us less per I/O than stock: 2.1 % at queue depth 1": a new
 * string, for quantities in microseconds per I/O.  @where may be empty.
 */
char *verdict_text(const struct verdict *v, const char *base,
		   const char *where);

#endif /* NOCLONE_BENCH_STATS_H */
