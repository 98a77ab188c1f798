/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the checks have to know about devices and backing files, and what they find.  It
 * comes from the running system (system/lookup.c), or from a unit test.
 */
#ifndef NOCLONE_FACTS_H
#define NOCLONE_FACTS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/util.h"

struct fiemap_extent;

/* Bytes from @begin to before @end. */
struct file_gap {
	uint64_t begin;
	uint64_t end;
};

/**
 * struct file_map - a summary of a file's extents
 * @known: the file system reports them; if not, the rest is empty
 * @gap: holes and unwritten extents in order: reading them gives zeroes that
 *	are not on the disk
 * @nr_gaps: how many
 * @gap_bytes: total of all gaps
 * @shared: bytes that another file has as well
 * @elsewhere: bytes without blocks that hold just them: compressed, encrypted,
 *	inline, not allocated yet
 * @extents: how many there are
 */
struct file_map {
	bool known;
	struct file_gap *gap;
	unsigned int nr_gaps;
	uint64_t gap_bytes;
	uint64_t shared;
	uint64_t elsewhere;
	unsigned int extents;
};

/**
 * file_map_extents - make a map of what FIEMAP reports
 * @map: filled in
 * @e: extents in the order of the file
 * @nr: how many
 * @bytes: size of the file; extents beyond it are ignored
 */
void file_map_extents(struct file_map *map, const struct fiemap_extent *e,
		      unsigned int nr, uint64_t bytes);
/* Add a gap; it is merged with the last one if that ends at @begin. */
void file_map_gap(struct file_map *map, uint64_t begin, uint64_t end);

void file_map_free(struct file_map *map);

#define _cleanup_file_map_ __attribute__((cleanup(file_map_free)))

/**
 * struct file_id - a file's numbers, as stat(2) gives them
 * @known: the numbers are valid
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

/* Not the opposite of file_id_same(): for an unknown file both are false. */
static inline bool file_id_differs(const struct file_id *a,
				   const struct file_id *b)
{
	return a->known && b->known && !file_id_same(a, b);
}

/* Sectors of a whole disk. */
struct disk_range {
	dev_t disk;
	uint64_t first, end;
};

bool disk_ranges_meet(const struct disk_range *a, const struct disk_range *b);

/**
 * struct device_facts - one block device
 * @path: canonical path
 * @devno: its number
 * @disk: number of the whole disk, the same if it is not a partition
 * @offset: first sector on that disk
 * @sectors: size
 * @logical_block: bytes; smaller I/O is impossible
 * @physical_block: bytes; smaller I/O is slow
 * @minimum_io: bytes; smaller I/O costs more
 * @optimal_io: bytes, 0: not known
 * @discard_granularity: bytes; 0: no discards
 * @zone_sectors: size of a zone, 0 if it is not zoned
 * @readonly: it cannot be written
 * @wwid: what the disk says that it is; NULL if it says nothing
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
 * @path: absolute, without symbolic links
 * @problem: why it cannot be used, if it is no regular file; else NULL
 * @id: its numbers
 * @disk: the block device that its file system is on, 0 if there is none
 * @bytes: size
 * @allocated: sectors that the file system has allocated to it
 * @block: bytes of a block of its file system, 0 if not known
 * @has_free: @free is known
 * @free: bytes that its file system has free for unprivileged users
 * @align: bytes that direct I/O is aligned to, 0 if it cannot be had
 * @align_from: source of @align: statx, disk or none
 * @readonly: it cannot be written
 * @immutable: chattr +i
 * @append_only: chattr +a
 * @map: its extents; read on request only
 * @silence: why its file system does not answer, so that nothing else is known; else NULL
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
 * struct facts_source - where facts come from
 * @lookup: fill in @facts; 0 or a negative errno
 * @lookup_file: the same for a file, and its map if @map is true
 * @stands_on: is the first device built on the second, at any depth?
 * @data: of @lookup_file
 */
struct facts_source {
	int (*lookup)(const char *name, struct device_facts *facts);
	int (*lookup_file)(const struct facts_source *src, const char *path,
			   bool map, struct file_facts *facts);
	bool (*stands_on)(dev_t upper, dev_t lower);
	void *data;
};

/*
 * The path of the device that a word without its folder may mean, "/dev/sda" for "sda" and
 * "/dev/vg0/data" for "vg0/data": a new string, or NULL if there is no such device.
 */
char *facts_suggest_path(const struct facts_source *src, const char *word);
/* What a negative errno of a look at a device means. */
const char *facts_error(int r);
/* Sectors of a device as those of its disk. */
struct disk_range facts_range(const struct device_facts *f, uint64_t first, uint64_t sectors);
/* Why a look at a file has failed with that negative errno: "No such file or directory", a new string. */
char *file_facts_error(const struct file_facts *facts, int r);
void facts_free(struct device_facts *facts);
void file_facts_free(struct file_facts *facts);

#define _cleanup_facts_ __attribute__((cleanup(facts_free)))
#define _cleanup_file_facts_ __attribute__((cleanup(file_facts_free)))

/* What is wrong or worth a word: all of it, not only the first. */

/**
 * enum finding_level - how much it matters
 * @FINDING_OK: all is well
 * @FINDING_NOTE: for information, also what could not be looked at
 * @FINDING_WARNING: it works, but probably not as intended, or not after a reboot
 * @FINDING_ERROR: it does not work, or data is at risk
 */
enum finding_level {
	FINDING_OK,
	FINDING_NOTE,
	FINDING_WARNING,
	FINDING_ERROR,
};

/**
 * struct finding - one of them
 * @level: how much it matters
 * @check: what found it, a word for programs, or NULL
 * @subject: "module", "kernel 6.12.1", a disk or file; NULL: the table that was read
 * @line: of that table, from 1; 0: the whole table
 * @text: a sentence
 * @fix: a command, or NULL
 */
struct finding {
	enum finding_level level;
	const char *check;
	char *subject;
	unsigned int line;
	char *text;
	char *fix;
};

/* The check of an error that says that a saved device may have lost a leg to other data */
#define CHECK_SIGNATURE	"signature"

/* @check: of the findings that are added from now on; @final: --force passes none of them */
struct findings {
	const char *check;
	bool final;
	struct finding *finding;
	unsigned int nr;
};

/* With a @subject, text and fix in one format, with a line break in between.  Without @f, none. */
void finding_add_at(struct findings *f, enum finding_level level, const char *subject,
		    unsigned int line, const char *fmt, ...) __printf(5, 6);
#define finding_add(f, level, subject, ...) finding_add_at(f, level, subject, 0, __VA_ARGS__)
/* Of a line of a table; each is said once. */
#define finding_at(f, level, line, ...) finding_add_at(f, level, NULL, line, __VA_ARGS__)
unsigned int findings_count(const struct findings *f, enum finding_level level);
const char *finding_level_name(enum finding_level level);
/*
 * "subject:line: text; fix: command": a new string.  @where: the subject if it has none; NULL for
 * "part LINE: text", "" for the text.
 */
char *finding_words(const struct finding *finding, const char *where);
void findings_free(struct findings *f);

#define _cleanup_findings_ __attribute__((cleanup(findings_free)))

#endif /* NOCLONE_FACTS_H */
