/* SPDX-License-Identifier: GPL-2.0-only */
/* The formats in which "noclone status" prints devices. */
#ifndef NOCLONE_STATUS_FORMATS_H
#define NOCLONE_STATUS_FORMATS_H

#include "cli/report.h"

/*
 * Return: a report that knows all columns of "noclone status", but has no column selected yet. The
 * completion of the command line also calls this function.
 */
struct report status_report(void);
/*
 * Return: metrics of all devices for Prometheus, a new string. @devices: an array with the devices
 * as "noclone status --json" prints them
 */
char *status_metrics(struct json_object *devices);

#endif /* NOCLONE_STATUS_FORMATS_H */
