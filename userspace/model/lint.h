/* SPDX-License-Identifier: GPL-2.0-only */
/* Is this table good?  Everything that can be known before the kernel is asked. */
#ifndef NOCLONE_LINT_H
#define NOCLONE_LINT_H

#include "model/facts.h"
#include "model/problems.h"
#include "model/table.h"

/**
 * lint_table - look for mistakes
 * @t: table whose lines could be parsed
 * @src: where to ask about devices; NULL to leave the devices alone
 * @self: the device it is for, or NULL
 * @problems: gets what was found
 */
void lint_table(const struct table *t, const struct facts_source *src,
		const struct self_device *self, struct problems *problems);

/* Would the device stand on itself?  I/O to it would then never end. */
bool lint_is_cycle(const struct table *t, const struct facts_source *src,
		   const struct self_device *self);

#endif /* NOCLONE_LINT_H */
