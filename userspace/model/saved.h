/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The file of a saved device has its table in the format of dmsetup, and comments with other data
 * that are needed to activate the device. Each leg or backing file has a signature, in the order of
 * the table.
 *
 *	# noclone: uuid NOCLONE-...
 *	# noclone: readonly
 *	# noclone: partitions NUMBER...
 *	# noclone: noscan
 *	# noclone-disk: none
 *	# noclone-disk: unread
 *	# noclone-disk: TYPE[=UUID]...
 *	# noclone: signature TYPE [UUID]
 *
 * A tool from before "# noclone-disk:" ignores that line as a comment.
 */
#ifndef NOCLONE_SAVED_H
#define NOCLONE_SAVED_H

#include <stdbool.h>
#include <stdint.h>

#include "model/finding.h"
#include "model/table-target.h"
#include "model/table.h"

#define SAVED_DIR	"/etc/noclone"
#define SAVED_SUFFIX	".table"
/* SIGNATURE_NONE: the signature of a leg without a file system or other signature. */
#define SIGNATURE_NONE	"none"
/* SIGNATURE_UNREAD: the record of a disk that could not be read when the device was saved. */
#define SIGNATURE_UNREAD	"unread"

/**
 * struct saved - the content of a file
 * @table: the table, with names of disks that survive a reboot, and with signatures
 * @uuid: the UUID of the device, or NULL while the file has none
 * @readonly: the device is read-only
 * @partitions: the numbers of the partitions of its backing file, which get devices, with a blank
 *	before each; or NULL
 * @noscan: rules of udev of other programs leave the device alone
 * @nr: the number of signatures in the file
 * @nr_disks: the number of lines "# noclone-disk:", 0 in a file of an older version
 */
struct saved {
	struct table table;
	char *uuid;
	bool readonly;
	char *partitions;
	bool noscan;
	unsigned int nr;
	unsigned int nr_disks;
};

/* Return: why no device of that name can be saved, or NULL. */
const char *saved_name_problem(const char *name);
/* Return: "/etc/noclone/NAME.table", a new string. */
char *saved_path(const char *name);
/* Return: NAME of a file NAME.table, a new string, or NULL for another file. */
char *saved_name(const char *file);
/* Return: the name of its unit, "noclone-device@NAME.service", a new string. */
char *saved_unit_name(const char *name);
/*
 * Escape a text, or a path without its first slash, as systemd-escape(1) does. Return: a new
 * string.
 */
char *saved_escape(const char *text);

/* Does the text have a comment of a saved device? A plain table has no such comment. */
bool saved_is_file(const char *text);
/*
 * Find the UUID that saved_parse() would find, without reading the rest. Return: a new string, or
 * NULL.
 */
char *saved_find_uuid(const char *text);
void saved_parse(struct saved *s, const char *text, struct findings *findings);
/* Return: the text of the file, a new string. */
char *saved_print(const struct saved *s);
/* Can the printed file be read back unchanged? A name may contain "#", for example. */
bool saved_is_readable(const char *text);

/**
 * saved_refusal - may a leg or backing file with this signature be used?
 * @t: its target
 * @leg: the number of the leg in the target
 * @is_first: the leg is the first leg or backing file of the table
 * @found: type and UUID, or SIGNATURE_NONE
 * @first: the signature on the leg with the first sector of the device, if this leg was accepted
 *	before; otherwise NULL
 * @level: set if the result is not NULL: a warning if @found may be data of the device
 *
 * A file system may have been made on the device after it was saved. The signature of this file
 * system is on the leg with the first sector of the device, so this leg may have a new signature.
 *
 * Return: NULL, or why the leg is refused, a new string.
 */
char *saved_refusal(const struct target *t, unsigned int leg, bool is_first,
		    const char *found, const char *first, enum finding_level *level);

/* Return: the word for a signature in the record of a disk, such as "gpt=0c6f...", a new string. */
char *saved_disk_word(const char *signature);
/* Does the record say which signatures the disk had? */
bool saved_disk_is_known(const char *record);
/* Copy the records of disks from @old to the same legs of @t. */
void saved_keep_disks(const struct table *old, struct table *t);
/* Does a record have the signature? The record may be NULL. */
bool saved_disk_has(const char *record, const char *signature);
void saved_free(struct saved *s);

#define _cleanup_saved_ __attribute__((cleanup(saved_free)))

#endif /* NOCLONE_SAVED_H */
