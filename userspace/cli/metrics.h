/* SPDX-License-Identifier: GPL-2.0-only */
/* The status of devices in the text format of Prometheus. */
#ifndef NOCLONE_METRICS_H
#define NOCLONE_METRICS_H

struct json_object;

/* @devices: those that noclone status --json prints; a new string */
char *metrics_print(struct json_object *devices);

#endif /* NOCLONE_METRICS_H */
