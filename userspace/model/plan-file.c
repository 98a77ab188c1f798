// SPDX-License-Identifier: GPL-2.0-only
/*
 * Lay out a noclone-file table, and decide what to do to the file: it may be
 * created, grown and filled, but it never shrinks and loses no data.
 */
#include "model/plan-file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/util.h"
#include "model/name.h"
#include "model/table.h"

#define error(problems, req, fmt, ...)					\
do {									\
	_cleanup_free_ char *name_ = path_encode((req)->path);		\
									\
	problem_add(problems, PROBLEM_ERROR, 0, "%s: " fmt, name_,	\
		    ##__VA_ARGS__);					\
} while (0)

/* Bytes that the end of the mapping has to be a multiple of. */
static uint64_t plan_file_unit_of(const struct file_request *req,
				  const struct file_facts *f)
{
	uint64_t unit = SECTOR_SIZE;

	if (req->engine == ENGINE_DIRECT || req->engine == ENGINE_EXTENT)
		unit = MAX(unit, f->align);
	if (req->engine == ENGINE_EXTENT)
		unit = MAX(unit, (uint64_t)sysconf(_SC_PAGESIZE));
	return unit;
}

static void plan_file_report_unused(const struct file_request *req, uint64_t left,
				    uint64_t unit, struct problems *problems)
{
	_cleanup_free_ char *name = path_encode(req->path);

	if (left)
		problem_add(problems, PROBLEM_WARNING, 0,
			    "%s: the last %llu bytes stay unused: engine %s needs whole units of %llu",
			    name, (unsigned long long)left,
			    engine_name(req->engine), (unsigned long long)unit);
}

static void plan_file_lay_out(const struct file_request *req, const struct file_facts *f,
			      struct table *t, struct problems *problems)
{
	uint64_t unit = plan_file_unit_of(req, f), left = f->bytes % unit;
	uint64_t end = (f->bytes - left) >> SECTOR_SHIFT;
	struct target *target;

	if (req->start >= end) {
		error(problems, req, "no sectors left: it has %llu usable sectors, and --start is %llu",
		      (unsigned long long)end, (unsigned long long)req->start);
		return;
	}
	plan_file_report_unused(req, left, unit, problems);
	target = table_add_file(t, f->path, 0, end - req->start);
	target->file_start = req->start;
	target->engine = req->engine;
	target->engine_given = req->engine_given;
	target->no_fastpath = req->no_fastpath;
}

void plan_file(const struct file_request *req, const struct facts_source *src,
	       struct table *t, struct problems *problems)
{
	_cleanup_file_facts_ struct file_facts f = { 0 };
	int r = src->lookup_file(src, req->path, false, &f);
	const char *wrong = r ? strerror(-r) : file_kind_problem(f.kind);

	if (wrong)
		error(problems, req, "%s", wrong);
	else
		plan_file_lay_out(req, &f, t, problems);
}

bool plan_file_engine(const struct table *live, struct file_request *req)
{
	const struct target *first = NULL;
	unsigned int i;

	for (i = 0; i < live->nr; i++) {
		const struct target *t = &live->targets[i];

		if (!t->understood || !t->path)
			continue;
		if (!first)
			first = t;
		else if (t->engine != first->engine)
			return false;
	}
	if (first) {
		req->engine = first->engine;
		req->engine_given = first->engine_given;
	}
	return true;
}

/* What is wrong with a file that is there. */
static const char *plan_file_existing_problem(const struct file_request *req,
					      const struct file_facts *f)
{
	bool changes = req->allocate || (req->bytes && f->bytes < req->bytes);

	if (f->kind != FILE_REGULAR)
		return file_kind_problem(f->kind);
	if (req->bytes && f->bytes > req->bytes)
		return "File is larger than --size, and is never made smaller";
	if (changes && f->immutable)
		return "File is immutable: chattr -i first";
	if (changes && f->append_only)
		return "File is append-only: chattr -a first";
	if (changes && f->readonly)
		return "File cannot be written: --size and --allocate need that";
	return NULL;
}

const char *plan_file_action(const struct file_request *req,
			     const struct file_facts *f,
			     enum backing_action *action)
{
	const char *wrong = f ? plan_file_existing_problem(req, f) : NULL;

	*action = BACKING_KEEP;
	if (wrong)
		return wrong;
	if (!f && !req->bytes)
		return "no such file: --size SIZE creates it";
	if (!f)
		*action = BACKING_CREATE;
	else if (req->bytes > f->bytes)
		*action = BACKING_GROW;
	if (*action != BACKING_KEEP && req->engine == ENGINE_EXTENT &&
	    !req->allocate)
		return "engine extent does not support holes: add --allocate, or --engine direct";
	return NULL;
}

void plan_file_facts(const struct file_request *req, struct file_facts *f)
{
	f->kind = FILE_REGULAR;
	f->bytes = MAX(f->bytes, req->bytes);
	if (!req->allocate)
		return;
	f->allocated = f->bytes >> SECTOR_SHIFT;
	/* filling changes nothing about shared or compressed extents */
	free(f->map.gap);
	f->map.gap = NULL;
	f->map.nr_gaps = 0;
	f->map.gap_bytes = 0;
	f->map.known = true;
}
