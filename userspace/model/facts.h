/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The facts that the checks need about devices and backing files. They come from the running system
 * (system/lookup.c), or from a unit test.
 */
#ifndef NOCLONE_FACTS_H
#define NOCLONE_FACTS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "model/file-map.h"

/**
 * struct file_id - the device number and the inode number of a file, from stat(2)
 * @known: @filesystem and @inode are valid
 * @filesystem: st_dev
 * @inode: st_ino; 0 for a file that does not exist yet
 */
struct file_id {
	bool known;
	dev_t filesystem;
	ino_t inode;
};

static inline bool file_id_same(const struct file_id *a,
				const struct file_id *b)
{
	return a->known && b->known && a->filesystem == b->filesystem &&
	       a->inode == b->inode;
}

/* This is not the opposite of file_id_same(): for an unknown file, both return false. */
static inline bool file_id_differs(const struct file_id *a,
				   const struct file_id *b)
{
	return a->known && b->known && !file_id_same(a, b);
}

/* A range of sectors of a whole disk. */
struct disk_range {
	dev_t disk;
	uint64_t first, end;
};

bool facts_ranges_meet(const struct disk_range *a, const struct disk_range *b);

/**
 * struct device_facts - a block device
 * @path: its canonical path
 * @devno: its number
 * @disk: the number of the whole disk; equal to @devno unless the device is a partition
 * @offset: the first sector of the device on that disk
 * @sectors: its size
 * @logical_block: bytes; smaller I/O is impossible
 * @physical_block: bytes; smaller I/O is slow
 * @minimum_io: bytes; smaller I/O costs more
 * @optimal_io: bytes, or 0 if unknown
 * @discard_granularity: bytes, or 0 if the device has no discards
 * @zone_sectors: the size of a zone, or 0 if the device is not zoned
 * @readonly: the device cannot be written
 * @wwid: the identifier that the disk reports, or NULL
 */
struct device_facts {
	char *path;
	dev_t devno;
	dev_t disk;
	uint64_t offset;
	uint64_t sectors;
	uint32_t logical_block;
	uint32_t physical_block;
	uint32_t minimum_io;
	uint32_t optimal_io;
	uint32_t discard_granularity;
	uint64_t zone_sectors;
	bool readonly;
	char *wwid;
};

/**
 * struct file_facts - a backing file
 * @path: its absolute path without symbolic links
 * @problem: why the file cannot be used, if it is not a regular file; otherwise NULL
 * @id: its device number and inode number
 * @disk: the block device of its file system, or 0 if the file system has none
 * @bytes: its size
 * @allocated: the number of sectors that the file system has allocated to it
 * @block: the block size of its file system in bytes, or 0 if unknown
 * @has_free: @free is known
 * @free: the number of bytes that its file system has free for unprivileged users
 * @align: the alignment of direct I/O in bytes, or 0 if direct I/O is not possible
 * @align_from: the source of @align: statx, disk or none
 * @readonly: the file cannot be written
 * @immutable: it has the attribute of chattr +i
 * @append_only: it has the attribute of chattr +a
 * @map: its extents, which are only read on request
 * @silence: why the file system of the file does not answer, or NULL. If it is set, no other fact
 *	is known
 */
struct file_facts {
	char *path;
	const char *problem;
	struct file_id id;
	dev_t disk;
	uint64_t bytes;
	uint64_t allocated;
	uint64_t block;
	bool has_free;
	uint64_t free;
	uint32_t align;
	const char *align_from;
	bool readonly;
	bool immutable;
	bool append_only;
	struct file_map map;
	char *silence;
};

/**
 * struct facts_source - a source of facts
 * @lookup: fills in @facts of a device; returns 0 or a negative errno
 * @lookup_file: fills in @facts of a file, and its map if @map is true
 * @stands_on: is the first device built on the second one, directly or over other devices?
 * @data: an argument for @lookup_file
 */
struct facts_source {
	int (*lookup)(const char *name, struct device_facts *facts);
	int (*lookup_file)(const struct facts_source *src, const char *path,
			   bool map, struct file_facts *facts);
	bool (*stands_on)(dev_t upper, dev_t lower);
	void *data;
};

/*
 * The word of a user may be the name of a device without its folder. Return: the path of this
 * device, "/dev/sda" for "sda" and "/dev/vg0/data" for "vg0/data", a new string, or NULL if there
 * is no such device.
 */
char *facts_suggest_path(const struct facts_source *src, const char *word);
/* Return: the meaning of a negative errno of facts_source.lookup. */
const char *facts_error(int r);
/* Return: a range of sectors of a device as a range of its disk. */
struct disk_range facts_range(const struct device_facts *f, uint64_t first, uint64_t sectors);
/*
 * Return: why facts_source.lookup_file has failed with @r, such as "No such file or directory", a
 * new string.
 */
char *facts_file_error(const struct file_facts *facts, int r);
void facts_free(struct device_facts *facts);
void facts_free_file(struct file_facts *facts);

#define _cleanup_facts_ __attribute__((cleanup(facts_free)))
#define _cleanup_file_facts_ __attribute__((cleanup(facts_free_file)))

#endif /* NOCLONE_FACTS_H */
