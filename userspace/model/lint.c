// SPDX-License-Identifier: GPL-2.0-only
/*
 * The checks of a table have three layers. The first layer checks the table alone (gaps, overlaps,
 * overflow). The second layer compares each leg with its device, and each target with its backing
 * file (size, alignment). The third layer compares the legs, and the parts of backing files, with
 * each other: two legs on the same sectors corrupt data, and the kernel does not detect such legs.
 */
#include "model/lint.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "noclone-refusals.h"
#include "dm-noclone.h"
#include "base/util.h"
#include "model/file-engine.h"
#include "model/file-map.h"
#include "model/finding.h"
#include "model/name.h"
#include "model/table-target.h"

/* A leg, or the part of a backing file that a target maps, with facts for comparisons. */
struct placed {
	const struct target *target;
	char *name;		/* the device of a leg, or the encoded path of a file */
	struct device_facts device;
	struct file_facts facts;
	struct disk_range range;	/* the used sectors of the whole disk or of the file */
};

struct lint {
	const struct table *t;
	const struct facts_source *src;
	dev_t self;
	struct findings *findings;
	bool cycle;
	struct placed *placed;
	unsigned int nr;
};

#define lint_error(l, target, ...) \
	finding_at((l)->findings, FINDING_ERROR, (target)->line, __VA_ARGS__)
#define lint_warning(l, target, ...) \
	finding_at((l)->findings, FINDING_WARNING, (target)->line, __VA_ARGS__)
#define file_error(l, f, fmt, ...) \
	lint_error(l, (f)->target, "%s: " fmt, (f)->name, ##__VA_ARGS__)
#define file_warning(l, f, fmt, ...) \
	lint_warning(l, (f)->target, "%s: " fmt, (f)->name, ##__VA_ARGS__)

static uint64_t lint_end(uint64_t start, uint64_t length)
{
	uint64_t end;

	return __builtin_add_overflow(start, length, &end) ? UINT64_MAX : end;
}

/* Check that the target begins at @expected, where the target before it ends. */
static void lint_begin(struct lint *l, const struct target *t, uint64_t expected)
{
	const char *what = t->start > expected ? "Gap" : "Overlap";

	if (t == l->t->targets && t->start)
		lint_error(l, t, "Gap in table: the first target begins at sector %llu, and has to begin at sector 0",
			   (unsigned long long)t->start);
	else if (t->start != expected)
		lint_error(l, t, "%s in table: the target begins at sector %llu, but the previous target ends at sector %llu",
			   what, (unsigned long long)t->start, (unsigned long long)expected);
}

static void lint_order(struct lint *l)
{
	uint64_t expected = 0;
	unsigned int i;

	for (i = 0; i < l->t->nr; i++) {
		const struct target *t = &l->t->targets[i];

		if (!t->length)
			lint_error(l, t, "the target has the length 0");
		else if (lint_end(t->start, t->length) > TABLE_MAX_SECTORS)
			lint_error(l, t, "the device is too large: the target ends after sector %llu",
				   (unsigned long long)TABLE_MAX_SECTORS);
		lint_begin(l, t, expected);
		expected = t->start + t->length;
	}
}

static bool lint_is_misspelt(const struct target *t)
{
	return !strncasecmp(t->type, "noclone", strlen("noclone"));
}

static void lint_type(struct lint *l, const struct target *t)
{
	if (target_is_zero(t) && *t->params)
		lint_error(l, t, NOCLONE_ERR_ZERO_ARGS);
	if (t->kind == TARGET_OTHER && !target_is_noclone(t) && lint_is_misspelt(t))
		lint_error(l, t, "unknown target type \"%s\": this version of dm-noclone has "
			   NOCLONE_LINEAR_NAME ", " NOCLONE_STRIPED_NAME ", " NOCLONE_ZERO_NAME
			   " and " NOCLONE_FILE_NAME, t->type);
}

/* Checks of legs. */

static void lint_leg_size(struct lint *l, const struct target *t, const struct leg *leg,
			  const struct device_facts *f)
{
	uint64_t end = lint_end(leg->start, target_leg_length(t));
	_cleanup_free_ char *size = size_format(f->sectors);

	if (end > f->sectors)
		lint_error(l, t, "%s is too small for the target: the target needs %llu sectors, and the device has %llu sectors (%s)",
			   leg->device, (unsigned long long)end, (unsigned long long)f->sectors,
			   size);
}

static void lint_leg_alignment(struct lint *l, const struct target *t, const struct leg *leg,
			       const struct device_facts *f)
{
	uint64_t block = f->logical_block >> SECTOR_SHIFT;

	if (leg->start % block || t->start % block || t->length % block || t->chunk % block)
		lint_error(l, t, "%s has logical blocks of %u bytes: the start on this device, the start and length of the target, and the chunk have to be multiples of this size",
			   leg->device, f->logical_block);
	else if (leg->start % (f->physical_block >> SECTOR_SHIFT))
		lint_warning(l, t, "%s: the start sector %llu on this device is not a multiple of the physical block of %u bytes: writes will be slow",
			     leg->device, (unsigned long long)leg->start, f->physical_block);
	if (f->zone_sectors && (leg->start % f->zone_sectors ||
				target_leg_length(t) % f->zone_sectors))
		lint_error(l, t, "%s has zones of %llu sectors: the start and the length on this device have to be multiples of this size",
			   leg->device, (unsigned long long)f->zone_sectors);
}

/*
 * Is this disk the device that gets the table, or is this disk built on the device that gets the
 * table?
 */
static bool lint_is_on_self(const struct lint *l, dev_t disk)
{
	return l->self && disk &&
	       (disk == l->self || l->src->stands_on(disk, l->self));
}

static void lint_add(struct lint *l, const struct placed *p)
{
	GROW(l->placed, l->nr);
	l->placed[l->nr++] = *p;
}

static void lint_leg(struct lint *l, const struct target *t, const struct leg *leg)
{
	struct placed p = { .target = t };
	int r = l->src->lookup(leg->device, &p.device);
	_cleanup_free_ char *path = NULL;

	if (r) {
		path = facts_suggest_path(l->src, leg->device);
		lint_error(l, t, NOCLONE_ERR_DEVICE ": \"%s\": %s%s%s", leg->device, facts_error(r),
			   path ? ": the device is " : "", path ? path : "");
		return;
	}
	lint_leg_size(l, t, leg, &p.device);
	lint_leg_alignment(l, t, leg, &p.device);
	if (lint_is_on_self(l, p.device.devno)) {
		lint_error(l, t, "%s is the device that gets this table, or is built on this device", leg->device);
		l->cycle = true;
	}
	p.name = xstrdup(strchr(leg->device, '/') ? leg->device : p.device.path);
	p.range = facts_range(&p.device, leg->start, target_leg_length(t));
	lint_add(l, &p);
}

/*
 * Report two legs whose ranges of sectors overlap, if both legs are on one disk. If two connections
 * lead to a disk, the disk is present as two devices with the same wwid.
 */
static void lint_two_legs(struct lint *l, const struct placed *a, const struct placed *b)
{
	const char *wwid = a->device.wwid, *other = b->device.wwid;

	if (a->range.disk == b->range.disk)
		lint_error(l, b->target, "%s and %s overlap on the same disk (see also line %u)",
			   a->name, b->name, a->target->line);
	else if (wwid && other && !strcmp(wwid, other))
		lint_error(l, b->target, "%s and %s are two paths of one disk (%s), and the table uses some sectors of the disk twice: use the dm-multipath device of the disk, which multipathd makes",
			   a->name, b->name, wwid);
}

/* Checks of backing files. */

static void lint_file_size(struct lint *l, const struct placed *f)
{
	uint64_t sectors = f->facts.bytes >> SECTOR_SHIFT;
	_cleanup_free_ char *size = size_format(sectors);

	if (f->range.end > sectors)
		file_error(l, f, NOCLONE_ERR_SHORT " (%llu sectors are needed, and the file has %llu sectors: %s)",
			   (unsigned long long)f->range.end, (unsigned long long)sectors, size);
}

/* Check that the used range of the file has the alignment that the engine requires. */
static void lint_file_alignment(struct lint *l, const struct placed *f)
{
	const struct target *t = f->target;
	uint64_t block = f->facts.align >> SECTOR_SHIFT;

	if (t->engine != ENGINE_DIRECT && t->engine != ENGINE_EXTENT)
		return;
	if (!block)
		file_error(l, f, NOCLONE_ERR_NO_DIRECT);
	else if (f->range.first % block || t->start % block || t->length % block)
		file_error(l, f, NOCLONE_ERR_ALIGN ": %u bytes", f->facts.align);
}

static void lint_file_map(struct lint *l, const struct placed *f)
{
	const struct file_map *map = &f->facts.map;
	_cleanup_free_ char *gaps = size_format_short(map->gap_bytes >> SECTOR_SHIFT);

	if (!map->known)
		file_warning(l, f, "the file system does not report extents, so the file may have holes, which engine extent does not support");
	if (map->nr_gaps)
		file_error(l, f, "File has holes or unwritten extents (%s): fill them (noclone create --allocate), or use engine direct",
			   gaps);
	if (map->shared)
		file_error(l, f, "File shares extents with another file: copy the file (cp --reflink=never), or use engine direct");
	if (map->elsewhere)
		file_error(l, f, "File is inline, compressed or encrypted: use engine direct or buffered");
}

/* Check a file for the engine extent, which uses only whole pages of the file. */
static void lint_file_extent(struct lint *l, const struct placed *f)
{
	uint64_t page = sysconf(_SC_PAGESIZE);
	uint64_t pages = f->facts.bytes / page * (page >> SECTOR_SHIFT);

	if (!f->facts.disk || f->facts.disk != f->facts.id.filesystem)
		file_error(l, f, NOCLONE_ERR_NO_PIN);
	if (f->facts.block && f->facts.block < page)
		file_error(l, f, NOCLONE_ERR_SMALL_BLOCKS);
	if (f->range.end > pages && f->range.end <= f->facts.bytes >> SECTOR_SHIFT)
		file_error(l, f, "engine extent uses only whole pages, and the last page of the file has less than %llu bytes: make the file longer or the target shorter",
			   (unsigned long long)page);
	lint_file_map(l, f);
}

/*
 * Warn if the free space of the file system is not enough for all blocks of the file: when the
 * space is used up, writes to this file and to other files fail.
 */
static void lint_file_room(struct lint *l, const struct placed *f)
{
	uint64_t sectors = f->facts.bytes >> SECTOR_SHIFT, room = f->facts.free >> SECTOR_SHIFT;
	uint64_t growth = sectors - MIN(sectors, f->facts.allocated);
	_cleanup_free_ char *missing = size_format_short(growth);
	_cleanup_free_ char *left = size_format_short(room);

	if (f->facts.has_free && growth > room)
		file_warning(l, f, "the file may grow by %s, and its file system has %s free: writes will fail when the file system is full",
			     missing, left);
}

static void lint_file_engine(struct lint *l, const struct placed *f)
{
	if (engine_is_debug(f->target->engine))
		file_error(l, f, "engine %s cannot be used (%s): use engine buffered",
			   engines[f->target->engine].name, engines[f->target->engine].meaning);
	if (f->target->engine == ENGINE_EXTENT)
		lint_file_extent(l, f);
	else
		lint_file_room(l, f);
}

static void lint_file_found(struct lint *l, const struct placed *f)
{
	if (f->facts.problem) {
		file_error(l, f, "%s", f->facts.problem);
		return;
	}
	lint_file_size(l, f);
	lint_file_alignment(l, f);
	lint_file_engine(l, f);
	if (lint_is_on_self(l, f->facts.disk)) {
		file_error(l, f, NOCLONE_ERR_OWN_FS);
		l->cycle = true;
	}
}

static void lint_file(struct lint *l, const struct target *t)
{
	struct placed f = {
		.target = t,
		.name = name_encode_path(t->path),
		.range = { 0, t->legs->start, lint_end(t->legs->start, t->length) },
	};
	int r = l->src->lookup_file(l->src, t->path, t->engine == ENGINE_EXTENT, &f.facts);

	if (r) {
		_cleanup_free_ char *why = facts_file_error(&f.facts, r);

		if (f.facts.silence)
			file_error(l, &f, "%s", why);
		else
			lint_error(l, t, NOCLONE_ERR_NOT_FOUND ": \"%s\": %s", f.name, why);
		facts_free_file(&f.facts);
		free(f.name);
		return;
	}
	lint_file_found(l, &f);
	lint_add(l, &f);
}

static void lint_two_files(struct lint *l, const struct placed *a, const struct placed *b,
			   bool overlap)
{
	if (!file_id_same(&a->facts.id, &b->facts.id))
		return;
	if (overlap)
		file_error(l, b, "sectors of the file are used twice (see also line %u)",
			   a->target->line);
	if ((a->target->engine == ENGINE_EXTENT) != (b->target->engine == ENGINE_EXTENT))
		file_error(l, b, NOCLONE_ERR_MIXED_ENGINES " (see line %u)", a->target->line);
	else if (a->target->engine != b->target->engine)
		finding_at(l->findings, l->t->saved ? FINDING_WARNING : FINDING_ERROR,
			   b->target->line, "%s: engine %s here and engine %s in line %u may write to the same page of the file, so data can be lost: give all targets of the file the same engine",
			   b->name, engines[b->target->engine].name,
			   engines[a->target->engine].name, a->target->line);
}

static void lint_target(struct lint *l, const struct target *t)
{
	unsigned int i;

	lint_type(l, t);
	if (!t->understood || !l->src)
		return;
	for (i = 0; i < t->nr_legs; i++)
		if (t->path)
			lint_file(l, t);
		else
			lint_leg(l, t, &t->legs[i]);
}

/* Compare two legs, or the used parts of two files. Return: true if a finding was added. */
static bool lint_pair(struct lint *l, const struct placed *a, const struct placed *b)
{
	const bool overlap = a->range.first < b->range.end && b->range.first < a->range.end;
	unsigned int before = l->findings->nr;

	if (a->target->path && b->target->path)
		lint_two_files(l, a, b, overlap);
	else if (overlap && !a->target->path && !b->target->path)
		lint_two_legs(l, a, b);
	return l->findings->nr > before;
}

/*
 * Compare each leg or file with all earlier ones, until there is a finding about it. So each leg is
 * reported at most once, even if a thousand legs overlap.
 */
static void lint_pairs(struct lint *l)
{
	unsigned int i, j;

	for (j = 1; j < l->nr; j++)
		for (i = 0; i < j && !lint_pair(l, &l->placed[i], &l->placed[j]);)
			i++;
}

static void lint_free(struct lint *l)
{
	unsigned int i;

	for (i = 0; i < l->nr; i++) {
		facts_free(&l->placed[i].device);
		facts_free_file(&l->placed[i].facts);
		free(l->placed[i].name);
	}
	free(l->placed);
}

bool lint_table(const struct table *t, const struct facts_source *src, dev_t self,
		struct findings *findings)
{
	struct lint l = { .t = t, .src = src, .self = self, .findings = findings };
	unsigned int i, before = findings_count(findings, FINDING_ERROR);

	lint_order(&l);
	for (i = 0; i < t->nr; i++)
		lint_target(&l, &t->targets[i]);
	/* the kernel makes the checks above as well, but not the checks of lint_pairs() */
	findings->kernel_refuses = findings_count(findings, FINDING_ERROR) > before;
	lint_pairs(&l);
	lint_free(&l);
	return l.cycle;
}

void lint_types(const struct table *t, enum finding_level level, struct findings *findings)
{
	unsigned int i;

	for (i = 0; i < t->nr; i++)
		if (t->targets[i].secret && !lint_is_misspelt(&t->targets[i]))
			finding_at(findings, level, t->targets[i].line,
				   "target \"%s\" is not a target of dm-noclone: noclone checks neither its arguments nor whether its devices are in use",
				   t->targets[i].type);
}

/*
 * Does the kernel give this name, such as "8:0" or "/dev/sda", to disks in the order in which the
 * kernel finds the disks?
 */
static bool lint_is_kernel_name(const char *name)
{
	return !name[strspn(name, "0123456789:")] ||
	       (str_starts(name, "/dev/") && !strchr(name + strlen("/dev/"), '/'));
}

void lint_names(const struct table *t, const struct facts_source *src, struct findings *findings)
{
	struct target *target = NULL;
	unsigned int i;

	while ((target = table_next_leg(t, target, &i))) {
		const char *name = target->legs[i].device;
		_cleanup_facts_ struct device_facts f = { 0 };

		if (!target->path && lint_is_kernel_name(name) && !src->lookup(name, &f))
			finding_at(findings, FINDING_WARNING, target->line,
				   "\"%s\" may be another device after a reboot: use its name in /dev/disk/by-id",
				   name);
	}
}
