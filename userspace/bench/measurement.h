/* SPDX-License-Identifier: GPL-2.0-only */
/* A measurement: what "noclone bench" did and found. */
#ifndef NOCLONE_MEASUREMENT_H
#define NOCLONE_MEASUREMENT_H

#include "bench/fio.h"
#include "bench/rig.h"
#include "bench/stats.h"

#define MAX_WORKLOADS	6

/**
 * struct bench - a measurement
 * @rig: devices
 * @block: bytes of an I/O
 * @cpus: CPUs that fio may use
 * @rounds: how many
 * @run_ms: how long each run takes
 * @workload: what is done
 * @nr_workloads: how many
 * @result: one for each run, see bench_result()
 * @fio_version: what fio calls itself
 * @module_version: version of our target, or NULL
 * @has_status: @status is valid
 * @status: status line of our device after the last run
 */
struct bench {
	struct bench_rig rig;
	uint32_t block;
	unsigned int cpus;
	unsigned int rounds;
	unsigned int run_ms;
	struct workload workload[MAX_WORKLOADS];
	unsigned int nr_workloads;
	struct fio_result *result;
	char *fio_version;
	char *module_version;
	bool has_status;
	struct status status;
};

static inline struct fio_result *bench_result(const struct bench *b,
					      unsigned int workload,
					      enum bench_row row,
					      unsigned int round)
{
	return &b->result[(workload * NR_ROWS + row) * b->rounds + round];
}

/* A measure over all rounds. */
struct figure bench_figure(const struct bench *b, unsigned int workload,
			   enum bench_row row, enum measure measure);
/* Ours against stock. */
struct verdict bench_verdict(const struct bench *b, unsigned int workload,
			     enum measure measure);
/* Share of the I/O that was remapped in place; 0 if there was none. */
double bench_fast_share(const struct status *s);
/* Was the fast path on, and did all but a stray I/O take it? */
bool bench_was_fast(const struct bench *b);

void bench_free(struct bench *b);

#endif /* NOCLONE_MEASUREMENT_H */
