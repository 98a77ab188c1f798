/* SPDX-License-Identifier: GPL-2.0-only */
/* The partitions of an image, and the mapped devices that they get. */
#ifndef NOCLONE_PARTITION_H
#define NOCLONE_PARTITION_H

#include <stdbool.h>
#include <stdint.h>

#include "model/table.h"

/**
 * struct partition - a partition as the partition table has it
 * @nr: its number, counted from 1
 * @start: its first sector in the image
 * @sectors: the number of sectors
 * @extended: it is the extended partition of a DOS partition table, which only contains others
 */
struct partition {
	unsigned int nr;
	uint64_t start;
	uint64_t sectors;
	bool extended;
};

/**
 * struct partition_table - the partition table of an image
 * @path: the file that has the image, or the device of the image
 * @device: @path is the device
 * @first: the first sector of the image in the file
 * @sectors: the number of sectors of the device of the image
 * @block: the bytes of a logical block of this device
 * @readonly: the devices are read-only, so partitions may overlap, as on a CD image that
 *	can also be booted from a disk
 *
 * The following members were read from the image.
 *
 * @scheme: "gpt", "dos" or another word of libblkid, or NULL without a valid partition table
 * @part: the partitions
 * @nr: the number of partitions
 * @gpt_block: the bytes of a block in which a GPT counts, or 0 if the image does not begin with a
 *	GPT; the GPT may be damaged
 * @gpt_end: the number of sectors that an image needs for the partitions of this GPT
 * @damaged: the number of an extended partition whose list of logical partitions is damaged, or of a
 *	partition outside the usable sectors of a GPT, or 0
 */
struct partition_table {
	char *path;
	bool device;
	uint64_t first;
	uint64_t sectors;
	uint32_t block;
	bool readonly;
	char *scheme;
	struct partition *part;
	unsigned int nr;
	uint32_t gpt_block;
	uint64_t gpt_end;
	unsigned int damaged;
};

/* Add a partition. */
void partition_add(struct partition_table *t, const struct partition *p);
/* Have both partition tables the same partitions? */
bool partition_same(const struct partition_table *a, const struct partition_table *b);
/*
 * Return: why not all partitions can get a device, as the end of "FILE: ...", a new string, or NULL.
 */
char *partition_objection(const struct partition_table *t);

/*
 * Return: the numbers of the partitions that get devices, with a blank before each, " 1 2", a new
 * string.
 */
char *partition_numbers(const struct partition_table *t);
/* Return: the beginning of the names of the partitions, "img-part", a new string. */
char *partition_prefix(const char *disk);
/* Return: the name of the device of a partition, "img-part1", a new string. */
char *partition_name(const char *disk, unsigned int nr);
/* Return: the UUID of the device of a partition, a new string. @disk: the UUID of the image */
char *partition_uuid(const char *disk, unsigned int nr);
/*
 * Add the target of a partition. @device: the device of the image; @on: the table of this device.
 * If @on has no target of this module, the partition gets a target of dm.
 */
void partition_add_target(struct table *t, const struct partition *p, const char *device,
			  const struct table *on);

void partition_table_free(struct partition_table *t);

#define _cleanup_partition_table_ __attribute__((cleanup(partition_table_free)))

#endif /* NOCLONE_PARTITION_H */
