/* SPDX-License-Identifier: GPL-2.0-only */
/* The devices of noclone status, as a report and for Prometheus. */
#ifndef NOCLONE_STATUS_FORMATS_H
#define NOCLONE_STATUS_FORMATS_H

#include "cli/report.h"

struct json_object;

/* All columns, none of them selected; completion offers them as well. */
struct report status_report(void);
/* Metrics.  @devices: those that noclone status --json prints; a new string */
char *metrics_print(struct json_object *devices);

#endif /* NOCLONE_STATUS_FORMATS_H */
