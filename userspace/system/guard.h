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
 * @self: the mapped device that gets the table, or 0 if the device does not exist yet
 * @exclusive: try to open each device exclusively as well, which a dry run does not do
 * @any_signature: ignore all signatures on the devices, and all processes that may write to the
 *	devices
 * @from_saved: the table comes from a saved file: ignore signatures in its legs, and ignore a
 *	signature on the rest of a disk if the saved file records this signature
 * @recheck: the table is already loaded, and the other checks were made before: find only mounts,
 *	swap, holders, loop devices, mapped devices on a file, and saved devices if @saved is set
 * @saved: the sectors and files of each saved device that is not active count as used
 * @readonly: the mapped device is read-only, so the table only reads
 */
struct guard {
	dev_t self;
	bool exclusive;
	bool any_signature;
	bool from_saved;
	bool recheck;
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
