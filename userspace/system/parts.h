/* SPDX-License-Identifier: GPL-2.0-only */
/* Parts of disks and files, and who has them. */
#ifndef NOCLONE_PARTS_H
#define NOCLONE_PARTS_H

#include "model/facts.h"
#include "model/table.h"
#include "system/users.h"

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

/*
 * What a file that is not there is known by: its folder may have been moved since, and be
 * found by a link.  A new string.
 */
char *parts_missing_path(const char *path);
/* Those of a table whose disk is there, and files. */
void parts_add_table(struct parts *parts, const char *name, const struct table *t);
/* Those of saved devices that are not active. */
void parts_add_saved(struct parts *parts);
/* Do the two have any sector in common? */
bool part_meets(const struct part *a, const struct part *b);
/* The first sector that the two have in common, and the parts do not; the end if none. */
uint64_t parts_end_common(const struct parts *parts, const struct part *a,
			  const struct part *b);
/* Do the parts together have all sectors that the two have in common? */
bool parts_have_common(const struct parts *parts, const struct part *a,
		       const struct part *b);
void parts_free(struct parts *parts);

#define _cleanup_parts_ __attribute__((cleanup(parts_free)))

#endif /* NOCLONE_PARTS_H */
