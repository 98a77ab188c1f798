/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What has to be known about a device before it is put under a table, and
 * where that knowledge comes from: the running system (device.c), or what the
 * user or a unit test says (assume.c).
 */
#ifndef NOCLONE_FACTS_H
#define NOCLONE_FACTS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/**
 * struct device_facts - one block device
 * @path: canonical path
 * @devno: its number
 * @disk: number of the whole disk, the same if it is not a partition
 * @offset: first sector on that disk
 * @sectors: size
 * @logical_block: bytes; smaller I/O is impossible
 * @physical_block: bytes; smaller I/O is slow
 * @zone_sectors: size of a zone, 0 if it is not zoned
 * @readonly: it cannot be written
 */
struct device_facts {
	char *path;
	dev_t devno;
	dev_t disk;
	uint64_t offset;
	uint64_t sectors;
	uint32_t logical_block;
	uint32_t physical_block;
	uint64_t zone_sectors;
	bool readonly;
};

/**
 * struct facts_source - where facts come from
 * @lookup: fill in @facts; 0 or a negative errno
 * @stands_on: does the first device use the second, at any depth?
 * @data: the source's own
 */
struct facts_source {
	int (*lookup)(const struct facts_source *src, const char *name,
		      struct device_facts *facts);
	bool (*stands_on)(const struct facts_source *src, dev_t upper,
			  dev_t lower);
	void *data;
};

void facts_free(struct device_facts *facts);

#define _cleanup_facts_ __attribute__((cleanup(facts_free)))

/* Facts told instead of looked up: "DEV=SIZE[:LOGICAL_BLOCK]" */
struct assumption {
	char *name;
	struct device_facts facts;
};

/**
 * struct assumed - a source that knows what it was told
 * @source: give this to whoever wants facts; @source.data is this struct
 * @fallback: asked for other devices, or NULL
 * @assumption: what was told
 * @nr: how many
 */
struct assumed {
	struct facts_source source;
	const struct facts_source *fallback;
	struct assumption *assumption;
	unsigned int nr;
};

void assumed_init(struct assumed *a, const struct facts_source *fallback);
/* Return: NULL, or a sentence saying what is wrong with @text. */
const char *assumed_add(struct assumed *a, const char *text);
void assumed_free(struct assumed *a);

#endif /* NOCLONE_FACTS_H */
