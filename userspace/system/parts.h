/* SPDX-License-Identifier: GPL-2.0-only */
/* Parts of disks and parts of files, with the devices that own them. */
#ifndef NOCLONE_PARTS_H
#define NOCLONE_PARTS_H

#include <stdbool.h>
#include <stdint.h>

#include "model/facts.h"
#include "model/table-target.h"
#include "model/table.h"

/**
 * struct part - a leg or backing file
 * @name: the name of the mapped device or saved device that has the part, or NULL
 * @saved: the UUID of the saved device that has the part, or NULL; the saved device may be active
 * @range: for a leg, its disk and the sectors on this disk; for a file, only the sectors in the
 *	file
 * @file: the inode of the backing file; @file.known is false for a leg, and if @missing is set
 * @missing: the path of a backing file whose inode could not be found, in most cases because the
 *	file does not exist; otherwise NULL
 */
struct part {
	char *name;
	char *saved;
	struct disk_range range;
	struct file_id file;
	char *missing;
};

struct parts {
	struct part *part;
	unsigned int nr;
};

/* Add the parts of a table: each leg whose disk exists, and each backing file. */
void parts_add_table(struct parts *parts, const char *name, const struct table *t);
/* Are both parts on the same disk, or in the same file? The sectors are not compared. */
bool part_same_place(const struct part *a, const struct part *b);
/* Return: the part for the backing file of a target. */
struct part part_of_file(const struct target *t);
/*
 * Return: the first sector of @wanted that is in none of the parts that count, or the end of
 * @wanted if these parts have all its sectors.
 */
uint64_t parts_first_other(const struct parts *parts, const struct part *wanted);
/* Is each sector of @wanted in a part that counts? */
bool parts_have_all(const struct parts *parts, const struct part *wanted);
/* Does any part that counts have the sector @sector of the device @f? */
bool parts_have_sector(const struct parts *parts, const struct device_facts *f, uint64_t sector);

/*
 * Does a part count as used? A part of a saved device does not count while the device is active
 * under any name, because the live table then shows its legs. There may be thousands of saved
 * devices, and this function asks the kernel. So each caller first compares sectors, and calls this
 * function only for the few parts that matter.
 */
bool part_counts(const struct part *part);
void parts_free(struct parts *parts);
#define _cleanup_parts_ __attribute__((cleanup(parts_free)))

#endif /* NOCLONE_PARTS_H */
