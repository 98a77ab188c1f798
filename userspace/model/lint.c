// SPDX-License-Identifier: GPL-2.0-only
/*
 * Table checks.  Three layers: the table alone (gaps, overlaps, overflow),
 * each leg against its device (size, alignment), and the legs against each
 * other: two on the same sectors corrupt data, and the kernel does not check
 * that.
 */
#include "model/lint.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "noclone-refusals.h"
#include "dm-noclone.h"
#include "base/size.h"
#include "base/util.h"
#include "model/facts.h"
#include "model/finding.h"
#include "model/name.h"
#include "model/table.h"

/*
 * Checks of noclone-file targets: each against its backing file, then the
 * targets against each other.
 */

/* A target with the facts about its backing file. */
struct file_target {
	const struct target *target;
	char *name;	/* as in a table: safe to print */
	struct file_facts facts;
};

struct file_lint {
	const struct facts_source *src;
	const struct self_device *self;
	struct findings *findings;
	struct file_target *file;
	unsigned int nr;
};

/* What even --force cannot load: older kernels do not notice, and I/O would hang for ever. */
#define CHECK_CYCLE	"cycle"

#define file_say(l, f, level, fmt, ...)					\
	finding_at((l)->findings, level, (f)->target->line,		\
		   "%s: " fmt, (f)->name, ##__VA_ARGS__)
#define file_error(l, f, ...)	file_say(l, f, FINDING_ERROR, __VA_ARGS__)
#define file_warning(l, f, ...)	file_say(l, f, FINDING_WARNING, __VA_ARGS__)
#define file_note(l, f, ...)		file_say(l, f, FINDING_NOTE, __VA_ARGS__)

static uint64_t lint_file_end(const struct target *t)
{
	uint64_t end;

	return __builtin_add_overflow(t->file_start, t->length, &end) ?
	       UINT64_MAX : end;
}

static void lint_file_check_size(struct file_lint *l, const struct file_target *f)
{
	uint64_t sectors = f->facts.bytes >> SECTOR_SHIFT;
	_cleanup_free_ char *size = size_format(sectors);

	if (lint_file_end(f->target) > sectors)
		file_error(l, f, NOCLONE_ERR_SHORT " (%llu sectors are needed, it has %llu: %s)",
			   (unsigned long long)lint_file_end(f->target),
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
		file_error(l, f, NOCLONE_ERR_NO_DIRECT);
	else if (t->file_start % block || t->start % block || t->length % block)
		file_error(l, f, NOCLONE_ERR_ALIGN ": %u bytes",
			   f->facts.align);
}

static void lint_file_check_map(struct file_lint *l, const struct file_target *f)
{
	const struct file_map *map = &f->facts.map;
	_cleanup_free_ char *gaps = size_format_short(map->gap_bytes >> SECTOR_SHIFT);

	if (!map->known)
		file_warning(l, f, "the file system does not report extents, and engine extent does not support holes");
	if (map->nr_gaps)
		file_error(l, f, "File has holes or unwritten extents (%s): fill them (noclone create --allocate), or use engine direct",
			   gaps);
	if (map->shared)
		file_error(l, f, "File shares extents with another file: copy it (cp --reflink=never), or use engine direct");
	if (map->elsewhere)
		file_error(l, f, "File is inline, compressed or encrypted: use engine direct or buffered");
}

/* The module reads the extents of whole pages. */
static void lint_file_check_extent(struct file_lint *l, const struct file_target *f)
{
	uint64_t page = sysconf(_SC_PAGESIZE);
	uint64_t pages = f->facts.bytes / page * (page >> SECTOR_SHIFT);

	if (!f->facts.disk || f->facts.disk != f->facts.filesystem)
		file_error(l, f, NOCLONE_ERR_NO_PIN);
	if (f->facts.block && f->facts.block < page)
		file_error(l, f, NOCLONE_ERR_SMALL_BLOCKS);
	if (lint_file_end(f->target) > pages &&
	    lint_file_end(f->target) <= f->facts.bytes >> SECTOR_SHIFT)
		file_error(l, f, "engine extent uses whole pages of %llu bytes: make the file longer or the target shorter",
			   (unsigned long long)page);
	lint_file_check_map(l, f);
}

/* The file cannot grow to its size: writes to this or another file will fail. */
static void lint_file_warn_of_growth(struct file_lint *l, const struct file_target *f,
				     uint64_t growth)
{
	_cleanup_free_ char *missing = size_format_short(growth);
	_cleanup_free_ char *left = size_format_short(f->facts.free >> SECTOR_SHIFT);

	file_warning(l, f, "may grow by %s, and the file system has %s free: writes will fail when it is full",
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
		file_note(l, f, "sparse: %s of %s are allocated, and writing the rest fails when the file system is full",
			  part, size);
}

static void lint_file_check_engine(struct file_lint *l, const struct file_target *f)
{
	if (f->target->engine == ENGINE_NOIO)
		file_warning(l, f, "engine null does no I/O: %s",
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
		file_error(l, f, "%s", wrong);
		return;
	}
	lint_file_check_size(l, f);
	lint_file_check_alignment(l, f);
	lint_file_check_engine(l, f);
	if (!l->self || !l->self->known || !lint_file_is_on(l->src, &f->facts, l->self))
		return;
	l->findings->check = CHECK_CYCLE;
	file_error(l, f, NOCLONE_ERR_OWN_FS);
	l->findings->check = NULL;
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
	finding_at(l->findings, FINDING_ERROR, t->line,
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
	if (a->target->file_start < lint_file_end(b->target) &&
	    b->target->file_start < lint_file_end(a->target))
		file_error(l, b, "sectors of the file are used twice (also in line %u)",
			   a->target->line);
	if ((a->target->engine == ENGINE_EXTENT) !=
	    (b->target->engine == ENGINE_EXTENT))
		file_error(l, b, NOCLONE_ERR_MIXED_ENGINES " (line %u)",
			   a->target->line);
}

/* As lint_table(), for the noclone-file targets. */
static void lint_files(const struct table *t, const struct facts_source *src,
		const struct self_device *self, struct findings *findings)
{
	struct file_lint l = { .src = src, .self = self, .findings = findings };
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

/* A leg with what is known about its device, for comparing legs. */
struct placed_leg {
	const struct target *target;
	const struct leg *leg;
	struct device_facts facts;
	uint64_t first, end;	/* on the whole disk */
};

struct lint {
	const struct table *t;
	const struct facts_source *src;
	const struct self_device *self;
	struct findings *findings;
	struct placed_leg *placed;
	unsigned int nr_placed;
};

#define error(l, target, ...) \
	finding_at((l)->findings, FINDING_ERROR, (target)->line, __VA_ARGS__)
#define warning(l, target, ...) \
	finding_at((l)->findings, FINDING_WARNING, (target)->line, __VA_ARGS__)
#define note(l, target, ...) \
	finding_at((l)->findings, FINDING_NOTE, (target)->line, __VA_ARGS__)

static void lint_check_bounds(struct lint *l, const struct target *t)
{
	uint64_t end;

	if (!t->length)
		error(l, t, "zero-length target");
	else if (__builtin_add_overflow(t->start, t->length, &end) ||
		 end > TABLE_MAX_SECTORS)
		error(l, t, "too large device: the target ends after sector %llu",
		      (unsigned long long)TABLE_MAX_SECTORS);
}

static void lint_check_order(struct lint *l)
{
	uint64_t expected = 0;
	unsigned int i;

	for (i = 0; i < l->t->nr; i++) {
		const struct target *t = &l->t->targets[i];

		lint_check_bounds(l, t);
		if (t->start > expected)
			error(l, t, "Gap in table: nothing maps sectors %llu to %llu",
			      (unsigned long long)expected,
			      (unsigned long long)t->start - 1);
		else if (t->start < expected)
			error(l, t, "Overlap in table: begins at sector %llu, but the previous target ends at %llu",
			      (unsigned long long)t->start,
			      (unsigned long long)expected);
		expected = t->start + t->length;
	}
}

static void lint_check_type(struct lint *l, const struct target *t)
{
	if (target_is_zero(t) && *t->params)
		error(l, t, NOCLONE_ERR_ZERO_ARGS);
	if (target_is_noclone(t))
		return;
	if (t->kind != TARGET_OTHER)
		note(l, t, "%s is the kernel's stock target; noclone-%s takes the same arguments",
		     t->type, t->type);
	else if (str_starts(t->type, "noclone"))
		error(l, t, "unknown target type \"%s\": this version has " NOCLONE_LINEAR_NAME
		      ", " NOCLONE_STRIPED_NAME ", " NOCLONE_ZERO_NAME " and " NOCLONE_FILE_NAME,
		      t->type);
	else
		warning(l, t, "target \"%s\" is not of this module: its arguments are not checked",
			t->type);
	if (table_has_noclone(l->t))
		note(l, t, "what lies in a target of another module has no fast path");
}

static void lint_check_geometry(struct lint *l, const struct target *t)
{
	if (t->kind != TARGET_STRIPED)
		return;
	if (t->nr_legs == 1)
		note(l, t, "one stripe maps the same sectors as linear, but slower");
	if (t->chunk & (t->chunk - 1))
		note(l, t, "a chunk of %u sectors is not a power of two: mapping needs divisions",
		     t->chunk);
	if (t->chunk < 8)
		warning(l, t, "a chunk of %u sectors splits nearly every I/O", t->chunk);
}

static bool lint_is_number_pair(const char *name)
{
	return name[strspn(name, "0123456789:")] == 0;
}

static void lint_check_name(struct lint *l, const struct target *t, const char *name)
{
	if (*name != '/' && strchr(name, '='))
		warning(l, t, "dmsetup does not understand \"%s\", only noclone does",
			name);
}

/* Does the kernel give out such names in the order in which it finds disks? */
static bool lint_is_kernel_name(const char *name)
{
	static const char * const drivers[] = {
		"sd", "hd", "vd", "xvd", "nvme", "mmcblk", "loop", "nbd", "zd", "dm-", "ram",
		"pmem", "dasd", "rbd", "bcache",
	};
	unsigned int i;

	if (lint_is_number_pair(name))
		return true;
	for (i = 0; str_starts(name, "/dev/") && i < ARRAY_SIZE(drivers); i++)
		if (str_starts(name + strlen("/dev/"), drivers[i]))
			return true;
	/* not /dev/md/NAME */
	return str_starts(name, "/dev/md") && isdigit((unsigned char)name[strlen("/dev/md")]);
}

void lint_names(const struct table *t, struct findings *findings)
{
	unsigned int i, j;

	for (i = 0; i < t->nr; i++)
		for (j = 0; j < t->targets[i].nr_legs; j++) {
			const char *name = t->targets[i].legs[j].device;

			if (lint_is_kernel_name(name))
				finding_at(findings, FINDING_WARNING, t->targets[i].line,
					   "\"%s\" may be another device after a reboot: use its name in /dev/disk/by-id",
					   name);
		}
}

static void lint_check_size(struct lint *l, const struct target *t,
			    const struct leg *leg, const struct device_facts *f)
{
	_cleanup_free_ char *size = size_format(f->sectors);
	uint64_t end;

	if (__builtin_add_overflow(leg->start, target_leg_length(t), &end))
		error(l, t, "%s: start and length together overflow", leg->device);
	else if (leg->start >= f->sectors)
		error(l, t, "%s too small for target: begins at sector %llu, the device has %llu (%s)",
		      leg->device, (unsigned long long)leg->start,
		      (unsigned long long)f->sectors, size);
	else if (end > f->sectors)
		error(l, t, "%s too small for target: needs %llu sectors, the device has %llu (%s)",
		      leg->device, (unsigned long long)end,
		      (unsigned long long)f->sectors, size);
}

static void lint_check_alignment(struct lint *l, const struct target *t,
				 const struct leg *leg, const struct device_facts *f)
{
	uint64_t block = f->logical_block >> SECTOR_SHIFT;

	if (leg->start % block)
		error(l, t, "%s: start %llu not aligned to its logical block of %u bytes",
		      leg->device, (unsigned long long)leg->start,
		      f->logical_block);
	if (t->start % block || t->length % block)
		error(l, t, "%s: the target's borders are not aligned to the device's logical block of %u bytes",
		      leg->device, f->logical_block);
	if (t->chunk % block)
		error(l, t, "%s: a chunk of %u sectors is not a multiple of its logical block of %u bytes",
		      leg->device, t->chunk, f->logical_block);
	if (f->physical_block > f->logical_block &&
	    leg->start % (f->physical_block >> SECTOR_SHIFT))
		warning(l, t, "%s: start %llu not aligned to its physical block of %u bytes: writes will be slow",
			leg->device, (unsigned long long)leg->start,
			f->physical_block);
}

static void lint_check_zones(struct lint *l, const struct target *t,
			     const struct leg *leg, const struct device_facts *f)
{
	if (f->zone_sectors && (leg->start % f->zone_sectors ||
				target_leg_length(t) % f->zone_sectors))
		error(l, t, "%s: start and length must be whole zones of %llu sectors",
		      leg->device, (unsigned long long)f->zone_sectors);
}

static void lint_check_self(struct lint *l, const struct target *t,
			    const struct leg *leg, const struct device_facts *f)
{
	if (!l->self || !l->self->known)
		return;
	l->findings->check = CHECK_CYCLE;
	if (f->devno == l->self->devno)
		error(l, t, "%s is the device itself", leg->device);
	else if (l->src->stands_on(l->src, f->devno, l->self->devno))
		error(l, t, "%s is built on the device itself", leg->device);
	l->findings->check = NULL;
}

bool lint_is_cycle(const struct findings *findings)
{
	unsigned int i;

	for (i = 0; i < findings->nr; i++) {
		const char *check = findings->finding[i].check;

		if (check && !strcmp(check, CHECK_CYCLE))
			return true;
	}
	return false;
}

static void lint_place_leg(struct lint *l, const struct target *t,
			   const struct leg *leg, const struct device_facts *f)
{
	struct placed_leg *p;

	GROW(l->placed, l->nr_placed);
	p = &l->placed[l->nr_placed++];
	p->target = t;
	p->leg = leg;
	p->facts = *f;
	p->first = f->offset + leg->start;
	p->end = p->first + target_leg_length(t);
}

static void lint_check_leg(struct lint *l, const struct target *t,
			   const struct leg *leg)
{
	struct device_facts f;
	int r;

	lint_check_name(l, t, leg->device);
	if (!l->src)
		return;
	r = l->src->lookup(l->src, leg->device, &f);
	if (r) {
		error(l, t, NOCLONE_ERR_DEVICE ": \"%s\": %s",
		      leg->device, strerror(-r));
		return;
	}
	lint_check_size(l, t, leg, &f);
	lint_check_alignment(l, t, leg, &f);
	lint_check_zones(l, t, leg, &f);
	lint_check_self(l, t, leg, &f);
	lint_place_leg(l, t, leg, &f);
}

static void lint_compare_legs(struct lint *l, const struct placed_leg *a,
			      const struct placed_leg *b)
{
	if (!facts_share_disk(&a->facts, &b->facts))
		return;
	if (a->facts.devno == b->facts.devno && a->leg->start == b->leg->start)
		error(l, b->target, "%s from sector %llu is used twice (also in line %u)",
		      b->leg->device, (unsigned long long)b->leg->start,
		      a->target->line);
	else if (a->first < b->end && b->first < a->end && a->facts.disk != b->facts.disk)
		error(l, b->target, "%s and %s are two paths of one disk (%s), and overlap there: use its dm-multipath device, which multipathd makes",
		      a->leg->device, b->leg->device, a->facts.wwid);
	else if (a->first < b->end && b->first < a->end)
		error(l, b->target, "%s and %s overlap on the same disk (also in line %u)",
		      a->leg->device, b->leg->device, a->target->line);
	else if (a->target == b->target)
		warning(l, b->target, "%s and %s are on the same disk: striping over them makes it seek",
			a->leg->device, b->leg->device);
}

static void lint_compare_blocks(struct lint *l)
{
	unsigned int i;

	for (i = 1; i < l->nr_placed; i++) {
		const struct placed_leg *a = &l->placed[0], *b = &l->placed[i];

		if (a->facts.logical_block == b->facts.logical_block)
			continue;
		warning(l, b->target, "%s and %s have different logical blocks (%u and %u bytes): the larger one counts for all",
			a->leg->device, b->leg->device, a->facts.logical_block,
			b->facts.logical_block);
		return;
	}
}

void lint_table(const struct table *t, const struct facts_source *src,
		const struct self_device *self, struct findings *findings)
{
	struct lint l = { t, src, self, findings, NULL, 0 };
	unsigned int i, j;

	lint_check_order(&l);
	for (i = 0; i < t->nr; i++) {
		lint_check_type(&l, &t->targets[i]);
		if (!t->targets[i].understood)
			continue;
		lint_check_geometry(&l, &t->targets[i]);
		for (j = 0; j < t->targets[i].nr_legs; j++)
			lint_check_leg(&l, &t->targets[i], &t->targets[i].legs[j]);
	}

	for (i = 0; i < l.nr_placed; i++)
		for (j = i + 1; j < l.nr_placed; j++)
			lint_compare_legs(&l, &l.placed[i], &l.placed[j]);
	lint_compare_blocks(&l);
	lint_files(t, src, self, findings);

	for (i = 0; i < l.nr_placed; i++)
		facts_free(&l.placed[i].facts);
	free(l.placed);
}
