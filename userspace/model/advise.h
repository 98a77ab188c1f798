/* SPDX-License-Identifier: GPL-2.0-only */
/* Which table suits some devices, and whether the fast path will show. */
#ifndef NOCLONE_ADVISE_H
#define NOCLONE_ADVISE_H

#include "model/chunk.h"
#include "model/facts.h"
#include "model/plan.h"
#include "model/problems.h"
#include "model/table.h"

/* What stock linear adds to an I/O, less what noclone-linear does: README.md */
#define ADVISE_SAVED_NS	126

/**
 * struct measured - reads of a device, one at a time
 * @latency_ns: mean of reads of 4 KiB at random places; 0: not measured
 * @bytes_s: reads of 1 MiB in sequence, bytes per second
 */
struct measured {
	uint64_t latency_ns;
	uint64_t bytes_s;
};

/**
 * struct member - a device to be used
 * @spec: its part, as it was given
 * @facts: about it
 * @limits: likewise
 * @model: vendor's name for it, or NULL
 * @measured: how fast it is
 */
struct member {
	struct leg_spec spec;
	struct device_facts facts;
	struct queue_limits limits;
	char *model;
	struct measured measured;
};

struct members {
	struct member *member;
	unsigned int nr;
};

/**
 * struct advice - what is proposed
 * @kind: TARGET_LINEAR or TARGET_STRIPED
 * @why: why that layout
 * @chunk: sectors, for striped
 * @why_chunk: why that chunk
 * @problems: errors: do not; warnings: what is lost; notes
 * @table: the table; empty if there are errors
 * @latency_ns: of the fastest member, measured or guessed
 * @latency_is_measured: it is no guess
 */
struct advice {
	enum target_kind kind;
	const char *why;
	uint32_t chunk;
	const char *why_chunk;
	struct problems problems;
	struct table table;
	uint64_t latency_ns;
	bool latency_is_measured;
};

/**
 * advise - propose a table
 * @members: the devices; parts without a start get one
 * @src: facts about the same devices
 * @advice: filled in
 *
 * Whether the devices are in use is the caller's to find out.
 */
void advise(struct members *members, const struct facts_source *src,
	    struct advice *advice);
/* Is the device none for the fast path?  NULL, or why. */
const char *advise_refuses(const struct queue_limits *limits);
/* "noclone create NAME striped --chunk 256K ...": a new string */
char *advise_command(const struct members *members, const struct advice *advice);
/* What the fast path saves of an I/O of the fastest member, from 0 to 1 */
double advise_share(const struct advice *advice);
/* Whether the fast path will show, a sentence or two: a new string */
char *advise_fastpath_words(const struct advice *advice);
void advice_free(struct advice *advice);
void members_free(struct members *members);

/* What the members differ in, as problems of @advice */
void advise_compare(const struct members *members, struct advice *advice);

#define _cleanup_advice_ __attribute__((cleanup(advice_free)))
#define _cleanup_members_ __attribute__((cleanup(members_free)))

#endif /* NOCLONE_ADVISE_H */
