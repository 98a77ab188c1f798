// SPDX-License-Identifier: GPL-2.0-only
/* Lay out a table over devices. */
#include "model/plan.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "noclone-refusals.h"
#include "base/size.h"
#include "base/util.h"

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

static void plan_report_too_small(struct problems *problems,
				  const struct leg_spec *spec, uint64_t sectors)
{
	_cleanup_free_ char *length = size_format(spec->length);
	_cleanup_free_ char *start = size_format(spec->start);
	_cleanup_free_ char *has = size_format(sectors);

	if (spec->length)
		problem_add(problems, PROBLEM_ERROR, 0,
			    "%s too small: it has %s, and %s from %s on are requested",
			    spec->device, has, length, start);
	else
		problem_add(problems, PROBLEM_ERROR, 0,
			    "%s too small: it has %s, and the part begins at %s",
			    spec->device, has, start);
}

static bool plan_leg(struct planned_leg *leg, const struct leg_spec *spec,
		     const struct facts_source *src, struct problems *problems)
{
	int r = src->lookup(src, spec->device, &leg->facts);
	uint64_t sectors = leg->facts.sectors;

	leg->spec = spec;
	if (r) {
		memset(&leg->facts, 0, sizeof(leg->facts));
		problem_add(problems, PROBLEM_ERROR, 0,
			    NOCLONE_ERR_DEVICE ": \"%s\": %s",
			    spec->device, plan_lookup_problem(spec->device, r));
		return false;
	}
	if (spec->start >= sectors || spec->length > sectors - spec->start) {
		plan_report_too_small(problems, spec, sectors);
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

static void plan_report_unused(struct problems *problems, const struct planned_leg *leg,
			       uint64_t used, const char *why)
{
	_cleanup_free_ char *left = size_format(leg->length - used);

	if (used < leg->length)
		problem_add(problems, PROBLEM_WARNING, 0,
			    "%s: the last %s stay unused: %s",
			    leg->spec->device, left, why);
}

static void plan_linear(const struct plan_request *req,
			const struct planned_leg *legs, struct table *t,
			struct problems *problems)
{
	uint64_t block = plan_largest_block(legs, req->nr_legs), at = 0;
	_cleanup_free_ char *block_size = size_format(block);
	unsigned int i;

	for (i = 0; i < req->nr_legs; i++) {
		uint64_t used = legs[i].length / block * block;
		struct target *target;

		plan_report_unused(problems, &legs[i], used,
				   "a segment ends at a whole logical block");
		if (!used) {
			problem_add(problems, PROBLEM_ERROR, 0,
				    "%s: smaller than a logical block of %s",
				    legs[i].spec->device, block_size);
			continue;
		}
		target = table_add_noclone(t, TARGET_LINEAR, at, used);
		target_add_leg(target, legs[i].facts.path, legs[i].spec->start);
		target->no_fastpath = req->no_fastpath;
		at += used;
	}
}

static void plan_striped(const struct plan_request *req,
			 const struct planned_leg *legs, struct table *t,
			 struct problems *problems)
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

		problem_add(problems, PROBLEM_ERROR, 0, "%s, %s: another --chunk fits",
			    used ? "The chunk is not a multiple of the largest logical block"
				 : "The chunk is larger than the smallest leg", limit);
		return;
	}
	if (__builtin_mul_overflow(used, (uint64_t)req->nr_legs, &total)) {
		problem_add(problems, PROBLEM_ERROR, 0, "too large device");
		return;
	}

	target = table_add_noclone(t, TARGET_STRIPED, 0, total);
	target->chunk = req->chunk;
	target->no_fastpath = req->no_fastpath;
	for (i = 0; i < req->nr_legs; i++) {
		target_add_leg(target, legs[i].facts.path, legs[i].spec->start);
		plan_report_unused(problems, &legs[i], used,
				   "every stripe is as long as the smallest, in whole chunks");
	}
}

static bool plan_check_request(const struct plan_request *req,
			       struct problems *problems)
{
	const char *wrong = NULL;

	if (req->kind == TARGET_STRIPED && !req->chunk)
		wrong = "A striped device needs --chunk SIZE, for example --chunk 64K";
	else if (req->kind == TARGET_LINEAR && req->chunk)
		wrong = "--chunk is for striped devices";
	else if (req->chunk > UINT32_MAX)
		wrong = "The chunk is larger than 2T";
	if (wrong)
		problem_add(problems, PROBLEM_ERROR, 0, "%s", wrong);
	return !wrong;
}

void plan_table(const struct plan_request *req, const struct facts_source *src,
		struct table *t, struct problems *problems)
{
	struct planned_leg *legs;
	bool good = plan_check_request(req, problems);
	unsigned int i;

	legs = xzalloc(sizeof(*legs) * (req->nr_legs + 1));
	for (i = 0; i < req->nr_legs; i++)
		good &= plan_leg(&legs[i], &req->legs[i], src, problems);
	if (good && req->kind == TARGET_LINEAR)
		plan_linear(req, legs, t, problems);
	else if (good)
		plan_striped(req, legs, t, problems);

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
