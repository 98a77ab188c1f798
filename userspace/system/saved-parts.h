/* SPDX-License-Identifier: GPL-2.0-only */
/* Parts of disks and files that belong to saved devices which are not active. */
#ifndef NOCLONE_SAVED_PARTS_H
#define NOCLONE_SAVED_PARTS_H

#include "model/file-id.h"
#include "system/device-uses.h"

/**
 * struct saved_part - a leg or backing file
 * @name: of the saved device
 * @range: of a disk; of a file only the sectors
 * @file: the file, unknown for a leg
 */
struct saved_part {
	char *name;
	struct disk_range range;
	struct file_id file;
};

struct saved_parts {
	struct saved_part *part;
	unsigned int nr;
};

/* Those whose disk or file is there. */
void saved_parts_collect(struct saved_parts *parts);
/* The first part that has any of the sectors, or NULL. */
const struct saved_part *saved_parts_find(const struct saved_parts *parts,
					  const struct disk_range *range,
					  const struct file_id *file);
void saved_parts_free(struct saved_parts *parts);

#define _cleanup_saved_parts_ __attribute__((cleanup(saved_parts_free)))

#endif /* NOCLONE_SAVED_PARTS_H */
