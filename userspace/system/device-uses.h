/* SPDX-License-Identifier: GPL-2.0-only */
/* Users of sectors of a block device. */
#ifndef NOCLONE_DEVICE_USES_H
#define NOCLONE_DEVICE_USES_H

#include "model/facts.h"
#include "model/uses.h"

/**
 * struct use_query - the sectors to look at
 * @facts: the device
 * @first: first sector
 * @sectors: how many
 * @self: mapped device whose own use does not count, or 0
 * @exclusive: try to open the device exclusively as well
 * @surely: holders count that surely have the sectors, not those that may have them
 * @known: how many at the start have what is expected: no signature is looked for in them
 */
struct use_query {
	const struct device_facts *facts;
	uint64_t first;
	uint64_t sectors;
	dev_t self;
	bool exclusive;
	bool surely;
	uint64_t known;
};

/* Mounts, swap, holders and loop devices. */
void device_uses_collect_live(struct uses *uses, const struct use_query *query);
/* And exclusive openers, and signatures. */
void device_uses_collect(struct uses *uses, const struct use_query *query);

/* Is the sector one that a device on @facts, other than @self, surely has? */
bool device_uses_hold(const struct device_facts *facts, uint64_t sector, dev_t self);
/* Do the two devices share sectors?  A disk shares with its partitions. */
bool device_uses_share(const struct device_facts *facts, dev_t devno);

/* The same sectors as a range of the whole disk. */
struct disk_range {
	dev_t disk;
	uint64_t first, end;
};

struct disk_range device_uses_range(const struct use_query *query);

#endif /* NOCLONE_DEVICE_USES_H */
