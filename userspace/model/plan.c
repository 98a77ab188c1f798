// SPDX-License-Identifier: GPL-2.0-only
/* Plan a table that maps devices or a backing file. */
#include "model/plan.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "dm-noclone.h"
#include "noclone-refusals.h"
#include "base/util.h"
#include "model/file-engine.h"
#include "model/finding.h"
#include "model/name.h"
#include "model/table-target.h"

/*
 * Parse START, START+LEN or +LEN. @start: the text before the plus sign; @plus: the text behind the
 * plus sign, or NULL if there is no plus sign
 */
static const char *plan_parse_range(struct leg_spec *spec, const char *start, const char *plus)
{
	const char *wrong = *start || !plus ? size_parse(start, &spec->start) : NULL;

	if (!wrong && plus)
		wrong = size_parse(plus, &spec->length);
	return !wrong && plus && !spec->length ? "the length is 0" : wrong;
}

/*
 * Does the text look like a range, and not like a part of a name such as "pci-0000:00:1f.2-ata-1"?
 * If a text that looks like a range has a mistake, the caller reports the mistake, and does not
 * take the text as a part of the name.
 */
static bool plan_looks_like_range(const char *text)
{
	const char *unit = text + strspn(text, "0123456789.");
	uint64_t sectors;

	return strchr(text, '+') || !size_parse(text, &sectors) ||
	       (isdigit((unsigned char)*text) && !strpbrk(*unit ? unit : text, ".-"));
}

const char *plan_parse_leg(struct leg_spec *spec, const char *text)
{
	const char *colon = strrchr(text, ':');
	_cleanup_free_ char *range = xstrdup(colon ? colon + 1 : "");
	bool is_number = !text[strspn(text, "0123456789:")] && strchr(text, ':') == colon;
	char *plus = strchr(range, '+');

	*spec = (struct leg_spec) { 0 };
	if (!colon || is_number || !plan_looks_like_range(range))
		colon = text + strlen(text);
	spec->device = xstrndup(text, colon - text);
	if (plus)
		*plus++ = 0;
	if (colon == text)
		return "the name of the device is empty";
	return *colon ? plan_parse_range(spec, range, plus) : NULL;
}

/*
 * Choose the chunk of a striped device. The reasons for these numbers are in
 * Documentation/admin-guide/device-mapper/noclone-striped.rst.
 *
 * USUAL: the chunk in bytes if no device prefers a larger one.
 */
#define USUAL	(256U << 10)
/*
 * LARGEST: a device that prefers a larger size than this number of bytes does not change the chunk.
 * A device may report a useless optimal I/O size, such as 65535 sectors.
 */
#define LARGEST	(1U << 20)

static uint32_t plan_preferred_chunk(const struct device_facts *f)
{
	const uint32_t wish[] = {
		f->physical_block, f->minimum_io, f->optimal_io, f->discard_granularity,
	};
	uint32_t most = 0;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(wish); i++)
		if (!(wish[i] & (wish[i] - 1)) && wish[i] <= LARGEST)
			most = MAX(most, wish[i]);
	return most;
}

uint32_t plan_choose_chunk(uint32_t preferred, uint64_t smallest, const char **why)
{
	uint32_t chunk = MAX(USUAL, preferred) >> SECTOR_SHIFT;

	*why = preferred > USUAL ? "a device below prefers this size for its blocks, I/O or discards" :
				   "most I/O is smaller, so that little I/O crosses a border of a chunk";
	/* make the chunk smaller until it is not larger than the smallest leg */
	for (; chunk > smallest; chunk /= 2)
		*why = "a leg is too small for a larger chunk";
	return chunk;
}

/*
 * The limits of all devices together. @block: the largest logical block in sectors; @preferred: the
 * largest chunk in bytes that any of the devices prefers.
 */
struct plan_limits {
	uint64_t block;
	uint32_t preferred;
};

static void plan_complete_leg(struct leg_spec *leg, struct plan_limits *limits,
			      const struct facts_source *src, struct findings *findings)
{
	_cleanup_facts_ struct device_facts f = { 0 };
	int r = src->lookup(leg->device, &f);
	_cleanup_free_ char *has = size_format(f.sectors), *path = NULL;

	if (r) {
		path = facts_suggest_path(src, leg->device);
		finding_at(findings, FINDING_ERROR, 0, NOCLONE_ERR_DEVICE ": \"%s\": %s%s%s",
			   leg->device, facts_error(r), path ? "; use the path " : "",
			   path ? path : r == -ENOENT ? "; " LEG_SYNTAX : "");
		return;
	}
	if (leg->start >= f.sectors || leg->length > f.sectors - leg->start)
		finding_at(findings, FINDING_ERROR, 0, "%s is too small for the given START and LEN: the device has %s",
			   leg->device, has);
	else if (!leg->length)
		leg->length = f.sectors - leg->start;
	limits->block = MAX(limits->block, f.logical_block >> SECTOR_SHIFT);
	limits->preferred = MAX(limits->preferred, plan_preferred_chunk(&f));
	free(leg->device);
	leg->device = xstrdup(f.path);
}

static void plan_report_unused(struct findings *findings, const struct leg_spec *leg,
			       uint64_t used, const char *why)
{
	_cleanup_free_ char *left = size_format(leg->length - used);

	if (used < leg->length)
		finding_at(findings, FINDING_WARNING, 0, "%s: the last %s of the device stay unused, because %s",
			   leg->device, left, why);
}

static void plan_linear(const struct plan_request *req, uint64_t block, struct table *t,
			struct findings *findings)
{
	unsigned int i;

	for (i = 0; i < req->nr_legs; i++) {
		const struct leg_spec *leg = &req->legs[i];
		uint64_t used = leg->length / block * block;
		struct target *target;

		plan_report_unused(findings, leg, used, "the length of a linear target has to be a multiple of the logical block");
		if (!used) {
			finding_at(findings, FINDING_ERROR, 0,
				   "%s: the device is smaller than a logical block", leg->device);
			continue;
		}
		target = table_add_target(t, table_sectors(t), used, NOCLONE_LINEAR_NAME);
		target_add_leg(target, leg->device, leg->start);
		target->no_fastpath = req->no_fastpath;
	}
}

static void plan_striped(struct plan_request *req, uint32_t preferred, struct table *t,
			 struct findings *findings)
{
	uint64_t smallest = UINT64_MAX, used, total;
	_cleanup_free_ char *limit = NULL;
	struct target *target;
	unsigned int i;

	for (i = 0; i < req->nr_legs; i++)
		smallest = MIN(smallest, req->legs[i].length);
	limit = size_format(smallest);
	if (!req->chunk)
		req->chunk = plan_choose_chunk(preferred, smallest, &req->why);
	used = smallest / req->chunk * req->chunk;
	if (!used || __builtin_mul_overflow(used, (uint64_t)req->nr_legs, &total)) {
		finding_at(findings, FINDING_ERROR, 0, "The chunk is larger than the smallest leg, which has %s, or the new device is too large",
			   limit);
		return;
	}
	target = table_add_target(t, 0, total, NOCLONE_STRIPED_NAME);
	target->chunk = req->chunk;
	target->no_fastpath = req->no_fastpath;
	for (i = 0; i < req->nr_legs; i++) {
		target_add_leg(target, req->legs[i].device, req->legs[i].start);
		plan_report_unused(findings, &req->legs[i], used,
				   "all stripes have the length of the smallest device, rounded down to a multiple of the chunk");
	}
}

void plan_table(struct plan_request *req, const struct facts_source *src,
		struct table *t, struct findings *findings)
{
	struct plan_limits limits = { 1, 0 };
	unsigned int i;

	for (i = 0; i < req->nr_legs; i++)
		plan_complete_leg(&req->legs[i], &limits, src, findings);
	if (findings_count(findings, FINDING_ERROR))
		return;
	if (req->kind == TARGET_LINEAR)
		plan_linear(req, limits.block, t, findings);
	else
		plan_striped(req, limits.preferred, t, findings);
}

void plan_request_free(struct plan_request *req)
{
	unsigned int i;

	for (i = 0; i < req->nr_legs; i++)
		free(req->legs[i].device);
	free(req->legs);
}

/*
 * The functions below plan the table of a noclone-file device, and the change of its backing file.
 * The change may create, extend and fill the file, but it never makes the file smaller, and loses
 * no data.
 */
uint32_t plan_file_block(enum file_engine engine, const struct file_facts *f)
{
	return engine == ENGINE_DIRECT || engine == ENGINE_EXTENT ? MAX(SECTOR_SIZE, f->align) :
								    SECTOR_SIZE;
}

uint64_t plan_file_unit(enum file_engine engine, const struct file_facts *f)
{
	uint64_t unit = plan_file_block(engine, f);

	if (engine == ENGINE_EXTENT)
		unit = MAX(unit, (uint64_t)sysconf(_SC_PAGESIZE));
	return unit;
}

void plan_file(const struct file_request *req, const struct file_facts *f, struct table *t,
	       struct findings *findings)
{
	uint64_t unit = plan_file_unit(req->engine, f), left = f->bytes % unit;
	uint64_t end = (f->bytes - left) >> SECTOR_SHIFT;
	uint64_t length = end - MIN(end, req->offset);
	_cleanup_free_ char *name = name_encode_path(req->path);
	struct target *target;

	if (end && !length)
		finding_at(findings, FINDING_ERROR, 0,
			   "%s: --offset is too large: the file has only %llu bytes", name,
			   (unsigned long long)f->bytes);
	else if ((left && !req->limit) || !end)
		finding_at(findings, end ? FINDING_WARNING : FINDING_ERROR, 0,
			   "%s: engine %s uses whole units of %llu bytes, so the last %llu bytes of the file stay unused%s",
			   name, engines[req->engine].name, (unsigned long long)unit,
			   (unsigned long long)left,
			   end ? "" : ", and no sectors are left for the device");
	if (!length)
		return;
	if (req->limit)
		length = MIN(length, req->limit);
	target = table_add_target(t, 0, length, NOCLONE_FILE_NAME);
	target_add_leg(target, req->path, req->offset);
	target->engine = req->engine;
	target->engine_given = req->engine_given;
	target->no_fastpath = req->no_fastpath;
}

const char *plan_file_action(const struct file_request *req, const struct file_facts *f,
			     enum backing_action *action)
{
	*action = BACKING_KEEP;
	if (f && f->problem)
		return f->problem;
	if (!req->bytes && !(f && f->bytes))
		return f ? "it is empty: --size SIZE grows it" :
			   "no such file: --size SIZE creates it";
	if (f && req->bytes && f->bytes > req->bytes)
		return "File is larger than --size, and noclone never makes a file smaller";
	if (!f)
		*action = BACKING_CREATE;
	else if (req->bytes > f->bytes)
		*action = BACKING_GROW;
	if (*action != BACKING_KEEP && req->engine == ENGINE_EXTENT && !req->allocate)
		return "engine extent does not support holes: add --allocate, or --engine direct";
	return NULL;
}

const char *plan_file_facts(const struct file_request *req, struct file_facts *f)
{
	f->problem = NULL;
	f->bytes = MAX(f->bytes, req->bytes);
	if (!req->allocate)
		return NULL;
	if (f->has_free && f->bytes > f->free + (f->allocated << SECTOR_SHIFT))
		return "the file system has less free space than --allocate needs";
	f->allocated = f->bytes >> SECTOR_SHIFT;
	/* when holes are filled, shared extents and compressed extents stay */
	free(f->map.gap);
	f->map.gap = NULL;
	f->map.nr_gaps = 0;
	f->map.gap_bytes = 0;
	f->map.known = true;
	return NULL;
}
