/* SPDX-License-Identifier: GPL-2.0-only */
/* May a table be put on its devices and files? */
#ifndef NOCLONE_GUARD_H
#define NOCLONE_GUARD_H

#include "model/problems.h"
#include "model/table.h"

/**
 * guard_table - find out who uses the devices and files of a table
 * @t: table; its devices exist
 * @self: the mapped device it is for, or 0
 * @exclusive: also try exclusive opens (not for a dry run)
 * @problems: gets an error for everything that forbids it
 */
void guard_table(const struct table *t, dev_t self, bool exclusive,
		 struct problems *problems);

#endif /* NOCLONE_GUARD_H */
