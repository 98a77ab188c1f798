/* SPDX-License-Identifier: GPL-2.0-only */
/* Checks of a table that are possible without loading it. */
#ifndef NOCLONE_LINT_H
#define NOCLONE_LINT_H

#include <stdbool.h>
#include <sys/types.h>

#include "model/facts.h"
#include "model/finding.h"
#include "model/table.h"

/**
 * lint_table - look for mistakes
 * @t: the table
 * @src: facts about devices and files; NULL to check only the table itself
 * @self: the number of the device that gets the table, or 0 if it does not exist yet
 * @findings: gets the mistakes
 *
 * Return: true if the device would be built on itself. Not even --force permits such a table,
 * because older kernels accept it, and I/O would never complete.
 */
bool lint_table(const struct table *t, const struct facts_source *src, dev_t self,
		struct findings *findings);

/* Add a finding of this level for each target whose legs the tool does not know. */
void lint_types(const struct table *t, enum finding_level level, struct findings *findings);

/* Warn of names of existing devices that may belong to another device after a reboot. */
void lint_names(const struct table *t, const struct facts_source *src, struct findings *findings);

#endif /* NOCLONE_LINT_H */
