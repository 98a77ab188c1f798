/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The file of a saved device has the table of the device in the format of dmsetup, and comments
 * with the other data that "noclone activate" needs. It has one line "signature" and one line
 * "noclone-disk" for each leg or backing file, in the order of the table.
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
 * The line "signature" describes the leg itself, and the line "noclone-disk" describes the rest of
 * its disk. An older tool ignores a line "noclone-disk" as a comment.
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
/*
 * SIGNATURE_NONE: the word that is recorded for a leg, or for the rest of a disk, without
 * signatures.
 */
#define SIGNATURE_NONE	"none"
/* SIGNATURE_UNREAD: the word that is recorded for the rest of a disk that could not be read. */
#define SIGNATURE_UNREAD	"unread"

/**
 * struct saved - the content of a file
 * @table: the table. Its names of disks are still valid after a reboot, and its legs have
 *	signatures
 * @uuid: the UUID of the device, or NULL if the text has no valid UUID
 * @readonly: the device is read-only
 * @partitions: the numbers of the partitions of the backing file that get devices, with a blank
 *	before each number; NULL if no partition gets a device
 * @noscan: the udev rules of other programs ignore the device
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

/* Return: why no device with this name can be saved, or NULL. */
const char *saved_name_problem(const char *name);
/* Return: "/etc/noclone/NAME.table", a new string. */
char *saved_path(const char *name);
/* Return: "NAME" if the name of the file is "NAME.table", a new string; NULL for any other file. */
char *saved_name(const char *file);
/*
 * Return: the name of the systemd unit of a saved device, "noclone-device@NAME.service", a new
 * string.
 */
char *saved_unit_name(const char *name);
/*
 * Escape a text, or a path without its first slash, as systemd-escape(1) does. Return: a new
 * string.
 */
char *saved_escape(const char *text);

/*
 * Does the text have a comment with "noclone:"? The file of each saved device has such a comment,
 * and a plain table has none.
 */
bool saved_is_file(const char *text);
/*
 * Find the UUID in the text of a saved file as saved_parse() does, but without parsing anything
 * else: the rest of the text may be damaged. Return: a new string, or NULL.
 */
char *saved_find_uuid(const char *text);
void saved_parse(struct saved *s, const char *text, struct findings *findings);
/* Return: the text of the file, a new string. */
char *saved_print(const struct saved *s);
/*
 * Can saved_parse() read this text from saved_print(), and would saved_print() then print the same
 * text again? This is not the case if the name of a device contains "#", for example.
 */
bool saved_is_readable(const char *text);

/**
 * saved_refusal - decide whether a leg or backing file may be used with its present signature
 * @t: the target of the leg
 * @leg: the number of the leg in the target
 * @is_first: the leg is the first leg or backing file of the table
 * @found: the present signature of the leg, type and UUID, or SIGNATURE_NONE
 * @first: the present signature of the first leg of the table, if this function has accepted the
 *	first leg before; otherwise NULL
 * @level: set if the result is not NULL: FINDING_WARNING if @found may be a part of the data of the
 *	mapped device, otherwise FINDING_ERROR
 *
 * The user may have made a file system on the mapped device after the device was saved. The
 * signature of this file system is then on the first leg, which has the first sector of the device.
 * So the first leg may have any signature if SIGNATURE_NONE was saved for it.
 *
 * Return: NULL, or why the leg is refused, a new string.
 */
char *saved_refusal(const struct target *t, unsigned int leg, bool is_first,
		    const char *found, const char *first, enum finding_level *level);

/*
 * Return: the word "TYPE=UUID" for a signature "TYPE UUID" in the record of a disk, such as
 * "gpt=0c6f...", a new string.
 */
char *saved_disk_word(const char *signature);
/* Does the record say which signatures the rest of the disk had? The record may be NULL. */
bool saved_disk_is_known(const char *record);
/* For each leg of @t whose device is also in @old, copy the record of the disk from @old. */
void saved_keep_disks(const struct table *old, struct table *t);
/* Does a record have the signature? The record may be NULL. */
bool saved_disk_has(const char *record, const char *signature);
void saved_free(struct saved *s);

#define _cleanup_saved_ __attribute__((cleanup(saved_free)))

#endif /* NOCLONE_SAVED_H */
