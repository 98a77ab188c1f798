/* SPDX-License-Identifier: GPL-2.0-only */
/* noclone status with a line for each device */
#ifndef NOCLONE_STATUS_ALL_H
#define NOCLONE_STATUS_ALL_H

#include "cli/options.h"
#include "cli/select.h"
#include "model/overview.h"
#include "system/live.h"

struct json_object;

/* The overview of a device; the status that it takes is gone from @live. */
void status_overview(const char *name, struct live *live, struct overview *v);
/* Add an overview to the object of its device. */
void status_overview_json(struct json_object *o, const struct overview *v);

/**
 * status_all - print a line for each device, perhaps again and again
 * @o: --output, --noheadings, --watch, --prometheus
 * @names: the devices; without any, all that there is something to say about
 *
 * Return: an exit code.
 */
int status_all(const struct options *o, const struct names *names);

#endif /* NOCLONE_STATUS_ALL_H */
