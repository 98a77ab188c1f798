/* SPDX-License-Identifier: GPL-2.0-only */
/* From "this file" to a table, and what has to be done to the file.  No I/O. */
#ifndef NOCLONE_PLAN_FILE_H
#define NOCLONE_PLAN_FILE_H

#include "model/facts.h"
#include "model/problems.h"
#include "model/table.h"

/**
 * struct file_request - what is wanted
 * @path: absolute path
 * @start: first sector used in the file
 * @bytes: how large the file shall be; 0: as it is
 * @allocate: every block of it shall be written
 * @engine: how its I/O is done
 * @engine_given: put that into the table
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
 * @req: what is wanted
 * @src: facts about the file
 * @t: filled with the table
 * @problems: gets errors, and a warning for every byte left unused
 *
 * The end of the file is rounded down to what the engine can reach.
 */
void plan_file(const struct file_request *req, const struct facts_source *src,
	       struct table *t, struct problems *problems);

/**
 * plan_file_engine - take over the engine that a running table asks for
 * @live: the table
 * @req: nobody has given it an engine; changed
 *
 * Return: false if its lines ask for different ones; then @req stays as it is.
 */
bool plan_file_engine(const struct table *live, struct file_request *req);

enum file_action {
	FILE_KEEP,
	FILE_MAKE,
	FILE_GROW,
};

/**
 * plan_file_action - what has to be done to the file first?
 * @req: what is wanted
 * @facts: what is there; NULL: nothing
 * @action: set to the answer
 *
 * Return: NULL, or a sentence saying why it must not be done.
 */
const char *plan_file_action(const struct file_request *req,
			     const struct file_facts *facts,
			     enum file_action *action);

/**
 * plan_file_facts - what will be known about the file when that is done
 * @req: what is wanted
 * @facts: what is known now; changed
 */
void plan_file_facts(const struct file_request *req, struct file_facts *facts);

#endif /* NOCLONE_PLAN_FILE_H */
