/* SPDX-License-Identifier: GPL-2.0-only */
/* Checks whether a table may use its devices and files. */
#ifndef NOCLONE_GUARD_H
#define NOCLONE_GUARD_H

#include <stdbool.h>
#include <sys/types.h>

#include "model/finding.h"
#include "model/table.h"

/**
 * struct guard - what guard_table() checks
 * @self: the mapped device that gets the table, or 0
 * @exclusive: try exclusive opens as well (not in a dry run)
 * @any_signature: ignore signatures on the devices, and processes that write
 * @from_file: the table is that of a saved file: ignore signatures in its legs, and recorded
 *	signatures on the rest of their disks
 * @loaded: the table is already loaded: look only for mounts, swap, holders and other users of a
 *	file
 * @saved: the parts of inactive saved devices count as used
 * @readonly: the table only reads
 */
struct guard {
	dev_t self;
	bool exclusive;
	bool any_signature;
	bool from_file;
	bool loaded;
	bool saved;
	bool readonly;
};

/**
 * guard_table - find the users of the devices and files of a table
 * @t: the table; its devices exist
 * @g: what to check
 * @findings: gets an error for each use that forbids the table
 */
void guard_table(const struct table *t, const struct guard *g,
		 struct findings *findings);

#endif /* NOCLONE_GUARD_H */
