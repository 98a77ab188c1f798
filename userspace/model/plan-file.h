/* SPDX-License-Identifier: GPL-2.0-only */
/* Planning a noclone-file table, and what has to be done to the file first. */
#ifndef NOCLONE_PLAN_FILE_H
#define NOCLONE_PLAN_FILE_H

#include "model/facts.h"
#include "model/problems.h"
#include "model/table.h"

/**
 * struct file_request - a requested noclone-file device
 * @path: absolute path
 * @start: first sector used in the file
 * @bytes: requested size of the file; 0: as it is
 * @allocate: fill its holes and unwritten extents with zeroes
 * @engine: requested engine
 * @engine_given: name it in the table
 * @no_fastpath: give the target that option
 */
struct file_request {
	const char *path;
	uint64_t start;
	uint64_t bytes;
	bool allocate;
	enum file_engine engine;
	bool engine_given;
	bool no_fastpath;
};

/**
 * plan_file - make the table
 * @req: the request
 * @src: facts about the file
 * @t: filled with the table
 * @problems: gets errors, and a warning for every byte left unused
 *
 * The end of the file is rounded down to what the engine can reach.
 */
void plan_file(const struct file_request *req, const struct facts_source *src,
	       struct table *t, struct problems *problems);

/**
 * plan_file_engine - request the engine that the live table requests
 * @live: the live table
 * @req: a request without --engine; changed
 *
 * Return: false if its targets request different ones; then @req is unchanged.
 */
bool plan_file_engine(const struct table *live, struct file_request *req);

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
const char *plan_file_action(const struct file_request *req,
			     const struct file_facts *facts,
			     enum backing_action *action);

/**
 * plan_file_facts - facts about the file as it will be then
 * @req: the request
 * @facts: facts about the file as it is; changed
 */
void plan_file_facts(const struct file_request *req, struct file_facts *facts);

#endif /* NOCLONE_PLAN_FILE_H */
