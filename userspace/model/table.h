/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Device-mapper tables as data.
 *
 * The arguments of this module's targets, and of the stock linear and striped targets, are parsed
 * word by word. The arguments of all other targets are kept as one string.
 */
#ifndef NOCLONE_TABLE_H
#define NOCLONE_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/util.h"
#include "model/table-target.h"

/* The kernel keeps the size of a device in bytes in a signed 64-bit number. */
#define TABLE_MAX_SECTORS	(INT64_MAX >> SECTOR_SHIFT)

/**
 * struct table - the table of a mapped device
 * @targets: the targets in the order of their sectors
 * @nr: the number of targets
 * @saved: the table belongs to a saved device. A rule that was made for new tables then gives a
 *	warning, not an error
 */
struct table {
	struct target *targets;
	unsigned int nr;
	bool saved;
};

/* Add a target of any type, without arguments. The caller fills in the arguments. */
struct target *table_add_target(struct table *t, uint64_t start,
				uint64_t length, const char *type);

/*
 * Go through all legs. @target: NULL, or the target that the last call returned; @leg: set to the
 * number of the leg in its target.
 *
 * Return: the target of the next leg, or NULL behind the last leg.
 */
struct target *table_next_leg(const struct table *t, struct target *target, unsigned int *leg);

/* Return: the end of the last target, which is the size of the mapped device. */
uint64_t table_sectors(const struct table *t);

bool table_has_noclone(const struct table *t);
/* Is any target a target of this module, or a stock target, which can get the fast path? */
bool table_can_be_fast(const struct table *t);
/* Does any target have a backing file? */
bool table_has_file(const struct table *t);
/* Is any target the kernel's own linear or striped? */
bool table_has_stock(const struct table *t);

/* Return: the first target with hidden arguments, or NULL. */
const struct target *table_hidden(const struct table *t);

/*
 * Replace the name of each device below by the name that @namer returns. Paths of backing files
 * stay the same.
 */
void table_rename_devices(struct table *t, device_namer namer);

/*
 * Do both tables map the sectors of the shorter table to the same places? Backing files are
 * compared by inode if both inodes are known, and otherwise by path.
 */
bool table_same_mapping(const struct table *t, const struct table *other);

void table_free(struct table *t);

#define _cleanup_table_ __attribute__((cleanup(table_free)))

#endif /* NOCLONE_TABLE_H */
