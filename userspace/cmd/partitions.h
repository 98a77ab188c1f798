/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The devices of the partitions of an image. Each partition has a linear device on the device of
 * the image, as kpartx makes it.
 *
 *	partitions_plan()	read the partition table, and check that all partitions can get one
 *	partitions_make()	after the image has its device: make all of them, or none
 *	partitions_find()	find those of a device that exists
 */
#ifndef NOCLONE_PARTITIONS_H
#define NOCLONE_PARTITIONS_H

#include "system/devmap.h"
#include "system/uses.h"
#include "cmd/change.h"

struct change;
struct json_object;

/**
 * struct partition_devices - the devices of the partitions of an image
 * @dev: the devices, sorted by the numbers of the partitions
 * @nr: the number of devices
 */
struct partition_devices {
	struct devmap_device *dev;
	unsigned int nr;
};

/*
 * These functions return 0, or a negative errno after a message. @c: the change of the device of
 * the image. partitions_plan() sets @c->parts.make to partitions_make(), and in a dry run
 * @c->parts.words and @c->parts.json, without the devices that exist. partitions_make() returns
 * DEVMAP_UDEV_LATE if all devices exist, but udev has not answered.
 */
int partitions_plan(struct change *c);
int partitions_make(struct change *c);
/* Find the partitions of a device. Return: 0, or a negative errno after a message. */
int partitions_find(const struct devmap_device *disk, struct partition_devices *found);
/*
 * Refuse other data for a device that has partitions, because the partitions would map sectors of
 * other data. Return: 0, or a negative errno after a message.
 */
int partitions_check_none(const struct devmap_device *disk);
/* Return: the numbers of the partitions with a blank before each, " 1 2", a new string. */
char *partitions_numbers(const struct devmap_device *disk, const struct partition_devices *parts);
/* Return: the devices as an array of objects. */
struct json_object *partitions_list(const struct partition_devices *parts);
/* Leave out the uses of a device by its partitions. */
void partitions_drop_uses(const struct partition_devices *parts, struct uses *uses);
/* Is the device, or one of its partitions, open for long? Its partitions are no such use. */
bool partitions_are_used(const struct devmap_device *disk);
/*
 * Return: the name of the device with the partition table if the device is a partition, or NULL. The
 * UUID alone does not make a device a partition: the device must stand on the other one.
 */
char *partitions_disk_of(const struct devmap_device *dev);
/*
 * Find out how large the partition table makes a partition that exists. @start: the first sector of
 * its device in the image; @sectors: set to the size
 *
 * Return: 0, or a negative errno after a message.
 */
int partitions_size(const struct devmap_device *dev, uint64_t start, uint64_t *sectors);
/*
 * Return: shell commands that give the new room behind the last partition of a device to this
 * partition, a new string; NULL if the device has no partitions.
 */
char *partitions_grow_words(const struct devmap_device *disk);
void partitions_free(struct partition_devices *parts);

#define _cleanup_partitions_ __attribute__((cleanup(partitions_free)))

#endif /* NOCLONE_PARTITIONS_H */
