// SPDX-License-Identifier: GPL-2.0-only
/* Printing tables, also as their stock equivalents, and comparing them. */
#include <string.h>

#include "noclone-map.h"
#include "model/table.h"

/* Chunks compared one by one before two layouts are called different. */
#define MAX_STEPS	1000000

uint64_t target_leg_length(const struct target *target)
{
	return target->nr_legs ? target->length / target->nr_legs : 0;
}

uint64_t table_sectors(const struct table *t)
{
	const struct target *last;

	if (!t->nr)
		return 0;
	last = &t->targets[t->nr - 1];
	return last->start + last->length;
}

bool target_is_noclone(const struct target *target)
{
	return target->kind != TARGET_OTHER && !target->stock;
}

bool table_has_noclone(const struct table *t)
{
	unsigned int i;

	for (i = 0; i < t->nr; i++)
		if (target_is_noclone(&t->targets[i]))
			return true;
	return false;
}

const char *target_stock_type(const struct target *target)
{
	switch (target->kind) {
	case TARGET_LINEAR:
		return "linear";
	case TARGET_STRIPED:
		return "striped";
	default:
		return target->type;
	}
}

/* The options are left out of what is compared as a stock target would be. */
static char *file_params(const struct target *t, bool stock)
{
	_cleanup_free_ char *path = path_encode(t->path);
	struct strbuf b = { 0 };

	strbuf_add(&b, "%s %llu", path, (unsigned long long)t->file_start);
	if (!stock && (t->engine_given || t->no_fastpath))
		strbuf_add(&b, " %d", 2 * t->engine_given + t->no_fastpath);
	if (!stock && t->engine_given)
		strbuf_add(&b, " " NOCLONE_OPT_ENGINE " %s",
			   engine_name(t->engine));
	if (!stock && t->no_fastpath)
		strbuf_add(&b, " " NOCLONE_OPT_NO_FASTPATH);
	return strbuf_take(&b);
}

char *target_params(const struct target *target, bool stock,
		    device_namer namer, void *ctx)
{
	struct strbuf b = { 0 };
	unsigned int i;

	if (!target->understood)
		return xstrdup(target->params);
	if (target->kind == TARGET_FILE)
		return file_params(target, stock);

	if (target->kind == TARGET_STRIPED)
		strbuf_add(&b, "%u %u ", target->nr_legs, target->chunk);
	for (i = 0; i < target->nr_legs; i++) {
		const struct leg *leg = &target->legs[i];
		_cleanup_free_ char *name = namer ? namer(leg->device, ctx) :
						    xstrdup(leg->device);

		strbuf_add(&b, "%s%s %llu", i ? " " : "", name,
			   (unsigned long long)leg->start);
	}
	if (target->no_fastpath && !stock)
		strbuf_add(&b, " 1 " NOCLONE_OPT_NO_FASTPATH);
	return strbuf_take(&b);
}

char *target_print(const struct target *target, bool stock,
		   device_namer namer, void *ctx)
{
	_cleanup_free_ char *params = target_params(target, stock, namer, ctx);

	return xasprintf("%llu %llu %s%s%s", (unsigned long long)target->start,
			 (unsigned long long)target->length,
			 stock ? target_stock_type(target) : target->type,
			 *params ? " " : "", params);
}

char *table_print(const struct table *t, bool stock,
		  device_namer namer, void *ctx)
{
	struct strbuf b = { 0 };
	unsigned int i;

	for (i = 0; i < t->nr; i++) {
		_cleanup_free_ char *line = target_print(&t->targets[i], stock,
							 namer, ctx);

		strbuf_add(&b, "%s%s", i ? "\n" : "", line);
	}
	return strbuf_take(&b);
}

/* Comma, semicolon and backslash separate things in the concise format. */
static void add_escaped(struct strbuf *b, const char *s)
{
	for (; *s; s++) {
		if (strchr(",;\\", *s))
			strbuf_putc(b, '\\', 1);
		strbuf_putc(b, *s == '\n' ? ',' : *s, 1);
	}
}

char *table_concise(const struct table *stock, const char *name,
		    const char *uuid, bool readonly)
{
	_cleanup_free_ char *lines = table_print(stock, true, NULL, NULL);
	struct strbuf b = { 0 };

	add_escaped(&b, name);
	strbuf_add(&b, ",");
	add_escaped(&b, uuid);
	strbuf_add(&b, ",,%s,", readonly ? "ro" : "rw");
	add_escaped(&b, lines);
	return strbuf_take(&b);
}

/*
 * Where a sector of the mapped device lives.  Two tables agree on a stretch if
 * they agree on its first sector and neither has a border inside it, so the
 * comparison below walks from border to border.
 */
struct place {
	const struct target *target;
	const char *device;	/* or file */
	uint64_t sector;
	uint64_t left;		/* sectors until the next border */
};

static void place_on_leg(const struct target *t, uint64_t sector,
			 struct place *p)
{
	struct noclone_layout layout;
	uint32_t leg;

	noclone_layout_init(&layout, t->start, t->nr_legs, t->chunk);
	p->sector = noclone_map_sector(&layout, sector, &leg);
	p->sector += t->legs[leg].start;
	p->device = t->legs[leg].device;
	if (t->chunk)
		p->left = MIN(p->left, noclone_chunk_left(&layout, sector));
}

static bool find_place(const struct table *t, uint64_t sector, struct place *p)
{
	const struct target *target;
	unsigned int i;

	for (i = 0; i < t->nr; i++)
		if (sector < t->targets[i].start + t->targets[i].length)
			break;
	if (i == t->nr || !t->targets[i].understood)
		return false;

	target = &t->targets[i];
	p->target = target;
	p->left = target->start + target->length - sector;
	if (target->path) {
		p->device = target->path;
		p->sector = target->file_start + sector - target->start;
	} else {
		place_on_leg(target, sector, p);
	}
	return true;
}

bool target_same_path(const struct target *a, const struct target *b)
{
	return a->path && b->path && !strcmp(a->path, b->path);
}

static bool same_place(const struct place *a, const struct place *b)
{
	const struct file_id *ours = &a->target->id, *theirs = &b->target->id;

	if (!a->target->path != !b->target->path || a->sector != b->sector ||
	    file_id_differs(ours, theirs))
		return false;
	return file_id_same(ours, theirs) || !strcmp(a->device, b->device);
}

/* Textually equal targets need no walk, which may have billions of chunks. */
static bool same_target(const struct target *a, const struct target *b)
{
	_cleanup_free_ char *ours = target_params(a, true, NULL, NULL);
	_cleanup_free_ char *theirs = target_params(b, true, NULL, NULL);

	return a->start == b->start && a->kind == b->kind &&
	       !file_id_differs(&a->id, &b->id) &&
	       !strcmp(target_stock_type(a), target_stock_type(b)) &&
	       !strcmp(ours, theirs);
}

/* How many targets at the front are the same in both. */
static unsigned int common_targets(const struct table *t,
				   const struct table *other)
{
	unsigned int n = 0;

	while (n < t->nr && n < other->nr &&
	       same_target(&t->targets[n], &other->targets[n]) &&
	       t->targets[n].length == other->targets[n].length)
		n++;
	return n;
}

/* Is @a all that is left of its table, and @b the same but not shorter? */
static bool only_grew(const struct table *a, const struct table *b,
		      unsigned int at)
{
	return at + 1 == a->nr && at < b->nr &&
	       same_target(&a->targets[at], &b->targets[at]) &&
	       a->targets[at].length <= b->targets[at].length;
}

bool table_same_mapping(const struct table *t, const struct table *other)
{
	uint64_t end = MIN(table_sectors(t), table_sectors(other));
	unsigned int common = common_targets(t, other), steps;
	struct place a, b;
	uint64_t sector;

	if (only_grew(t, other, common) || only_grew(other, t, common))
		return true;

	sector = common < t->nr ? t->targets[common].start : end;
	for (steps = 0; sector < end; steps++) {
		/* that many chunks laid out anew: call it different */
		if (steps > MAX_STEPS || !find_place(t, sector, &a) ||
		    !find_place(other, sector, &b))
			return false;
		if (!same_place(&a, &b))
			return false;
		sector += MIN(a.left, b.left);
	}
	return true;
}
