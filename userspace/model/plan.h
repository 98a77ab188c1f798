/* SPDX-License-Identifier: GPL-2.0-only */
/* Laying out a table over devices, or over a file. */
#ifndef NOCLONE_PLAN_H
#define NOCLONE_PLAN_H

#include <stdint.h>

#include "model/table.h"

/**
 * struct leg_spec - DEV[:START[+LEN]] of the command line
 * @device: name of the device
 * @start: first sector
 * @length: sectors; 0 means up to the end of the device
 */
struct leg_spec {
	char *device;
	uint64_t start;
	uint64_t length;
};

/*
 * Take DEV[:START[+LEN]] apart.  Names with colons (by-path, 8:0) stay whole: only a size with
 * its unit, or 0, counts as a start.  Return: NULL, or a sentence saying what is wrong.
 */
const char *leg_spec_parse(struct leg_spec *spec, const char *text);
#define LEG_SYNTAX	"expected DEV[:START[+LEN]], for example /dev/sda:1M+10G"

/**
 * struct plan_request - a requested linear or striped device
 * @kind: linear or striped
 * @legs: the devices in order
 * @nr_legs: how many
 * @chunk: sectors, for striped; 0: what suits the devices, and @why is set then
 * @why: a part of a sentence, or NULL
 * @no_fastpath: give the targets that option
 */
struct plan_request {
	enum target_kind kind;
	struct leg_spec *legs;
	unsigned int nr_legs;
	uint32_t chunk;
	const char *why;
	bool no_fastpath;
};

/**
 * plan_table - make the table
 * @req: the request; its legs get the paths of their devices, and their lengths
 * @src: facts about the devices
 * @t: filled with the table
 * @findings: gets errors, and a warning for every sector left unused
 *
 * Sizes are rounded down: to the largest logical block for linear, to whole
 * chunks of the smallest leg for striped.
 */
void plan_table(struct plan_request *req, const struct facts_source *src,
		struct table *t, struct findings *findings);

void plan_request_free(struct plan_request *req);

/**
 * struct file_request - a requested noclone-file device
 * @path: absolute path
 * @bytes: requested size of the file; 0: as it is
 * @allocate: fill its holes and unwritten extents with zeroes
 * @engine: requested engine
 * @engine_given: name it in the table
 * @no_fastpath: give the target that option
 */
struct file_request {
	const char *path;
	uint64_t bytes;
	bool allocate;
	enum file_engine engine;
	bool engine_given;
	bool no_fastpath;
};

/* Bytes that the end of the mapping has to be a multiple of. */
uint64_t plan_file_unit(enum file_engine engine, const struct file_facts *f);
/*
 * Make the table: @t is filled, @findings gets errors, and a warning for bytes left unused.  The
 * end of the file is rounded down to what the engine can reach.
 */
void plan_file(const struct file_request *req, const struct file_facts *f, struct table *t,
	       struct findings *findings);

enum backing_action {
	BACKING_KEEP,
	BACKING_CREATE,
	BACKING_GROW,
};

/**
 * plan_file_action - decide what has to be done to the file first
 * @req: the request
 * @facts: the existing file, or NULL
 * @action: set
 *
 * Return: NULL, or a sentence saying why it must not be done.
 */
const char *plan_file_action(const struct file_request *req, const struct file_facts *facts,
			     enum backing_action *action);
/* Change facts about the file as it is to those as it will be then; or say why it cannot be. */
const char *plan_file_facts(const struct file_request *req, struct file_facts *facts);

/**
 * chunk_choose - the chunk for a striped device
 * @preferred: bytes, the most that any of its devices prefers
 * @smallest: sectors of the smallest leg, not 0
 * @why: set to a part of a sentence
 *
 * A bio that crosses a border takes the clone path, so the chunk is larger than the
 * usual I/O; a power of two, so that mapping needs no division; and a multiple of what
 * the devices prefer.  What they take at once does not limit it: of a larger I/O more
 * would cross a border then.
 *
 * Return: sectors.
 */
uint32_t chunk_choose(uint32_t preferred, uint64_t smallest, const char **why);

/* The table of a mapped device that is to be larger. */

enum resize_how {
	RESIZE_TO,	/* SIZE */
	RESIZE_MORE,	/* +SIZE */
	RESIZE_MAX,	/* max */
};

struct resize_size {
	enum resize_how how;
	uint64_t sectors;
};

/* Read SIZE, +SIZE or max.  Return: NULL, or a sentence saying what is wrong. */
const char *resize_parse(struct resize_size *size, const char *text);

/**
 * struct resize_room - how the last target of a table can grow
 * @free: sectors that it can grow by at most
 * @block: bytes of the smallest I/O to all that is below, old and new
 * @leg: devices for the growth, each with its length; the last target stays then
 * @nr_legs: how many
 */
struct resize_room {
	uint64_t free;
	uint64_t block;
	const struct leg_spec *leg;
	unsigned int nr_legs;
};

/*
 * Sectors by which a linear or striped target can grow, if the leg with the least room
 * has @least sectors after its end: whole chunks.
 */
uint64_t resize_legs_room(const struct target *t, uint64_t least);
/* Why a table cannot be resized: a new string; NULL if it can. */
char *resize_objection(const struct table *t);

/**
 * resize_table - make the new table
 * @old: the live table; resize_objection() has none
 * @size: the requested size; rounded up to whole stripes or blocks
 * @room: how its last target can grow
 * @new: filled; equal to @old if it has that size already
 *
 * No sector of the old table changes its place.
 *
 * Return: NULL, or what is wrong: a new string.
 */
char *resize_table(const struct table *old, const struct resize_size *size,
		   const struct resize_room *room, struct table *new);

#endif /* NOCLONE_PLAN_H */
