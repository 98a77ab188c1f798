/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The partition devices of an image. An image is the content of a backing file, and has a mapped
 * device: the device of the image. Each partition of the image gets a partition device, which is a
 * linear device on the device of the image, as kpartx makes it.
 *
 *	partitions_plan()	read the partition table, and check that each partition can get its
 *				partition device
 *	partitions_make()	when the device of the image runs: make all partition devices, or
 *				none
 *	partitions_find()	find the existing partition devices of an existing device
 */
#ifndef NOCLONE_PARTITIONS_H
#define NOCLONE_PARTITIONS_H

#include "system/devmap.h"
#include "system/uses.h"
#include "cmd/change.h"

struct change;
struct json_object;

/**
 * struct partition_devices - the partition devices of an image
 * @dev: the partition devices, sorted by the numbers of the partitions
 * @nr: the number of devices
 */
struct partition_devices {
	struct devmap_device *dev;
	unsigned int nr;
};

/*
 * @c: the change of the device of the image. partitions_plan() sets @c->parts.make to
 * partitions_make(). In a dry run, partitions_plan() also sets @c->parts.words and @c->parts.json
 * for the partition devices that do not exist yet.
 *
 * Return: 0, or a negative errno after a message. partitions_make() returns DEVMAP_UDEV_LATE if all
 * partition devices exist, but udev has not answered.
 */
int partitions_plan(struct change *c);
int partitions_make(struct change *c);
/*
 * Find the partition devices of @disk, the device of an image. Return: 0, or a negative errno after
 * a message.
 */
int partitions_find(const struct devmap_device *disk, struct partition_devices *found);
/*
 * Check that a device has no partition devices before the device gets other data, because the
 * partition devices would map sectors of the other data. Return: 0, or a negative errno after a
 * message.
 */
int partitions_check_none(const struct devmap_device *disk);
/* Return: the numbers of the partitions with a blank before each, " 1 2", a new string. */
char *partitions_numbers(const struct devmap_device *disk, const struct partition_devices *parts);
/* Return: the partition devices as a JSON array of objects. */
struct json_object *partitions_list(const struct partition_devices *parts);
/* Remove the partition devices from @uses, the list of the users of the device of an image. */
void partitions_drop_uses(const struct partition_devices *parts, struct uses *uses);
/*
 * Is a device in use by anything but its partition devices @parts? @waits: give processes some
 * seconds to close the device, because udev reads each device that is new or has changed
 */
bool partitions_others_use(const struct devmap_device *dev, const struct partition_devices *parts,
			   bool waits);
/*
 * Does a mount, swap, a holder or a loop device use the device, or one of its partition devices?
 * The partition devices do not count as holders of the device.
 */
bool partitions_are_used(const struct devmap_device *disk);
/*
 * Return: if the device is a partition device, the name of the device of its image, a new string;
 * otherwise NULL. It is not enough that the device has the UUID of a partition device: it must also
 * stand on the device of the image.
 */
char *partitions_disk_of(const struct devmap_device *dev);
/*
 * Read the size of a partition from the partition table. @dev: the existing partition device;
 * @start: the first sector of @dev in the image; @sectors: set to the size
 *
 * Return: 0, or a negative errno after a message.
 */
int partitions_size(const struct devmap_device *dev, uint64_t start, uint64_t *sectors);
/*
 * Return: shell commands for a device that has grown, a new string: the first command extends the
 * last partition to the end of the device, and the second one extends the partition device of this
 * partition. Return: NULL if the device has no partition devices.
 */
char *partitions_grow_words(const struct devmap_device *disk);
void partitions_free(struct partition_devices *parts);

#define _cleanup_partitions_ __attribute__((cleanup(partitions_free)))

#endif /* NOCLONE_PARTITIONS_H */
