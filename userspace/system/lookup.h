/* SPDX-License-Identifier: GPL-2.0-only */
/* Block devices and files of the running system, which is a source of facts. */
#ifndef NOCLONE_LOOKUP_H
#define NOCLONE_LOOKUP_H

#include "base/ask.h"
#include "model/facts.h"
#include "model/policy.h"

/**
 * blockdev_lookup - facts about a device
 * @name: path, major:minor, or UUID=, LABEL=, PARTUUID=, PARTLABEL=
 * @facts: filled in, but for what blockdev_limits() adds
 *
 * Return: 0 or a negative errno.
 */
int blockdev_lookup(const char *name, struct device_facts *facts);
int blockdev_lookup_number(dev_t devno, struct device_facts *facts);
/* Add the WWID, and the sizes of blocks, I/Os, discards and zones. */
void blockdev_limits(struct device_facts *facts);
/* Only where sectors of it are on its disk.  Return: 0 or a negative errno. */
int blockdev_range(const char *name, uint64_t first, uint64_t sectors, struct disk_range *range);
/* Only its number; 0 if there is no such device. */
dev_t blockdev_number(const char *name);

/* "8:0"; 0 if it is none. */
dev_t blockdev_parse_number(const char *text);
/* Of the device that a path leads to; 0 if it leads to none, or is NULL. */
dev_t blockdev_at(const char *path);
/* Of the device that the kernel calls so, with "!" for a slash; 0 if there is none. */
dev_t blockdev_kernel_number(const char *name);
/* /sys/dev/block/MAJOR:MINOR/@attribute: a new string */
char *blockdev_sysfs(dev_t devno, const char *attribute);
/* The first line of that file: a new string, or NULL. */
char *blockdev_attribute(dev_t devno, const char *attribute);
/* This reads the file although the command may have read it before. */
char *blockdev_attribute_now(dev_t devno, const char *attribute);
/* How many KiB the kernel reads ahead; 0 if that is not known. */
uint64_t blockdev_readahead(dev_t devno);
void blockdev_set_readahead(dev_t devno, uint64_t kib);
/* Name of a mapped device from sysfs, so without an ioctl; NULL if it is none. */
char *blockdev_mapped_name(dev_t devno);
/* Number of the mapped device of that name, from sysfs; 0 if there is none. */
dev_t blockdev_mapped_number(const char *name);

/**
 * file_lookup - facts about a file
 * @path: absolute or not; symbolic links are followed
 * @map: look at its extents as well, which opens it and writes its cache back
 * @facts: filled in
 *
 * A process that can be left behind looks, because the file system may not answer.
 *
 * Return: 0 or a negative errno.  If that is because of silence_ask(), @facts->silence says it.
 */
int file_lookup(const char *path, bool map, struct file_facts *facts);

/* Absolute and without links, also if only the last part is missing; or NULL. */
char *file_real_path(const char *path);

/* The device of a file system, by the st_dev of its files; 0 if there is none. */
dev_t file_system_disk(dev_t filesystem);
/*
 * The device of the file system that an absolute path leads to, from the table of mounts; 0 if
 * there is none.  No symbolic link is followed, because that would read from the file system.
 */
dev_t file_mounted_device(const char *path);

/* The numbers of an open file. */
struct file_id file_id_of_fd(int fd);
/* The numbers of the file that a path leads to, asked as file_lookup() does; may be not known. */
struct file_id file_id_of(const char *path);

/**
 * fiemap_read - read the map of a file
 * @fd: the file
 * @bytes: its size
 * @map: filled in
 *
 * By FIEMAP, which writes dirty pages back first; where there is none, by
 * SEEK_HOLE, which does not report sharing.
 *
 * Return: 0 or a negative errno.
 */
int fiemap_read(int fd, uint64_t bytes, struct file_map *map);

extern const struct facts_source system_facts;

/*
 * Mapped devices above and below one another, as sysfs shows them.
 *
 * LVM makes a logical volume of others of its group: the mirror vg0/mir of vg0/mir_rimage_0,
 * the thin volume vg0/thin of vg0/pool_tdata.  Devices of one group that are on top of each
 * other are therefore one volume and its parts.  Only the origin of a snapshot is a volume
 * of its own: the layer vg0-root-real below vg0/root, and below each of its snapshots.
 */
/* Names of the devices of its volume group below a device. */
void layers_below(dev_t devno, struct names *names);
/*
 * The name of a suspended mapped device that the device stands on, or of the device itself: a new
 * string, or NULL.  A loop device or noclone-file stands on the disk of its file, which the table of
 * mounts names: the file itself may not answer.
 */
char *layers_suspended(dev_t devno);
/* The rule that decides on a device, by its own names and those of its volumes, or NULL. */
const struct policy_line *layers_rule(dev_t devno, const struct policy *p);

/**
 * silence_ask - ask() a device or a file, unless a device below it is suspended
 * @function: asks, in a process that can be left behind
 * @data: argument of @function
 * @path: a device node, or a file, to which symbolic links may lead
 * @file: it is a file
 * @a: the answer
 * @why: after an error: why there is no answer, for a sentence "cannot be read: ..."
 *
 * Return: 0, -EBUSY if a device is suspended, or what ask() returns.
 */
int silence_ask(ask_function function, void *data, const char *path, bool file, struct answer *a,
		char **why);

#endif /* NOCLONE_LOOKUP_H */
