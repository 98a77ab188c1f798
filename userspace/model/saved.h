/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A saved device: its table as dmsetup takes it, and in comments of the table what
 * else is needed to bring it back.
 *
 *	# noclone: uuid NOCLONE-...
 *	# noclone: readonly
 *	# noclone: signature DEVICE START TYPE [UUID]
 *	# noclone: outdated
 */
#ifndef NOCLONE_SAVED_H
#define NOCLONE_SAVED_H

#include <stdbool.h>
#include <stdint.h>

#include "model/problems.h"
#include "model/table.h"

#define SAVED_DIR	"/etc/noclone"
#define SAVED_SUFFIX	".table"
/* What is recorded of a leg without a signature: nothing. */
#define SIGNATURE_NONE	"none"

/**
 * struct saved_signature - what a leg or backing file had on it when it was saved
 * @device: as in the table
 * @start: of the leg, or in the file
 * @text: type and UUID: "ext4 0c6f..."
 */
struct saved_signature {
	char *device;
	uint64_t start;
	char *text;
};

struct saved {
	struct table table;
	char *uuid;		/* NULL if the file names none */
	bool readonly;
	unsigned int outdated;	/* line that says that the device has got another table since */
	struct saved_signature *signature;
	unsigned int nr;
};

/* NULL, or why no device of that name can be saved. */
const char *saved_name_problem(const char *name);
/* "/etc/noclone/NAME.table": a new string */
char *saved_path(const char *name);
/* The NAME of NAME.table: a new string, NULL if @file is called otherwise. */
char *saved_name(const char *file);

void saved_parse(struct saved *s, const char *text, struct problems *problems);
/* Only the comments. */
void saved_parse_keywords(struct saved *s, const char *text,
			  struct problems *problems);
/* A new file: a new string. */
char *saved_print(const struct saved *s, const char *name);
/* @text, as saved_print() makes it, with the comments of @old: a new string. */
char *saved_with_comments(const char *text, const char *old);
/* Does a file mean what it was printed of?  Names may have what a table cannot: "#". */
bool saved_is_readable(const char *text, const char *name);
/*
 * Is a device with this UUID the one that was saved?  uuid_make() adds a prefix.  Of a file
 * without a UUID it may be any device that noclone has made.
 */
bool saved_is_device(const struct saved *s, const char *uuid);
/*
 * The file @text with the signatures of @s in place of those it has, and not outdated: a new
 * string.
 */
char *saved_with_signatures(const struct saved *s, const char *text);

/* The file @text, outdated: a new string. */
char *saved_with_outdated(const char *text);
/*
 * Does a device with a backing file run without?  Then @live is what "noclone activate" makes
 * when there is no module: a loop device on its file, as @is_loop_on finds it, below linear.
 */
bool saved_has_stand_in(const struct table *saved, const struct table *live,
			bool (*is_loop_on)(const char *device, const char *path));

/* What a target has: its legs, or one backing file. */
unsigned int saved_parts(const struct target *t);
/* Record what is on a part of a target of @s; one without a signature is not mentioned. */
void saved_add_signature(struct saved *s, const struct target *t, unsigned int part,
			 const char *text);

/**
 * saved_refusal - may a leg or backing file with this signature be used?
 * @s: what was saved
 * @t: a target of its table
 * @part: of the target
 * @found: type and UUID, or SIGNATURE_NONE
 *
 * A file system that is made on the device shows on the leg with the first sector, so
 * that one may have got a signature since.
 *
 * Return: NULL, or why not: a new string.
 */
char *saved_refusal(const struct saved *s, const struct target *t, unsigned int part,
		    const char *found);
/*
 * May it be what is in the device, on a leg that is not the first?  A partition or logical
 * volume that begins with the leg's part of the device shows on the leg, whatever is made
 * in it.  @first: signature of the device
 */
bool saved_may_be_data(const struct target *t, unsigned int part, const char *first);
/*
 * May @found be a copy of @first, where nothing was recorded?  xfs has one of its superblock
 * at the start of each group, which may be that of a leg.
 */
bool saved_may_be_copy(const struct saved *s, const struct target *t, unsigned int part,
		       const char *found, const char *first);
void saved_free(struct saved *s);

#define _cleanup_saved_ __attribute__((cleanup(saved_free)))

#endif /* NOCLONE_SAVED_H */
