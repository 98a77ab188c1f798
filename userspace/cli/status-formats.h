/* SPDX-License-Identifier: GPL-2.0-only */
/* The formats of noclone status. */
#ifndef NOCLONE_STATUS_FORMATS_H
#define NOCLONE_STATUS_FORMATS_H

#include "cli/report.h"

/*
 * Return: a report with all columns of noclone status, and none selected. The completion of words
 * also uses it.
 */
struct report status_report(void);
/*
 * Return: metrics for Prometheus, a new string. @devices: the devices as "noclone status --json"
 * prints them
 */
char *status_metrics(struct json_object *devices);

#endif /* NOCLONE_STATUS_FORMATS_H */
