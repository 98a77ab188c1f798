/* SPDX-License-Identifier: GPL-2.0-only */
/* May a table be put on its devices and files? */
#ifndef NOCLONE_GUARD_H
#define NOCLONE_GUARD_H

#include "model/finding.h"
#include "model/table.h"

/**
 * struct guard - what to look at
 * @self: the mapped device that the table is for, or 0
 * @exclusive: also try exclusive opens (not for a dry run)
 * @any_signature: neither signatures on the devices count, nor processes that write
 * @loaded: the table is loaded already: only mounts, swap, holders and other users of a file
 * @saved: parts of saved devices that are not active count
 * @readonly: the table only reads
 */
struct guard {
	dev_t self;
	bool exclusive;
	bool any_signature;
	bool loaded;
	bool saved;
	bool readonly;
};

/**
 * guard_table - find out who uses the devices and files of a table
 * @t: table; its devices exist
 * @g: what to look at
 * @findings: gets an error for everything that forbids it
 */
void guard_table(const struct table *t, const struct guard *g,
		 struct findings *findings);

#endif /* NOCLONE_GUARD_H */
