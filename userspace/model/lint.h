/* SPDX-License-Identifier: GPL-2.0-only */
/* Checks of a table that can be made without loading it. */
#ifndef NOCLONE_LINT_H
#define NOCLONE_LINT_H

#include "model/facts.h"
#include "model/finding.h"
#include "model/table.h"

/**
 * lint_table - look for mistakes
 * @t: table
 * @src: facts about devices and files; NULL to check the table alone
 * @self: number of the device it is for; 0: it does not exist yet
 * @findings: gets the mistakes
 *
 * Return: true if the device would be built on itself.  Not even --force may load that:
 * older kernels do not notice, and I/O would never complete.
 */
bool lint_table(const struct table *t, const struct facts_source *src, dev_t self,
		struct findings *findings);

/* Warn of device names that a reboot may give to another device. */
void lint_names(const struct table *t, struct findings *findings);

#endif /* NOCLONE_LINT_H */
