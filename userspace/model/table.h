/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Device-mapper tables as data: read, print, translate.  No I/O.
 *
 * The targets of this module and the stock linear and striped targets are
 * understood word by word; lines of any other target are kept as they are.
 */
#ifndef NOCLONE_TABLE_H
#define NOCLONE_TABLE_H

#include "dm-noclone.h"
#include "model/file-id.h"
#include "model/problems.h"
#include "base/util.h"

/* The kernel keeps a device's size in bytes in a signed 64-bit number. */
#define TABLE_MAX_SECTORS	(INT64_MAX >> SECTOR_SHIFT)

enum target_kind {
	TARGET_OTHER,
	TARGET_LINEAR,
	TARGET_STRIPED,
	TARGET_FILE,
};

/* How the I/O of a file is done; the first one if the table does not say. */
#define ENGINE_NUMBER(enumerator, word, meaning)	ENGINE_##enumerator,
enum file_engine { NOCLONE_ENGINES(ENGINE_NUMBER) NR_ENGINES };

/**
 * struct leg - a part of a device under a target
 * @device: path, major:minor, or TAG=value
 * @start: first sector used
 */
struct leg {
	char *device;
	uint64_t start;
};

/**
 * struct target - one line of a table
 * @line: where it was read, counted from 1
 * @start: first sector in the mapped device
 * @length: in sectors
 * @type: name of the target
 * @params: the words behind the name as they were read
 * @kind: what the type is
 * @stock: the type is the kernel's own linear or striped
 * @understood: what follows is valid
 * @no_fastpath: that option is given
 * @chunk: sectors, 0 when the target has no chunks
 * @legs: the devices under it
 * @nr_legs: how many; 0 for a file
 * @path: the file, as the file system has it
 * @id: which file that is, where it matters; no part of a table
 * @file_start: first sector used in the file
 * @engine: how its I/O is done
 * @engine_given: the table says so
 */
struct target {
	unsigned int line;
	uint64_t start;
	uint64_t length;
	char *type;
	char *params;
	enum target_kind kind;
	bool stock;
	bool understood;
	bool no_fastpath;
	uint32_t chunk;
	struct leg *legs;
	unsigned int nr_legs;
	char *path;
	struct file_id id;
	uint64_t file_start;
	enum file_engine engine;
	bool engine_given;
};

struct table {
	struct target *targets;
	unsigned int nr;
};

/**
 * table_parse - read a whole table
 * @t: filled with every line that could be read
 * @text: lines; "#" begins a comment, as for dmsetup
 * @problems: gets what is wrong
 */
void table_parse(struct table *t, const char *text, struct problems *problems);

/* Add one target given as numbers and words, as the kernel gives it. */
struct target *table_add(struct table *t, uint64_t start, uint64_t length,
			 const char *type, const char *params,
			 struct problems *problems);
/* Add an empty target of a type of this module, to be filled by the caller. */
struct target *table_add_noclone(struct table *t, enum target_kind kind,
				 uint64_t start, uint64_t length);
void target_add_leg(struct target *target, const char *device, uint64_t start);

/**
 * table_add_file - add a target on a file
 * @t: table
 * @path: of the file, as the file system has it
 * @start: first sector in the mapped device
 * @length: in sectors
 *
 * Return: the target, to be filled by the caller.
 */
struct target *table_add_file(struct table *t, const char *path,
			      uint64_t start, uint64_t length);

const char *engine_name(enum file_engine engine);
const char *engine_meaning(enum file_engine engine);
/* Return: false if there is none of that name. */
bool engine_find(const char *name, enum file_engine *engine);
/**
 * path_encode - write a path the way a table holds it
 * @path: any bytes
 *
 * The same goes into messages: no byte of it can spoil a terminal or JSON.
 *
 * Return: a new string.
 */
char *path_encode(const char *path);

/* Sectors of @target that each leg provides. */
uint64_t target_leg_length(const struct target *target);
/* End of the last target: the size of the mapped device. */
uint64_t table_sectors(const struct table *t);
bool table_has_noclone(const struct table *t);
bool target_is_noclone(const struct target *target);

/**
 * typedef device_namer - how to print the device of a leg
 * @name: as it is in the table
 * @ctx: the caller's
 *
 * Return: a new string.
 */
typedef char *(*device_namer)(const char *name, void *ctx);

/* Each of these returns a new string; @namer may be NULL: print as it is. */
char *target_params(const struct target *target, bool stock,
		    device_namer namer, void *ctx);
char *target_print(const struct target *target, bool stock,
		   device_namer namer, void *ctx);
char *table_print(const struct table *t, bool stock,
		  device_namer namer, void *ctx);
const char *target_stock_type(const struct target *target);
/* "name,uuid,,rw,line,line": what dmsetup create --concise takes. */
char *table_concise(const struct table *stock, const char *name,
		    const char *uuid, bool readonly);
/* Are both of them on files, and do they call them the same? */
bool target_same_path(const struct target *a, const struct target *b);
/*
 * Does every sector of the shorter table lie where @other has it?  Files are
 * compared by what they are if both are known, else by path.
 */
bool table_same_mapping(const struct table *t, const struct table *other);

void table_free(struct table *t);

#define _cleanup_table_ __attribute__((cleanup(table_free)))

#endif /* NOCLONE_TABLE_H */
