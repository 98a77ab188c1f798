/* SPDX-License-Identifier: GPL-2.0-only */
/* A measurement as tables and sentences. */
#ifndef NOCLONE_BENCH_REPORT_H
#define NOCLONE_BENCH_REPORT_H

#include "bench/measurement.h"

void report_print(const struct bench *b);

#endif /* NOCLONE_BENCH_REPORT_H */
