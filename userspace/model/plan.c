// SPDX-License-Identifier: GPL-2.0-only
/* Lay out a table over devices. */
#include "model/plan.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "noclone-refusals.h"
#include "base/size.h"
#include "base/util.h"
#include "model/name.h"
#include "model/table.h"

static bool plan_is_number_pair(const char *text)
{
	const char *colon = strchr(text, ':');

	return colon && colon != text && colon[1] &&
	       !text[strspn(text, "0123456789:")] && !strchr(colon + 1, ':');
}

/* START, START+LEN or +LEN */
static const char *plan_parse_range(char *range, struct leg_spec *spec)
{
	char *plus = strchr(range, '+');
	const char *wrong = NULL;

	if (plus)
		*plus++ = 0;
	if (*range || !plus)
		wrong = size_parse(range, &spec->start);
	if (!wrong && plus) {
		wrong = size_parse(plus, &spec->length);
		if (!wrong && !spec->length)
			wrong = "a length of 0";
	}
	return wrong;
}

/*
 * Is the text after the last colon a range rather than a part of a name?  A
 * number with a unit, or a plus sign, is one.
 */
static bool plan_looks_like_range(const char *text)
{
	uint64_t sectors;
	size_t digits;

	if (strchr(text, '+') || !size_parse(text, &sectors))
		return true;
	digits = strspn(text, "0123456789");
	return digits && (!text[digits] || !strchr(text, '-')) &&
	       !strchr(text, '.');
}

const char *leg_spec_parse(struct leg_spec *spec, const char *text)
{
	const char *colon = strrchr(text, ':');

	memset(spec, 0, sizeof(*spec));
	if (colon && colon[1] && !plan_is_number_pair(text) &&
	    plan_looks_like_range(colon + 1)) {
		_cleanup_free_ char *range = xstrdup(colon + 1);

		spec->device = xstrndup(text, colon - text);
		if (colon == text)
			return "an empty device name";
		return plan_parse_range(range, spec);
	}
	spec->device = xstrdup(text);
	return *text ? NULL : "an empty device name";
}

static const char *plan_lookup_problem(const char *name, int r)
{
	if (r == -ENOTBLK)
		return "it is not a block device";
	if (r == -EACCES || r == -EPERM)
		return "only root may open it";
	if (r != -ENOENT)
		return strerror(-r);
	if (strchr(name, '='))
		return "no device has that: \"lsblk --fs\" shows what there is";
	if (!strchr(name, '/'))
		return "no such file: give its path, as in /dev/sda";
	return "no such file";
}

/* A leg with the facts about its device, and its final length. */
struct planned_leg {
	const struct leg_spec *spec;
	struct device_facts facts;
	uint64_t length;
};

static void plan_report_too_small(struct findings *findings,
				  const struct leg_spec *spec, uint64_t sectors)
{
	_cleanup_free_ char *length = size_format(spec->length);
	_cleanup_free_ char *start = size_format(spec->start);
	_cleanup_free_ char *has = size_format(sectors);

	if (spec->length)
		finding_at(findings, FINDING_ERROR, 0,
			   "%s too small: it has %s, and %s from %s on are requested",
			   spec->device, has, length, start);
	else
		finding_at(findings, FINDING_ERROR, 0,
			   "%s too small: it has %s, and the part begins at %s",
			   spec->device, has, start);
}

static bool plan_leg(struct planned_leg *leg, const struct leg_spec *spec,
		     const struct facts_source *src, struct findings *findings)
{
	int r = src->lookup(src, spec->device, &leg->facts);
	uint64_t sectors = leg->facts.sectors;

	leg->spec = spec;
	if (r) {
		memset(&leg->facts, 0, sizeof(leg->facts));
		finding_at(findings, FINDING_ERROR, 0,
			   NOCLONE_ERR_DEVICE ": \"%s\": %s",
			   spec->device, plan_lookup_problem(spec->device, r));
		return false;
	}
	if (spec->start >= sectors || spec->length > sectors - spec->start) {
		plan_report_too_small(findings, spec, sectors);
		return false;
	}
	leg->length = spec->length ? spec->length : sectors - spec->start;
	return true;
}

static uint64_t plan_largest_block(const struct planned_leg *legs, unsigned int nr)
{
	uint64_t block = 1;
	unsigned int i;

	for (i = 0; i < nr; i++)
		block = MAX(block, legs[i].facts.logical_block >> SECTOR_SHIFT);
	return block;
}

static void plan_report_unused(struct findings *findings, const struct planned_leg *leg,
			       uint64_t used, const char *why)
{
	_cleanup_free_ char *left = size_format(leg->length - used);

	if (used < leg->length)
		finding_at(findings, FINDING_WARNING, 0,
			   "%s: the last %s stay unused: %s",
			   leg->spec->device, left, why);
}

static void plan_linear(const struct plan_request *req,
			const struct planned_leg *legs, struct table *t,
			struct findings *findings)
{
	uint64_t block = plan_largest_block(legs, req->nr_legs), at = 0;
	_cleanup_free_ char *block_size = size_format(block);
	unsigned int i;

	for (i = 0; i < req->nr_legs; i++) {
		uint64_t used = legs[i].length / block * block;
		struct target *target;

		plan_report_unused(findings, &legs[i], used,
				   "a segment ends at a whole logical block");
		if (!used) {
			finding_at(findings, FINDING_ERROR, 0,
				   "%s: smaller than a logical block of %s",
				   legs[i].spec->device, block_size);
			continue;
		}
		target = table_add_target(t, at, used, NOCLONE_LINEAR_NAME);
		target_add_leg(target, legs[i].facts.path, legs[i].spec->start);
		target->no_fastpath = req->no_fastpath;
		at += used;
	}
}

static void plan_striped(const struct plan_request *req,
			 const struct planned_leg *legs, struct table *t,
			 struct findings *findings)
{
	uint64_t block = plan_largest_block(legs, req->nr_legs);
	uint64_t smallest = UINT64_MAX, used, total;
	struct target *target;
	unsigned int i;

	for (i = 0; i < req->nr_legs; i++)
		smallest = MIN(smallest, legs[i].length);
	used = smallest / req->chunk * req->chunk;
	if (req->chunk % block || !used) {
		_cleanup_free_ char *limit = size_format(used ? block : smallest);

		finding_at(findings, FINDING_ERROR, 0, "%s, %s: another --chunk fits",
			   used ? "The chunk is not a multiple of the largest logical block"
				 : "The chunk is larger than the smallest leg", limit);
		return;
	}
	if (__builtin_mul_overflow(used, (uint64_t)req->nr_legs, &total)) {
		finding_at(findings, FINDING_ERROR, 0, "too large device");
		return;
	}

	target = table_add_target(t, 0, total, NOCLONE_STRIPED_NAME);
	target->chunk = req->chunk;
	target->no_fastpath = req->no_fastpath;
	for (i = 0; i < req->nr_legs; i++) {
		target_add_leg(target, legs[i].facts.path, legs[i].spec->start);
		plan_report_unused(findings, &legs[i], used,
				   "every stripe is as long as the smallest, in whole chunks");
	}
}

static bool plan_check_request(const struct plan_request *req,
			       struct findings *findings)
{
	const char *wrong = NULL;

	if (req->kind == TARGET_STRIPED && !req->chunk)
		wrong = "A striped device needs --chunk SIZE, for example --chunk 64K";
	else if (req->kind == TARGET_LINEAR && req->chunk)
		wrong = "--chunk is for striped devices";
	else if (req->chunk > UINT32_MAX)
		wrong = "The chunk is larger than 2T";
	if (wrong)
		finding_at(findings, FINDING_ERROR, 0, "%s", wrong);
	return !wrong;
}

void plan_table(const struct plan_request *req, const struct facts_source *src,
		struct table *t, struct findings *findings)
{
	struct planned_leg *legs;
	bool good = plan_check_request(req, findings);
	unsigned int i;

	legs = xzalloc(sizeof(*legs) * (req->nr_legs + 1));
	for (i = 0; i < req->nr_legs; i++)
		good &= plan_leg(&legs[i], &req->legs[i], src, findings);
	if (good && req->kind == TARGET_LINEAR)
		plan_linear(req, legs, t, findings);
	else if (good)
		plan_striped(req, legs, t, findings);

	for (i = 0; i < req->nr_legs; i++)
		facts_free(&legs[i].facts);
	free(legs);
}

void plan_request_free(struct plan_request *req)
{
	unsigned int i;

	for (i = 0; i < req->nr_legs; i++)
		free(req->legs[i].device);
	free(req->legs);
}

/*
 * Lay out a noclone-file table, and decide what to do to the file: it may be
 * created, grown and filled, but it never shrinks and loses no data.
 */
#define error(findings, req, fmt, ...)					\
do {									\
	_cleanup_free_ char *name_ = path_encode((req)->path);		\
									\
	finding_at(findings, FINDING_ERROR, 0, "%s: " fmt, name_,	\
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
				    uint64_t unit, struct findings *findings)
{
	_cleanup_free_ char *name = path_encode(req->path);

	if (left)
		finding_at(findings, FINDING_WARNING, 0,
			   "%s: the last %llu bytes stay unused: engine %s needs whole units of %llu",
			   name, (unsigned long long)left,
			   engine_name(req->engine), (unsigned long long)unit);
}

static void plan_file_lay_out(const struct file_request *req, const struct file_facts *f,
			      struct table *t, struct findings *findings)
{
	uint64_t unit = plan_file_unit_of(req, f), left = f->bytes % unit;
	uint64_t end = (f->bytes - left) >> SECTOR_SHIFT;
	struct target *target;

	if (!end) {
		error(findings, req, "no sectors left: it is smaller than the %llu bytes that engine %s needs",
		      (unsigned long long)unit, engine_name(req->engine));
		return;
	}
	plan_file_report_unused(req, left, unit, findings);
	target = table_add_target(t, 0, end, NOCLONE_FILE_NAME);
	target->path = xstrdup(f->path);
	target->engine = req->engine;
	target->engine_given = req->engine_given;
	target->no_fastpath = req->no_fastpath;
}

void plan_file(const struct file_request *req, const struct facts_source *src,
	       struct table *t, struct findings *findings)
{
	_cleanup_file_facts_ struct file_facts f = { 0 };
	int r = src->lookup_file(src, req->path, false, &f);
	const char *wrong = r ? strerror(-r) : file_kind_problem(f.kind);

	if (wrong)
		error(findings, req, "%s", wrong);
	else
		plan_file_lay_out(req, &f, t, findings);
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

/*
 * Which chunk suits the devices below a striped one:
 * Documentation/admin-guide/device-mapper/noclone-striped.rst says why.
 */
#define USUAL	(256U << 10)
/* What a device calls optimal may be nonsense, such as 65535 sectors. */
#define LARGEST	(1U << 20)
#define LEAST	4096U

static bool plan_chunk_is_power(uint32_t bytes)
{
	return bytes && !(bytes & (bytes - 1));
}

/* The largest power of two that is not more than @n, which is not 0. */
static uint64_t plan_chunk_round_down_to_power(uint64_t n)
{
	while (n & (n - 1))
		n &= n - 1;
	return n;
}

/* What a chunk should be a multiple of, if that is reasonable */
static uint32_t plan_chunk_preferred(const struct device_facts *f)
{
	const uint32_t wish[] = {
		f->physical_block, f->minimum_io, f->optimal_io, f->discard_granularity,
	};
	uint32_t most = LEAST;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(wish); i++)
		if (plan_chunk_is_power(wish[i]) && wish[i] <= LARGEST)
			most = MAX(most, wish[i]);
	return most;
}

struct chunk_choice chunk_choose(const struct device_facts *f, unsigned int nr,
				 uint64_t smallest)
{
	uint64_t chunk = USUAL, room = smallest << SECTOR_SHIFT;
	const char *why = "larger than most I/O, so that little of it crosses a border";
	unsigned int i;

	for (i = 0; i < nr; i++) {
		if (plan_chunk_preferred(&f[i]) <= chunk)
			continue;
		chunk = plan_chunk_preferred(&f[i]);
		why = "the block, or the I/O or discard size, that a device prefers";
	}
	if (room && room < chunk) {
		chunk = plan_chunk_round_down_to_power(room);
		why = "a leg is not larger";
	}
	return (struct chunk_choice) { chunk >> SECTOR_SHIFT, why };
}
