/* SPDX-License-Identifier: GPL-2.0-only */
/* Parts of disks and files, with their owners. */
#ifndef NOCLONE_PARTS_H
#define NOCLONE_PARTS_H

#include <stdbool.h>
#include <stdint.h>

#include "model/facts.h"
#include "model/table-target.h"
#include "model/table.h"

/**
 * struct part - a leg or backing file
 * @name: the name of the mapped device that has the part, or NULL
 * @saved: the UUID of the saved device that has the part, or NULL; this device may be active
 * @range: the sectors and the disk of a leg; for a file, only the sectors
 * @file: the file; unknown for a leg
 * @missing: the path of a file that does not exist, otherwise NULL
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

/* Add the parts of a table: legs whose disk exists, and files. */
void parts_add_table(struct parts *parts, const char *name, const struct table *t);
/* Are both parts on the same disk, or in the same file? Their sectors may differ. */
bool part_same_place(const struct part *a, const struct part *b);
/* Return: the part for the file of a target. */
struct part part_of_file(const struct target *t);
/*
 * Return: the first sector of @wanted that no part has, or the end of @wanted if the parts have all
 * its sectors.
 */
uint64_t parts_first_other(const struct parts *parts, const struct part *wanted);
/* Do the parts that count have all sectors of @wanted? */
bool parts_have_all(const struct parts *parts, const struct part *wanted);
/* Does any of the parts have this sector of the device? */
bool parts_have_sector(const struct parts *parts, const struct device_facts *f, uint64_t sector);

/*
 * Does the part of a saved device count as used? While the device is active under any name, the
 * part does not count, because the live table shows the legs. Only the few parts in question are
 * checked, because there may be thousands of saved devices.
 */
bool part_counts(const struct part *part);
void parts_free(struct parts *parts);
#define _cleanup_parts_ __attribute__((cleanup(parts_free)))

#endif /* NOCLONE_PARTS_H */
