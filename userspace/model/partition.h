/* SPDX-License-Identifier: GPL-2.0-only */
/* The partitions of an image, and the mapped devices that they get. */
#ifndef NOCLONE_PARTITION_H
#define NOCLONE_PARTITION_H

#include <stdbool.h>
#include <stdint.h>

#include "model/table.h"

/**
 * struct partition - a partition that the partition table describes
 * @nr: its number, counted from 1
 * @start: its first sector in the image
 * @sectors: the number of sectors
 * @extended: this is the extended partition of a DOS partition table, which only contains logical
 *	partitions
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
 * @device: @path is the device of the image, not the file
 * @first: the first sector of the image in the file
 * @sectors: the number of sectors of the device of the image
 * @block: the size of a logical block of this device in bytes
 * @readonly: the devices of the partitions are read-only, so partitions may overlap, as on a CD
 *	image that a machine can also boot from a disk
 * @optional: it is no fault if the image has no partitions: a user may have deleted the partitions
 *	of a saved device
 *
 * The following members were read from the image.
 *
 * @scheme: "gpt", "dos" or another word of libblkid; NULL if the image has no valid partition table
 * @part: the partitions
 * @nr: the number of partitions
 * @gpt_block: the size in bytes of the blocks in which the GPT of the image counts, or 0 if the
 *	image has no GPT. It is also set if the GPT is damaged
 * @gpt_end: the number of sectors that an image needs for the partitions of this GPT
 * @damaged: the number of the first partition with damaged data, or 0. This is an extended
 *	partition whose list of logical partitions is damaged, or a partition of a GPT that has no
 *	sectors or has sectors outside of the usable sectors
 */
struct partition_table {
	char *path;
	bool device;
	uint64_t first;
	uint64_t sectors;
	uint32_t block;
	bool readonly;
	bool optional;
	char *scheme;
	struct partition *part;
	unsigned int nr;
	uint32_t gpt_block;
	uint64_t gpt_end;
	unsigned int damaged;
};

/* Add a partition. */
void partition_add(struct partition_table *t, const struct partition *p);
/* Do both partition tables have the same partitions? */
bool partition_same(const struct partition_table *a, const struct partition_table *b);
/*
 * Return: why some partition cannot get a device, as the end of "FILE: ...", a new string; NULL if
 * all partitions can get devices.
 */
char *partition_objection(const struct partition_table *t);

/*
 * Return: the numbers of the partitions that get devices, with a blank before each number, such as
 * " 1 2", a new string.
 */
char *partition_numbers(const struct partition_table *t);
/*
 * Return: the part that the names of all partitions of a device begin with, such as "img-part" for
 * the device "img", a new string.
 */
char *partition_prefix(const char *disk);
/* Return: the name of the device of a partition, such as "img-part1", a new string. */
char *partition_name(const char *disk, unsigned int nr);
/*
 * Is @name the name of the device of a partition of @disk? @numbers: the numbers of its partitions,
 * such as " 1 2"
 */
bool partition_has_name(const char *disk, const char *numbers, const char *name);
/*
 * Return: the UUID of the device of a partition, a new string. @disk: the UUID of the device of the
 * image
 */
char *partition_uuid(const char *disk, unsigned int nr);
/*
 * Add the target that maps the partition @p to the table @t. @device: the device of the image; @on:
 * the table of the device of the image. If @on has no target of this module, the added target is
 * dm's own linear target.
 */
void partition_add_target(struct table *t, const struct partition *p, const char *device,
			  const struct table *on);

void partition_table_free(struct partition_table *t);

#define _cleanup_partition_table_ __attribute__((cleanup(partition_table_free)))

#endif /* NOCLONE_PARTITION_H */
