/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The file of a saved device: its table as dmsetup takes it, and in comments what else
 * brings the device back.  Each leg or backing file has a signature, in the order of the
 * table.
 *
 *	# noclone: uuid NOCLONE-...
 *	# noclone: readonly
 *	# noclone-disk: none
 *	# noclone-disk: unread
 *	# noclone-disk: TYPE[=UUID]...
 *	# noclone: signature TYPE [UUID]
 *
 * A tool from before "# noclone-disk:" takes that line for a comment of no meaning.
 */
#ifndef NOCLONE_SAVED_H
#define NOCLONE_SAVED_H

#include <stdbool.h>
#include <stdint.h>

#include "model/table.h"

#define SAVED_DIR	"/etc/noclone"
#define SAVED_SUFFIX	".table"
/* The signature of a leg that has none. */
#define SIGNATURE_NONE	"none"
/* The record of a disk that could not be read when it was saved. */
#define SIGNATURE_UNREAD	"unread"

/**
 * struct saved - what a file says
 * @table: with names of disks that survive a reboot, and signatures
 * @uuid: of the device, NULL while the file names none
 * @readonly: the device is
 * @nr: how many signatures the file has
 * @nr_disks: how many lines "# noclone-disk:" the file has; 0 in a file of an older version
 */
struct saved {
	struct table table;
	char *uuid;
	bool readonly;
	unsigned int nr;
	unsigned int nr_disks;
};

/* NULL, or why no device of that name can be saved. */
const char *saved_name_problem(const char *name);
/* "/etc/noclone/NAME.table": a new string */
char *saved_path(const char *name);
/* The NAME of NAME.table: a new string, NULL if @file is called otherwise. */
char *saved_name(const char *file);
/* Its unit, "noclone-device@NAME.service": a new string */
char *saved_unit_name(const char *name);
/* As systemd-escape(1), also of a path without its first slash: a new string. */
char *saved_escape(const char *text);

/* Does a text have a comment of a saved device?  A plain table has none. */
bool saved_is_file(const char *text);
void saved_parse(struct saved *s, const char *text, struct findings *findings);
/* The file: a new string. */
char *saved_print(const struct saved *s);
/* Does a printed file mean what it was printed of?  A name may have a "#", for example. */
bool saved_is_readable(const char *text);

/**
 * saved_refusal - may a leg or backing file with this signature be used?
 * @t: its target
 * @leg: its number in that
 * @is_first: no other one is before it in the table
 * @found: type and UUID, or SIGNATURE_NONE
 * @first: signature of the device, once the leg with its first sector is accepted, or NULL
 * @level: set if the answer is not NULL: a warning if it may be data of the device
 *
 * A file system that is made on the device shows on the leg with the first sector, so
 * that leg may have got a signature since.
 *
 * Return: NULL, or why not: a new string.
 */
char *saved_refusal(const struct target *t, unsigned int leg, bool is_first,
		    const char *found, const char *first, enum finding_level *level);

/* The word of a signature in the record of a disk; @signature: "gpt 0c6f..."; a new string. */
char *saved_disk_word(const char *signature);
/* Is there a record of what the disk had? */
bool saved_disk_is_known(const char *record);
/* Legs of @t that @old has as well get its records of their disks. */
void saved_keep_disks(const struct table *old, struct table *t);
/* Does a record, which may be NULL, have the signature? */
bool saved_disk_has(const char *record, const char *signature);
void saved_free(struct saved *s);

#define _cleanup_saved_ __attribute__((cleanup(saved_free)))

#endif /* NOCLONE_SAVED_H */
