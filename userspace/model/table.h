/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Device-mapper tables as data.
 *
 * The targets of this module and the stock linear and striped targets are
 * understood word by word; any other target is kept as it is.
 */
#ifndef NOCLONE_TABLE_H
#define NOCLONE_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "dm-noclone.h"
#include "base/util.h"
#include "model/facts.h"

/* The first one is the default of a table that names none. */
#define ENGINE_NUMBER(enumerator, word, meaning)	ENGINE_##enumerator,
enum file_engine { NOCLONE_ENGINES(ENGINE_NUMBER) NR_ENGINES };

extern const struct engine {
	const char *name, *meaning;
} engines[NR_ENGINES];

bool engine_find(const char *name, enum file_engine *engine);
/* Does only a debug build of the module have it? */
bool engine_is_debug(enum file_engine engine);

/* The kernel keeps a device's size in bytes in a signed 64-bit number. */
#define TABLE_MAX_SECTORS	(INT64_MAX >> SECTOR_SHIFT)

/* Stands in a printed table for arguments that may contain a key. */
#define TABLE_HIDDEN	"<hidden>"

enum target_kind {
	TARGET_OTHER,
	TARGET_LINEAR,
	TARGET_STRIPED,
	TARGET_FILE,
};

/**
 * struct leg - a part of a device or file under a target
 * @device: path, major:minor, or TAG=value; the path of a file, not encoded
 * @start: first sector used
 * @signature: of a saved device: its type and UUID, "ext4 0c6f..."; else NULL
 * @disk: of a saved device: the signatures on the rest of the leg's device, "gpt=0c6f... dos", or
 *	"none"; NULL if an older version has written the file
 */
struct leg {
	char *device;
	uint64_t start;
	char *signature;
	char *disk;
};

/**
 * struct target - one target of a table
 * @line: line of the table file that it was read from, counted from 1
 * @start: first sector in the mapped device
 * @length: in sectors
 * @type: name of the target type
 * @params: its arguments as they were read, or TABLE_HIDDEN
 * @secret: its arguments as they were read if they are hidden, because the type is neither one of
 *	this module nor linear, striped, zero or error; else NULL
 * @kind: what the type is
 * @stock: the type is the kernel's own linear or striped
 * @understood: the arguments could be parsed: what follows is valid
 * @no_fastpath: that option is given
 * @chunk: sectors, 0 when the target has no chunks
 * @legs: the devices under it, or the backing file
 * @nr_legs: how many
 * @path: noclone-file: that of its only leg; else NULL
 * @id: its inode where that was looked up; no part of a table
 * @engine: requested engine
 * @engine_given: the table names an engine, perhaps the default one
 */
struct target {
	unsigned int line;
	uint64_t start;
	uint64_t length;
	char *type;
	char *params;
	char *secret;
	enum target_kind kind;
	bool stock;
	bool understood;
	bool no_fastpath;
	uint32_t chunk;
	struct leg *legs;
	unsigned int nr_legs;
	const char *path;
	struct file_id id;
	enum file_engine engine;
	bool engine_given;
};

/**
 * struct table - of a mapped device
 * @targets: in the order of their sectors
 * @nr: how many
 * @saved: it is that of a saved device, which rules for new tables must not keep off
 */
struct table {
	struct target *targets;
	unsigned int nr;
	bool saved;
};

/* Add a target of any type, without arguments, to be filled by the caller. */
struct target *table_add_target(struct table *t, uint64_t start,
				uint64_t length, const char *type);
/* Of noclone-file the path of its file. */
void target_add_leg(struct target *target, const char *device, uint64_t start);

/*
 * The target of the next leg, NULL behind the last one.  @target: NULL, or what this has
 * returned last; @leg: number of the leg in it
 */
struct target *table_next_leg(const struct table *t, struct target *target, unsigned int *leg);
/* Sectors of @target that each leg provides. */
uint64_t target_leg_length(const struct target *target);
/* End of the last target: the size of the mapped device. */
uint64_t table_sectors(const struct table *t);
/* noclone-zero or dm's own, of which there is nothing to understand: TARGET_OTHER */
bool target_is_zero(const struct target *target);
bool target_is_noclone(const struct target *target);
bool table_has_noclone(const struct table *t);
/* Does any target have the fast path, or is a stock one that could have it? */
bool table_can_be_fast(const struct table *t);
/* Does any target have a backing file? */
bool table_has_file(const struct table *t);
/* Is any target the kernel's own linear or striped? */
bool table_has_stock(const struct table *t);
/* Type of the stock target that maps the same sectors; else its own type. */
const char *target_stock_type(const struct target *target);

/* The first target whose arguments are hidden, or NULL. */
const struct target *table_hidden(const struct table *t);

/* How to print the device of a leg, by its name in the table: a new string. */
typedef char *(*device_namer)(const char *name);

/* Replace the names of all devices. */
void table_rename_devices(struct table *t, device_namer namer);

/**
 * table_parse - read a whole table
 * @t: gets every target that could be read
 * @text: lines; "#" begins a comment, as for dmsetup
 * @findings: gets what is wrong
 */
void table_parse(struct table *t, const char *text, struct findings *findings);

/*
 * Add one target given as numbers and words.  @line: of a file; 0: their number in the table;
 * @findings: NULL if it does not matter what is wrong
 */
struct target *table_add(struct table *t, unsigned int line, uint64_t start, uint64_t length,
			 const char *type, const char *params, struct findings *findings);

/* Add a copy of each target of @from, with the inodes. */
void table_copy(const struct table *from, struct table *to);

/*
 * Each of these returns a new string for output, with TABLE_HIDDEN for hidden arguments; with
 * @stock, that of the equivalent stock target.  @namer may be NULL: the devices are printed as
 * they are.
 */
char *target_params(const struct target *target, bool stock, device_namer namer);
char *target_print(const struct target *target, bool stock, device_namer namer);
char *table_print(const struct table *t, bool stock, device_namer namer);
/*
 * Each of these returns a new string that includes hidden arguments: for the kernel, for a
 * comparison, or for the saved file that they were read from.
 */
char *target_arguments(const struct target *target, bool stock, device_namer namer);
char *table_print_all(const struct table *t);
/* The target types with commas, without repetitions in a row. */
char *table_types(const struct table *t);
/* "name,uuid,,rw,target,target": what dmsetup create --concise takes. */
char *table_concise(const struct table *stock, const char *name,
		    const char *uuid, bool readonly);

/*
 * Does every sector of the shorter table lie where @other has it?  Backing
 * files are compared by inode if both are known, else by path.
 */
bool table_same_mapping(const struct table *t, const struct table *other);

/**
 * move_describe - does a new table change what the device contains?
 * @old: the live table; devices as numbers
 * @new: the new table; likewise
 *
 * The same mapping, more of it, or another target type for the same sectors are
 * harmless.
 *
 * Return: what changes, as the end of "NAME is in use and ...": a new string;
 * NULL if nothing does.
 */
char *move_describe(const struct table *old, const struct table *new);

/*
 * The part of it that the tables do not show: the same path names another file.
 * A new string, or NULL; also NULL if the inodes are not known.
 */
char *move_other_file(const struct table *old, const struct table *new);

/* The same mapping with the target types of dm, or with those of this module. */

/* Has the table targets that an exchange would change? */
bool exchange_is_needed(const struct table *t, bool to_stock);

/**
 * exchange_table - exchange the target types of a table
 * @t: the live table
 * @to_stock: towards dm's own types; options, which these do not have, are left out
 * @new: filled
 *
 * Return: NULL, or why there is no such table: a new string.
 */
char *exchange_table(const struct table *t, bool to_stock, struct table *new);

/**
 * exchange_add_stock - add a target as dm has it without this module
 * @new: gets it
 * @t: the target
 * @loop: a device that has the same sectors as the file of noclone-file
 */
void exchange_add_stock(struct table *new, const struct target *t, const char *loop);

/* Does it map every sector of @old, and no others, to the same place? */
bool exchange_is_faithful(const struct table *old, const struct table *new);

/* Checks of a table that can be made without loading it. */

/**
 * lint_table - look for mistakes
 * @t: table
 * @src: facts about devices and files; NULL to check the table alone
 * @self: number of the device it is for; 0: it does not exist yet
 * @findings: gets the mistakes
 *
 * Return: true if the device would be built on itself.  Not even --force may load that:
 * older kernels do not notice, and I/O would never complete.
 */
bool lint_table(const struct table *t, const struct facts_source *src, dev_t self,
		struct findings *findings);

/* Add a finding of that level for each target whose legs the tool does not know. */
void lint_types(const struct table *t, enum finding_level level, struct findings *findings);

/* Warn of device names that a reboot may give to another device, if there is one now. */
void lint_names(const struct table *t, const struct facts_source *src, struct findings *findings);

/* A table as text and as a diagram of characters. */

/* What the target maps, in a sentence without a full stop: a new string. */
char *picture_words(const struct target *t);
/* The same as a diagram of several lines: a new string. */
char *picture_draw(const struct target *t);

void table_free(struct table *t);

#define _cleanup_table_ __attribute__((cleanup(table_free)))

#endif /* NOCLONE_TABLE_H */
