// SPDX-License-Identifier: GPL-2.0-only
/*
 * Checks of noclone-file targets: each against its backing file, then the
 * targets against each other.
 */
#include "model/lint-file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "noclone-refusals.h"
#include "base/size.h"
#include "base/util.h"
#include "model/engine.h"
#include "model/file-map.h"
#include "model/path.h"

/* A target with the facts about its backing file. */
struct file_target {
	const struct target *target;
	char *name;	/* as in a table: safe to print */
	struct file_facts facts;
};

struct file_lint {
	const struct facts_source *src;
	const struct self_device *self;
	struct problems *problems;
	struct file_target *file;
	unsigned int nr;
};

#define say(l, f, severity, fmt, ...)					\
	problem_add((l)->problems, severity, (f)->target->line,		\
		    "%s: " fmt, (f)->name, ##__VA_ARGS__)
#define error(l, f, ...)	say(l, f, PROBLEM_ERROR, __VA_ARGS__)
#define warning(l, f, ...)	say(l, f, PROBLEM_WARNING, __VA_ARGS__)
#define note(l, f, ...)		say(l, f, PROBLEM_NOTE, __VA_ARGS__)

static uint64_t lint_file_file_end(const struct target *t)
{
	uint64_t end;

	return __builtin_add_overflow(t->file_start, t->length, &end) ?
	       UINT64_MAX : end;
}

static void lint_file_check_size(struct file_lint *l, const struct file_target *f)
{
	uint64_t sectors = f->facts.bytes >> SECTOR_SHIFT;
	_cleanup_free_ char *size = size_format(sectors);

	if (lint_file_file_end(f->target) > sectors)
		error(l, f, NOCLONE_ERR_SHORT " (%llu sectors are needed, it has %llu: %s)",
		      (unsigned long long)lint_file_file_end(f->target),
		      (unsigned long long)sectors, size);
}

/* The alignment that the engine requires. */
static void lint_file_check_alignment(struct file_lint *l, const struct file_target *f)
{
	const struct target *t = f->target;
	uint64_t block = f->facts.align >> SECTOR_SHIFT;

	if (t->engine != ENGINE_DIRECT && t->engine != ENGINE_EXTENT)
		return;
	if (!block)
		error(l, f, NOCLONE_ERR_NO_DIRECT);
	else if (t->file_start % block || t->start % block || t->length % block)
		error(l, f, NOCLONE_ERR_ALIGN ": %u bytes",
		      f->facts.align);
}

static void lint_file_check_map(struct file_lint *l, const struct file_target *f)
{
	const struct file_map *map = &f->facts.map;
	_cleanup_free_ char *gaps = size_format_short(map->gap_bytes >> SECTOR_SHIFT);

	if (!map->known)
		warning(l, f, "the file system does not report extents, and engine extent does not support holes");
	if (map->nr_gaps)
		error(l, f, "File has holes or unwritten extents (%s): fill them (noclone create --allocate), or use engine direct",
		      gaps);
	if (map->shared)
		error(l, f, "File shares extents with another file: copy it (cp --reflink=never), or use engine direct");
	if (map->elsewhere)
		error(l, f, "File is inline, compressed or encrypted: use engine direct or buffered");
}

/* The module reads the extents of whole pages. */
static void lint_file_check_extent(struct file_lint *l, const struct file_target *f)
{
	uint64_t page = sysconf(_SC_PAGESIZE);
	uint64_t pages = f->facts.bytes / page * (page >> SECTOR_SHIFT);

	if (!f->facts.disk || f->facts.disk != f->facts.filesystem)
		error(l, f, NOCLONE_ERR_NO_PIN);
	if (f->facts.block && f->facts.block < page)
		error(l, f, NOCLONE_ERR_SMALL_BLOCKS);
	if (lint_file_file_end(f->target) > pages &&
	    lint_file_file_end(f->target) <= f->facts.bytes >> SECTOR_SHIFT)
		error(l, f, "engine extent uses whole pages of %llu bytes: make the file longer or the target shorter",
		      (unsigned long long)page);
	lint_file_check_map(l, f);
}

/* The file cannot grow to its size: writes to this or another file will fail. */
static void lint_file_warn_of_growth(struct file_lint *l, const struct file_target *f,
				     uint64_t growth)
{
	_cleanup_free_ char *missing = size_format_short(growth);
	_cleanup_free_ char *left = size_format_short(f->facts.free >> SECTOR_SHIFT);

	warning(l, f, "may grow by %s, and the file system has %s free: writes will fail when it is full",
		missing, left);
}

static void lint_file_check_sparse(struct file_lint *l, const struct file_target *f)
{
	uint64_t sectors = f->facts.bytes >> SECTOR_SHIFT;
	_cleanup_free_ char *size = size_format_short(sectors);
	_cleanup_free_ char *part = size_format_short(f->facts.allocated);
	uint64_t growth = sectors - MIN(sectors, f->facts.allocated);

	if (f->facts.has_free && growth > f->facts.free >> SECTOR_SHIFT)
		lint_file_warn_of_growth(l, f, growth);
	else if (growth)
		note(l, f, "sparse: %s of %s are allocated, and writing the rest fails when the file system is full",
		     part, size);
}

static void lint_file_check_engine(struct file_lint *l, const struct file_target *f)
{
	if (f->target->engine == ENGINE_NOIO)
		warning(l, f, "engine null does no I/O: %s",
			engine_meaning(ENGINE_NOIO));
	if (f->target->engine == ENGINE_EXTENT)
		lint_file_check_extent(l, f);
	else
		lint_file_check_sparse(l, f);
}

static bool lint_file_is_on(const struct facts_source *src, const struct file_facts *f,
			    const struct self_device *self)
{
	return f->disk && (f->disk == self->devno ||
			   src->stands_on(src, f->disk, self->devno));
}

static void lint_file_check_file(struct file_lint *l, const struct file_target *f)
{
	const char *wrong = file_kind_problem(f->facts.kind);

	if (wrong) {
		error(l, f, "%s", wrong);
		return;
	}
	lint_file_check_size(l, f);
	lint_file_check_alignment(l, f);
	lint_file_check_engine(l, f);
	if (l->self && l->self->known && lint_file_is_on(l->src, &f->facts, l->self))
		error(l, f, NOCLONE_ERR_OWN_FS);
}

static int lint_file_look_up(const struct facts_source *src, const struct target *t,
			     struct file_facts *facts)
{
	return src->lookup_file(src, t->path, t->engine == ENGINE_EXTENT,
				facts);
}

static void lint_file_add_target(struct file_lint *l, const struct target *t)
{
	struct file_target *f;
	int r;

	GROW(l->file, l->nr);
	f = &l->file[l->nr++];
	memset(f, 0, sizeof(*f));
	f->target = t;
	f->name = path_encode(t->path);
	r = lint_file_look_up(l->src, t, &f->facts);
	if (!r) {
		lint_file_check_file(l, f);
		return;
	}
	problem_add(l->problems, PROBLEM_ERROR, t->line,
		    NOCLONE_ERR_NOT_FOUND ": \"%s\": %s", f->name, strerror(-r));
	memset(&f->facts, 0, sizeof(f->facts));
}

static void lint_file_compare_targets(struct file_lint *l, const struct file_target *a,
				      const struct file_target *b)
{
	if (!a->facts.path || !b->facts.path ||
	    a->facts.filesystem != b->facts.filesystem ||
	    a->facts.inode != b->facts.inode)
		return;
	if (a->target->file_start < lint_file_file_end(b->target) &&
	    b->target->file_start < lint_file_file_end(a->target))
		error(l, b, "sectors of the file are used twice (also in line %u)",
		      a->target->line);
	if ((a->target->engine == ENGINE_EXTENT) !=
	    (b->target->engine == ENGINE_EXTENT))
		error(l, b, NOCLONE_ERR_MIXED_ENGINES " (line %u)",
		      a->target->line);
}

void lint_files(const struct table *t, const struct facts_source *src,
		const struct self_device *self, struct problems *problems)
{
	struct file_lint l = { .src = src, .self = self, .problems = problems };
	unsigned int i, j;

	if (!src || !src->lookup_file)
		return;
	for (i = 0; i < t->nr; i++)
		if (t->targets[i].understood && t->targets[i].path)
			lint_file_add_target(&l, &t->targets[i]);
	for (i = 0; i < l.nr; i++)
		for (j = i + 1; j < l.nr; j++)
			lint_file_compare_targets(&l, &l.file[i], &l.file[j]);
	for (i = 0; i < l.nr; i++) {
		file_facts_free(&l.file[i].facts);
		free(l.file[i].name);
	}
	free(l.file);
}

bool lint_file_is_cycle(const struct table *t, const struct facts_source *src,
			const struct self_device *self)
{
	unsigned int i;

	for (i = 0; src->lookup_file && i < t->nr; i++) {
		_cleanup_file_facts_ struct file_facts f = { 0 };

		if (t->targets[i].understood && t->targets[i].path &&
		    !lint_file_look_up(src, &t->targets[i], &f) && lint_file_is_on(src, &f, self))
			return true;
	}
	return false;
}
