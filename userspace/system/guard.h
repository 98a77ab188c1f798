/* SPDX-License-Identifier: GPL-2.0-only */
/* May a table be put on its devices and files? */
#ifndef NOCLONE_GUARD_H
#define NOCLONE_GUARD_H

#include "model/facts.h"
#include "model/finding.h"
#include "model/table.h"
#include "system/users.h"

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

/* Parts of disks and files, and who has them. */

/**
 * struct part - a leg or backing file
 * @name: of the mapped device that has it, or NULL
 * @range: of a disk; of a file only the sectors
 * @file: the file, unknown for a leg
 * @missing: path of a file that is not there, NULL otherwise
 */
struct part {
	char *name;
	struct disk_range range;
	struct file_id file;
	char *missing;
};

struct parts {
	struct part *part;
	unsigned int nr;
};

/* Those of a table whose disk is there, and files. */
void parts_add_table(struct parts *parts, const char *name, const struct table *t);
/* Those of saved devices that are not active. */
void parts_add_saved(struct parts *parts);
void parts_free(struct parts *parts);
#define _cleanup_parts_ __attribute__((cleanup(parts_free)))

#endif /* NOCLONE_GUARD_H */
