// SPDX-License-Identifier: GPL-2.0-only
/* Which table suits some devices. */
#include "model/advise.h"

#include <stdlib.h>
#include <string.h>

#include "base/size.h"
#include "base/util.h"

/* The start that keeps labels of what is on the device off its leg: 1 MiB */
#define USUAL_START	2048
/* Of all space that striping may leave unused */
#define LOSS_LIMIT(total)	((total) / 4)

const char *advise_refuses(const struct queue_limits *l)
{
	if (l->zoned)
		return "a zoned device: zones need dm core, so the fast path would be off";
	if (l->dax)
		return "a DAX device: programs map its memory, and such accesses are no I/O that could get faster";
	return NULL;
}

static uint64_t room_of(const struct member *m)
{
	return m->spec.length ? m->spec.length :
	       m->facts.sectors - MIN(m->spec.start, m->facts.sectors);
}

static uint64_t smallest_of(const struct members *m)
{
	uint64_t least = UINT64_MAX;
	unsigned int i;

	for (i = 0; i < m->nr; i++)
		least = MIN(least, room_of(&m->member[i]));
	return m->nr ? least : 0;
}

static uint64_t sum_of(const struct members *m)
{
	uint64_t sum = 0;
	unsigned int i;

	for (i = 0; i < m->nr; i++)
		sum += room_of(&m->member[i]);
	return sum;
}

/* The first place from 1 MiB on where the device's own blocks begin. */
static uint64_t aligned_start(const struct queue_limits *l)
{
	uint64_t offset = l->alignment_offset > 0 ? l->alignment_offset >> SECTOR_SHIFT : 0;

	return USUAL_START + offset;
}

static void place(struct member *m)
{
	uint64_t start = aligned_start(&m->limits);

	if (!m->spec.start && !m->spec.length && m->facts.sectors > 2 * start)
		m->spec.start = start;
}

/* Distance of the start from where a block of @block bytes begins, in bytes. */
static uint64_t off_by(const struct member *m, uint32_t block)
{
	uint64_t offset = m->limits.alignment_offset > 0 ? m->limits.alignment_offset : 0;
	uint64_t at = m->spec.start << SECTOR_SHIFT;

	return block ? (at + block - offset % block) % block : 0;
}

static void check_start(const struct member *m, struct advice *a)
{
	if (m->limits.alignment_offset < 0)
		problem_add(&a->problems, PROBLEM_WARNING, 0,
			    "%s is misaligned as it is, no start is a good one: partition its disk anew",
			    m->spec.device);
	else if (off_by(m, m->limits.physical_block))
		problem_add(&a->problems, PROBLEM_WARNING, 0,
			    "%s: start %llus is not where a physical block of %u bytes begins: writes will be slow",
			    m->spec.device, (unsigned long long)m->spec.start,
			    m->limits.physical_block);
	else if (m->limits.optimal_io <= 1 << 20 && off_by(m, m->limits.optimal_io))
		problem_add(&a->problems, PROBLEM_NOTE, 0,
			    "%s: start %llus is not a multiple of its optimal I/O of %u bytes",
			    m->spec.device, (unsigned long long)m->spec.start,
			    m->limits.optimal_io);
}

static bool share_a_disk(const struct members *m)
{
	unsigned int i, j;

	for (i = 0; i < m->nr; i++)
		for (j = 0; j < i; j++)
			if (facts_share_disk(&m->member[i].facts, &m->member[j].facts))
				return true;
	return false;
}

static bool mixes_rotational(const struct members *m)
{
	unsigned int i;

	for (i = 1; i < m->nr; i++)
		if (m->member[i].limits.rotational != m->member[0].limits.rotational)
			return true;
	return false;
}

static void choose_layout(const struct members *m, struct advice *a)
{
	uint64_t total = sum_of(m), smallest = smallest_of(m);

	a->kind = TARGET_LINEAR;
	if (m->nr < 2)
		a->why = "there is one device";
	else if (share_a_disk(m))
		a->why = "some are parts of the same disk, and striping over it would make it seek";
	else if (mixes_rotational(m))
		a->why = "some seek and some do not, and striped devices are as slow as the slowest leg";
	else if (total - smallest * m->nr > LOSS_LIMIT(total))
		a->why = "sizes differ so much that striping would leave more than a quarter unused";
	else
		a->kind = TARGET_STRIPED;
	if (a->kind == TARGET_STRIPED)
		a->why = "all devices work at the same time, also for one reader";
}

static void choose_chunk(const struct members *m, struct advice *a)
{
	const struct queue_limits **limits = xzalloc(m->nr * sizeof(*limits));
	struct chunk_choice choice;
	unsigned int i;

	for (i = 0; i < m->nr; i++)
		limits[i] = &m->member[i].limits;
	choice = chunk_choose(limits, m->nr, smallest_of(m));
	a->chunk = choice.sectors;
	a->why_chunk = choice.why;
	free(limits);
}

/* What the chunk cannot be right for */
static void check_chunk(const struct member *m, struct advice *a)
{
	uint32_t bytes = a->chunk << SECTOR_SHIFT;

	if (m->limits.optimal_io > m->limits.physical_block && m->limits.optimal_io < bytes &&
	    bytes % m->limits.optimal_io)
		problem_add(&a->problems, PROBLEM_NOTE, 0,
			    "%s: its optimal I/O of %u bytes does not divide the chunk; a chunk of it would need a division for each I/O",
			    m->spec.device, m->limits.optimal_io);
	if (m->limits.discard_granularity > bytes)
		problem_add(&a->problems, PROBLEM_NOTE, 0,
			    "%s discards in units of %u bytes, larger than the chunk: discards of less do nothing",
			    m->spec.device, m->limits.discard_granularity);
}

static void make_table(const struct members *m, const struct facts_source *src,
		       struct advice *a)
{
	struct plan_request req = { .kind = a->kind, .chunk = a->chunk };
	unsigned int i;

	for (i = 0; i < m->nr; i++) {
		GROW(req.legs, req.nr_legs);
		req.legs[req.nr_legs++] = m->member[i].spec;
	}
	plan_table(&req, src, &a->table, &a->problems);
	free(req.legs);
}

void advise(struct members *m, const struct facts_source *src, struct advice *a)
{
	unsigned int i;

	for (i = 0; i < m->nr; i++) {
		const char *wrong = advise_refuses(&m->member[i].limits);

		if (wrong)
			problem_add(&a->problems, PROBLEM_ERROR, 0, "%s: %s",
				    m->member[i].spec.device, wrong);
		place(&m->member[i]);
		check_start(&m->member[i], a);
	}
	choose_layout(m, a);
	if (a->kind == TARGET_STRIPED)
		choose_chunk(m, a);
	for (i = 0; a->chunk && i < m->nr; i++)
		check_chunk(&m->member[i], a);
	advise_compare(m, a);
	if (!problems_count(&a->problems, PROBLEM_ERROR))
		make_table(m, src, a);
}

static void add_member(struct strbuf *b, const struct member *m)
{
	_cleanup_free_ char *device = shell_quote(m->spec.device);
	_cleanup_free_ char *start = size_format(m->spec.start);
	_cleanup_free_ char *length = size_format(m->spec.length);

	strbuf_add(b, " %s", device);
	if (m->spec.start || m->spec.length)
		strbuf_add(b, ":%s", start);
	if (m->spec.length)
		strbuf_add(b, "+%s", length);
}

char *advise_command(const struct members *members, const struct advice *a)
{
	_cleanup_free_ char *chunk = size_format(a->chunk);
	struct strbuf b = { 0 };
	unsigned int i;

	strbuf_add(&b, "noclone create NAME %s",
		   a->kind == TARGET_STRIPED ? "striped" : "linear");
	if (a->kind == TARGET_STRIPED)
		strbuf_add(&b, " --chunk %s", chunk);
	for (i = 0; i < members->nr; i++)
		add_member(&b, &members->member[i]);
	return strbuf_take(&b);
}

void advice_free(struct advice *a)
{
	problems_free(&a->problems);
	table_free(&a->table);
}

void members_free(struct members *m)
{
	unsigned int i;

	for (i = 0; i < m->nr; i++) {
		free(m->member[i].spec.device);
		free(m->member[i].model);
		facts_free(&m->member[i].facts);
	}
	free(m->member);
	memset(m, 0, sizeof(*m));
}
