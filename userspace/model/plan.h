/* SPDX-License-Identifier: GPL-2.0-only */
/* Plan a table that maps devices or a backing file. */
#ifndef NOCLONE_PLAN_H
#define NOCLONE_PLAN_H

#include <stdint.h>

#include "model/file-engine.h"
#include "model/finding.h"
#include "model/table-target.h"
#include "model/table.h"

/**
 * struct leg_spec - a word DEV[:START[+LEN]] of the command line
 * @device: the name of the device
 * @start: the first sector
 * @length: the number of sectors; 0 means up to the end of the device
 */
struct leg_spec {
	char *device;
	uint64_t start;
	uint64_t length;
};

/*
 * Split the word DEV[:START[+LEN]]. A device number such as 8:0 is not split. Any other word is
 * split at its last colon if the text behind this colon looks like START[+LEN]. Most names in
 * /dev/disk/by-path have colons, but no such text.
 *
 * Return: NULL, or a sentence that says what is wrong.
 */
const char *plan_parse_leg(struct leg_spec *spec, const char *text);
#define LEG_SYNTAX	"expected DEV[:START[+LEN]], for example /dev/sda:1M+10G"

/**
 * struct plan_request - a requested linear or striped device
 * @kind: TARGET_LINEAR or TARGET_STRIPED
 * @legs: the devices in the order of the command line
 * @nr_legs: the number of legs
 * @chunk: the size of a chunk in sectors, for a striped device. If @chunk is 0, plan_table()
 *	chooses the chunk and sets @why
 * @why: why plan_table() has chosen this chunk, as a part of a sentence; NULL if it has not chosen
 *	the chunk
 * @no_fastpath: the targets get the option no_fastpath
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
 * plan_table - make the table of a linear or striped device
 * @req: the request. In each leg, plan_table() replaces the name of the device by its canonical
 *	path, and fills in a missing length
 * @src: facts about the devices
 * @t: filled with the table
 * @findings: gets the errors, and a warning for each device with sectors that stay unused
 *
 * The lengths of the legs are rounded down. For a linear device, each length becomes a multiple of
 * the largest logical block of all devices. For a striped device, all legs get the length of the
 * smallest leg, rounded down to whole chunks.
 */
void plan_table(struct plan_request *req, const struct facts_source *src,
		struct table *t, struct findings *findings);

void plan_request_free(struct plan_request *req);

/**
 * struct file_request - a requested noclone-file device
 * @path: the absolute path of the file
 * @bytes: the requested size of the file in bytes; if it is 0, the file keeps its size
 * @offset: the number of sectors of the file before the first sector of the device
 * @limit: the maximum size of the device in sectors; if it is 0, the device has all sectors of the
 *	file from @offset on
 * @allocate: zeroes are written to the holes and unwritten extents of the file
 * @engine: the requested engine
 * @engine_given: the table names the engine
 * @no_fastpath: the target gets the option no_fastpath
 */
struct file_request {
	const char *path;
	uint64_t bytes;
	uint64_t offset;
	uint64_t limit;
	bool allocate;
	enum file_engine engine;
	bool engine_given;
	bool no_fastpath;
};

/* Return: the size of a logical block of a noclone-file device in bytes. */
uint32_t plan_file_block(enum file_engine engine, const struct file_facts *f);
/*
 * Return: the unit in bytes in which the engine uses a file. Bytes behind the last whole unit of
 * the file stay unused.
 */
uint64_t plan_file_unit(enum file_engine engine, const struct file_facts *f);
/*
 * Make the table of a noclone-file device. @t is filled with the table; @findings gets the errors,
 * and a warning for bytes that stay unused. The size of the file is rounded down to the unit of
 * plan_file_unit().
 */
void plan_file(const struct file_request *req, const struct file_facts *f, struct table *t,
	       struct findings *findings);

enum backing_action {
	BACKING_KEEP,
	BACKING_CREATE,
	BACKING_GROW,
};

/**
 * plan_file_action - decide how to change the file before the table is loaded
 * @req: the request
 * @facts: facts about the file, or NULL if the file does not exist yet
 * @action: set to the change
 *
 * Return: NULL, or a sentence that says why the file cannot be used or must not be changed.
 */
const char *plan_file_action(const struct file_request *req, const struct file_facts *facts,
			     enum backing_action *action);
/*
 * Change @facts, which are about the file as it is now, to the facts that the file will have after
 * the planned change. Return: NULL, or why the planned change is not possible.
 */
const char *plan_file_facts(const struct file_request *req, struct file_facts *facts);

/**
 * plan_choose_chunk - choose the chunk of a striped device
 * @preferred: the largest chunk in bytes that any device below prefers
 * @smallest: the number of sectors of the smallest leg, which is not 0
 * @why: set to the reason, as a part of a sentence
 *
 * A bio that crosses the border between two chunks becomes several bios (gather.c of the module),
 * which cost more than one bio that is remapped in place. So the chunk is larger than the usual
 * I/O. The chunk is a power of two, so that the mapping needs no division. It is a multiple of the
 * size that the devices prefer, unless a leg is too small. The chunk may be larger than the largest
 * I/O that the devices accept: with a smaller chunk, large I/O would only cross more borders.
 *
 * Return: the size of the chunk in sectors.
 */
uint32_t plan_choose_chunk(uint32_t preferred, uint64_t smallest, const char **why);

#endif /* NOCLONE_PLAN_H */
