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

/*
 * Are both files known, and are they different files? file_id_differs() is not the opposite of
 * file_id_same(): if one of the files is unknown, both functions return false.
 */
static inline bool file_id_differs(const struct file_id *a,
				   const struct file_id *b)
{
	return a->known && b->known && !file_id_same(a, b);
}

/* A range of sectors of a whole disk, from @first up to @end, without the sector @end. */
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
 * @sectors: its size in sectors
 * @logical_block: the size of a logical block in bytes; smaller I/O is impossible
 * @physical_block: the size of a physical block in bytes; smaller I/O is slow
 * @minimum_io: the smallest I/O that the device prefers, in bytes; smaller I/O costs more
 * @optimal_io: the optimal size of I/O in bytes, or 0 if unknown
 * @discard_granularity: the unit of discards in bytes, or 0 if the device has no discards
 * @zone_sectors: the size of a zone in sectors, or 0 if the device is not zoned
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
 * @problem: why no target can use the file, or NULL if a target can use the file. A target cannot
 *	use a file that is not regular, or that is on overlayfs or ecryptfs
 * @id: its device number and inode number
 * @disk: the block device of its file system, or 0 if the file system has none
 * @bytes: its size in bytes
 * @allocated: the number of sectors that the file system has allocated to it
 * @block: the block size of its file system in bytes, or 0 if unknown
 * @has_free: @free is known
 * @free: the number of bytes that its file system has free for unprivileged users
 * @align: the alignment of direct I/O in bytes, or 0 if direct I/O is not possible
 * @align_from: where @align comes from: "statx", "disk" or "none"
 * @readonly: the file cannot be written
 * @immutable: it has the attribute of chattr +i
 * @append_only: it has the attribute of chattr +a
 * @map: a summary of its extents, which is only read if the caller of @lookup_file requests it
 * @silence: why the file system of the file does not answer, or NULL if it has answered. If
 *	@silence is set, all other members are unknown
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
 * @lookup: fills in @facts about the device @name; returns 0 or a negative errno
 * @lookup_file: fills in @facts about the file @path, and the member @map of @facts if the argument
 *	@map is true; returns 0 or a negative errno
 * @stands_on: returns true if the device @upper is built on the device @lower, directly or over
 *	other devices
 * @data: data for @lookup_file, which gets it as a member of @src
 */
struct facts_source {
	int (*lookup)(const char *name, struct device_facts *facts);
	int (*lookup_file)(const struct facts_source *src, const char *path,
			   bool map, struct file_facts *facts);
	bool (*stands_on)(dev_t upper, dev_t lower);
	void *data;
};

/*
 * A user may give the name of a device without its folder. Return: the path of the device with the
 * name @word, such as "/dev/sda" for "sda" or "/dev/vg0/data" for "vg0/data", a new string; NULL if
 * there is no such device.
 */
char *facts_suggest_path(const struct facts_source *src, const char *word);
/* Return: the meaning of the negative errno @r that facts_source.lookup has returned. */
const char *facts_error(int r);
/*
 * Convert a range of sectors of a device to a range of its whole disk. @first: the first sector in
 * the device; @sectors: the length of the range.
 */
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
