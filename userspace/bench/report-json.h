/* SPDX-License-Identifier: GPL-2.0-only */
/* A measurement as JSON: noclone-json(5), "bench". */
#ifndef NOCLONE_BENCH_REPORT_JSON_H
#define NOCLONE_BENCH_REPORT_JSON_H

#include "bench/measurement.h"

struct json_object;

struct json_object *report_json(const struct bench *b);

#endif /* NOCLONE_BENCH_REPORT_JSON_H */
