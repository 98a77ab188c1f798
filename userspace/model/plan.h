/* SPDX-License-Identifier: GPL-2.0-only */
/* Plan a table over devices, or over a file. */
#ifndef NOCLONE_PLAN_H
#define NOCLONE_PLAN_H

#include <stdint.h>

#include "model/file-engine.h"
#include "model/finding.h"
#include "model/table-target.h"
#include "model/table.h"

/**
 * struct leg_spec - DEV[:START[+LEN]] of the command line
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
 * Split DEV[:START[+LEN]]. A name with colons (by-path, 8:0) stays whole, because only a size with
 * a unit, or 0, counts as START.
 *
 * Return: NULL, or a sentence that says what is wrong.
 */
const char *plan_parse_leg(struct leg_spec *spec, const char *text);
#define LEG_SYNTAX	"expected DEV[:START[+LEN]], for example /dev/sda:1M+10G"

/**
 * struct plan_request - a requested linear or striped device
 * @kind: linear or striped
 * @legs: the devices in order
 * @nr_legs: the number of legs
 * @chunk: the sectors of a chunk of a striped device; 0 lets plan_table() choose it, and set @why
 * @why: the reason for the chosen chunk as a part of a sentence, or NULL
 * @no_fastpath: give the targets the option no_fastpath
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
 * @findings: gets errors, and a warning for every sector that stays unused
 *
 * Sizes are rounded down: for linear to the largest logical block, for striped to whole chunks of
 * the smallest leg.
 */
void plan_table(struct plan_request *req, const struct facts_source *src,
		struct table *t, struct findings *findings);

void plan_request_free(struct plan_request *req);

/**
 * struct file_request - a requested noclone-file device
 * @path: the absolute path of the file
 * @bytes: the requested size of the file; 0 keeps its size
 * @offset: sectors of the file before the device
 * @limit: the maximum size of the device in sectors; 0: all sectors of the file
 * @allocate: fill its holes and unwritten extents with zeroes
 * @engine: the requested engine
 * @engine_given: write the engine into the table
 * @no_fastpath: give the target the option no_fastpath
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

/* Return: the bytes of a logical block of the device. */
uint32_t plan_file_block(enum file_engine engine, const struct file_facts *f);
/* Return: the number of bytes that the end of the mapping has to be a multiple of. */
uint64_t plan_file_unit(enum file_engine engine, const struct file_facts *f);
/*
 * Make the table: @t is filled, and @findings gets errors, and a warning for bytes that stay
 * unused. The end of the file is rounded down to the last sector that the engine can reach.
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
 * @facts: the existing file, or NULL
 * @action: set to the change
 *
 * Return: NULL, or a sentence that says why the file must not be changed.
 */
const char *plan_file_action(const struct file_request *req, const struct file_facts *facts,
			     enum backing_action *action);
/*
 * Turn facts about the present file into facts about the changed file. Return: NULL, or why the
 * changed file is not possible.
 */
const char *plan_file_facts(const struct file_request *req, struct file_facts *facts);

/**
 * plan_choose_chunk - choose the chunk of a striped device
 * @preferred: bytes, the largest chunk that one of its devices prefers
 * @smallest: the sectors of the smallest leg, not 0
 * @why: set to the reason, as a part of a sentence
 *
 * A bio that crosses a border becomes several bios (gather.c of the module), which cost more than
 * one bio that is remapped in place. So the chunk is larger than the usual I/O. The chunk is a
 * power of two, so that the mapping needs no division, and a multiple of the size that the devices
 * prefer. The largest I/O of the devices does not limit the chunk: with a smaller chunk, large I/O
 * would cross more borders.
 *
 * Return: the sectors of the chunk.
 */
uint32_t plan_choose_chunk(uint32_t preferred, uint64_t smallest, const char **why);

#endif /* NOCLONE_PLAN_H */
