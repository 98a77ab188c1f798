/* SPDX-License-Identifier: GPL-2.0-only */
/* Running fio on all rows. */
#ifndef NOCLONE_BENCH_RUN_H
#define NOCLONE_BENCH_RUN_H

#include "bench/fio.h"
#include "bench/measurement.h"

/*
 * Both within stop_hold(); 0, or a negative errno after a message.  The mapped
 * devices exist during run_bench() only.
 */
int run_choose_workloads(struct bench *b);
int run_bench(struct bench *b);
/* The command line of one run. */
void run_command_line(const struct bench *b, unsigned int workload,
		      enum bench_row row, struct command_line *c);

#endif /* NOCLONE_BENCH_RUN_H */
