/* SPDX-License-Identifier: GPL-2.0-only */
/* Metrics in the text format of Prometheus. */
#ifndef NOCLONE_METRICS_H
#define NOCLONE_METRICS_H

#include "model/overview.h"

/* What a textfile collector reads: a new string. */
char *metrics_print(const struct overview *v, unsigned int nr);

#endif /* NOCLONE_METRICS_H */
