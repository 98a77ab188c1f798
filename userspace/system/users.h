/* SPDX-License-Identifier: GPL-2.0-only */
/* The users of a block device, of sectors of one, or of a file. */
#ifndef NOCLONE_USERS_H
#define NOCLONE_USERS_H

#include <sys/types.h>

#include "model/facts.h"
#include "model/uses.h"

/*
 * What keeps a block device open, and makes its removal fail: mounts, swap, holders and
 * loop devices.
 */
void open_uses_lasting(struct uses *uses, dev_t devno);
/*
 * These and processes, which may have closed it a moment later and are not all found without
 * root; and, if there are none, mounts in other mount namespaces.
 */
void open_uses_collect(struct uses *uses, dev_t devno);

/* A process that may write to a block device, in words. */
struct writer {
	dev_t devno;
	char *by;
};

struct writers {
	struct writer *writer;
	unsigned int nr;
};

/* All that there are.  Not complete without root. */
void open_uses_writers(struct writers *writers);
void open_uses_writers_free(struct writers *writers);

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

/**
 * file_uses_collect - swap, loop devices and noclone-file targets on a file
 * @uses: filled in
 * @facts: the file
 * @self: mapped device whose own use does not count, or 0
 * @shares: nor does that of devices that share the file with one that only reads
 */
void file_uses_collect(struct uses *uses, const struct file_facts *facts,
		       dev_t self, bool shares);
/* Does mapped device @devno, if not 0, pin the file? */
bool file_uses_is_pinned(const struct file_facts *f, dev_t devno);

#endif /* NOCLONE_USERS_H */
