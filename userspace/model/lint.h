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
 * @self: the device it is for, or NULL
 * @findings: gets the mistakes
 */
void lint_table(const struct table *t, const struct facts_source *src,
		const struct self_device *self, struct findings *findings);

/* Warn of device names that a reboot may give to another device. */
void lint_names(const struct table *t, struct findings *findings);

/* Has lint_table() found that the device is built on itself?  I/O would never complete. */
bool lint_is_cycle(const struct findings *findings);

#endif /* NOCLONE_LINT_H */
