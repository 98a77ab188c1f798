/* SPDX-License-Identifier: GPL-2.0-only */
/* A target of a table. */
#ifndef NOCLONE_TABLE_TARGET_H
#define NOCLONE_TABLE_TARGET_H

#include <stdbool.h>
#include <stdint.h>

#include "model/facts.h"
#include "model/file-engine.h"

/* TABLE_HIDDEN: a printed table has this word in place of arguments that may contain a key. */
#define TABLE_HIDDEN	"<hidden>"

enum target_kind {
	TARGET_OTHER,
	TARGET_LINEAR,
	TARGET_STRIPED,
	TARGET_FILE,
};

/**
 * struct leg - a range of a device or file below a target
 * @device: a path, major:minor, or TAG=value; for a backing file its path, not encoded
 * @start: the first used sector of the device or file
 * @signature: in the table of a saved device, the recorded type and UUID of the signature, such as
 *	"ext4 0c6f..."; otherwise NULL
 * @disk: in the table of a saved device, the recorded signatures on the rest of the leg's disk,
 *	such as "gpt=0c6f... dos", or SIGNATURE_NONE or SIGNATURE_UNREAD; NULL in other tables, and
 *	if an older version has written the saved file
 */
struct leg {
	char *device;
	uint64_t start;
	char *signature;
	char *disk;
};

/**
 * struct target - one target of a table
 * @line: the line of the table file that has the target, counted from 1; without such a file, the
 *	number of the target in the table
 * @start: the first sector of the target in the mapped device
 * @length: the number of sectors
 * @type: the name of the target type
 * @params: its arguments as they were read, or TABLE_HIDDEN
 * @secret: its arguments as they were read, if they are hidden; otherwise NULL. The arguments of
 *	all types are hidden, except the types of this module and linear, striped, zero and error
 * @kind: the kind of @type
 * @stock: the type is the kernel's own linear or striped
 * @understood: the arguments were parsed, so the following members are valid
 * @no_fastpath: the option no_fastpath is given
 * @chunk: the sectors of a chunk, or 0 for a target without chunks
 * @legs: the devices below the target, or its backing file
 * @nr_legs: the number of legs
 * @path: for noclone-file, the path of its only leg; otherwise NULL
 * @id: the device number and inode number of the backing file, if the caller has looked them up;
 *	they are not a part of the table
 * @engine: the requested engine of noclone-file
 * @engine_given: the table names the engine, even if it is the default one
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

/* Add a leg. For noclone-file, @device is the path of the backing file. */
void target_add_leg(struct target *target, const char *device, uint64_t start);

/* Return: the number of sectors that @target uses on each of its legs. */
uint64_t target_leg_length(const struct target *target);

/*
 * Is the type noclone-zero or dm's own zero? The kind of both types is TARGET_OTHER, because they
 * have no legs.
 */
bool target_is_zero(const struct target *target);
bool target_is_noclone(const struct target *target);

/*
 * Return: the type of the stock target that maps sectors in the same way, such as "linear" for
 * noclone-linear; if dm has no such target, or @target is a stock target, the type of @target.
 */
const char *target_stock_type(const struct target *target);

/*
 * A function that returns the name under which a device is printed, a new string. @name: the name
 * of the device in the table.
 */
typedef char *(*device_namer)(const char *name);

/*
 * target_params() returns the arguments of a target, and target_print() returns the whole line of a
 * target in a table, as a new string for output. This string has TABLE_HIDDEN in place of hidden
 * arguments. With @stock, the functions print the equivalent stock target. If @namer is NULL, they
 * print the names of devices unchanged.
 */
char *target_params(const struct target *target, bool stock, device_namer namer);
char *target_print(const struct target *target, bool stock, device_namer namer);
/*
 * Return: the arguments of a target, even if they are hidden, a new string. This string may only be
 * used for the kernel, for a comparison, or for the saved file that the arguments were read from.
 */
char *target_arguments(const struct target *target, bool stock, device_namer namer);
/*
 * Return: the line of the target in a table, a new string. The line has hidden arguments only if
 * @all is set.
 */
char *target_line(const struct target *target, bool stock, device_namer namer, bool all);

#endif /* NOCLONE_TABLE_TARGET_H */
