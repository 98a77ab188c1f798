/* SPDX-License-Identifier: GPL-2.0-only */
/* Laying out a linear or striped table over devices. */
#ifndef NOCLONE_PLAN_H
#define NOCLONE_PLAN_H

#include "model/facts.h"
#include "model/problems.h"
#include "model/table.h"

/**
 * struct leg_spec - DEV[:START[+LEN]] of the command line
 * @device: name of the device
 * @start: first sector
 * @length: sectors; 0 means up to the end of the device
 */
struct leg_spec {
	char *device;
	uint64_t start;
	uint64_t length;
};

/**
 * leg_spec_parse - take DEV[:START[+LEN]] apart
 * @spec: filled in
 * @text: what the user wrote
 *
 * Names with colons (by-path, 8:0) stay whole: only something that is a size
 * with its unit, or 0, counts as a start.
 *
 * Return: NULL, or a sentence saying what is wrong.
 */
const char *leg_spec_parse(struct leg_spec *spec, const char *text);

/**
 * struct plan_request - a requested linear or striped device
 * @kind: linear or striped
 * @legs: the devices in order
 * @nr_legs: how many
 * @chunk: sectors, for striped
 * @no_fastpath: give the targets that option
 */
struct plan_request {
	enum target_kind kind;
	struct leg_spec *legs;
	unsigned int nr_legs;
	uint64_t chunk;
	bool no_fastpath;
};

/**
 * plan_table - make the table
 * @req: the request
 * @src: facts about the devices
 * @t: filled with the table
 * @problems: gets errors, and a warning for every sector left unused
 *
 * Sizes are rounded down: to the largest logical block for linear, to whole
 * chunks of the smallest leg for striped.
 */
void plan_table(const struct plan_request *req, const struct facts_source *src,
		struct table *t, struct problems *problems);

void plan_request_free(struct plan_request *req);

#endif /* NOCLONE_PLAN_H */
