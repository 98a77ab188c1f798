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
 * lint_table - look for mistakes in a table
 * @t: the table
 * @src: facts about devices and files; NULL to check only the table itself
 * @self: the number of the device that gets the table, or 0 if this device does not exist yet
 * @findings: gets a finding for each mistake
 *
 * Return: true if the device would be built on itself. Not even --force permits such a table,
 * because older kernels accept the table, and then I/O to the device never completes.
 */
bool lint_table(const struct table *t, const struct facts_source *src, dev_t self,
		struct findings *findings);

/*
 * Add a finding with the level @level for each target of a type whose arguments the tool does not
 * parse, so that the legs of the target are unknown.
 */
void lint_types(const struct table *t, enum finding_level level, struct findings *findings);

/*
 * Add a warning for each name of an existing device that may be the name of another device after a
 * reboot.
 */
void lint_names(const struct table *t, const struct facts_source *src, struct findings *findings);

#endif /* NOCLONE_LINT_H */
