// SPDX-License-Identifier: GPL-2.0-only
/* Do two tables map the same sectors to the same places? */
#include "model/table-compare.h"

#include <string.h>
#include <sys/sysmacros.h>

#include "noclone-map.h"
#include "base/size.h"
#include "base/util.h"
#include "model/facts.h"
#include "model/name.h"
#include "model/table-text.h"

/* Chunks compared one by one before two layouts are called different. */
#define MAX_STEPS	1000000

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

static void compare_place_on_leg(const struct target *t, uint64_t sector,
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

static bool compare_find_place(const struct table *t, uint64_t sector, struct place *p)
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
		compare_place_on_leg(target, sector, p);
	}
	return true;
}

static bool compare_same_path(const struct target *a, const struct target *b)
{
	return a->path && b->path && !strcmp(a->path, b->path);
}

static bool compare_same_place(const struct place *a, const struct place *b)
{
	const struct file_id *ours = &a->target->id, *theirs = &b->target->id;

	if (!a->target->path != !b->target->path || a->sector != b->sector ||
	    file_id_differs(ours, theirs))
		return false;
	return file_id_same(ours, theirs) || !strcmp(a->device, b->device);
}

/* Textually equal targets need no walk, which may have billions of chunks. */
static bool compare_same_target(const struct target *a, const struct target *b)
{
	_cleanup_free_ char *ours = target_params(a, true, NULL, NULL);
	_cleanup_free_ char *theirs = target_params(b, true, NULL, NULL);

	return a->start == b->start && a->kind == b->kind &&
	       !file_id_differs(&a->id, &b->id) &&
	       !strcmp(target_stock_type(a), target_stock_type(b)) &&
	       !strcmp(ours, theirs);
}

/* How many targets at the front are the same in both. */
static unsigned int compare_common_targets(const struct table *t,
					   const struct table *other)
{
	unsigned int n = 0;

	while (n < t->nr && n < other->nr &&
	       compare_same_target(&t->targets[n], &other->targets[n]) &&
	       t->targets[n].length == other->targets[n].length)
		n++;
	return n;
}

/* Is @a all that is left of its table, and @b the same but not shorter? */
static bool compare_only_grew(const struct table *a, const struct table *b,
			      unsigned int at)
{
	return at + 1 == a->nr && at < b->nr &&
	       compare_same_target(&a->targets[at], &b->targets[at]) &&
	       a->targets[at].length <= b->targets[at].length;
}

bool table_same_mapping(const struct table *t, const struct table *other)
{
	uint64_t end = MIN(table_sectors(t), table_sectors(other));
	unsigned int common = compare_common_targets(t, other), steps;
	struct place a, b;
	uint64_t sector;

	if (compare_only_grew(t, other, common) || compare_only_grew(other, t, common))
		return true;

	sector = common < t->nr ? t->targets[common].start : end;
	for (steps = 0; sector < end; steps++) {
		/* too long to compare chunk by chunk: call it different */
		if (steps > MAX_STEPS || !compare_find_place(t, sector, &a) ||
		    !compare_find_place(other, sector, &b))
			return false;
		if (!compare_same_place(&a, &b))
			return false;
		sector += MIN(a.left, b.left);
	}
	return true;
}

/*
 * The path of a backing file may have been renamed over or recreated since the
 * device was created, and then the same table maps other data.  So files are
 * compared by inode wherever both are known.
 */

/* Inode number, and the file system if that differs. */
static char *compare_move_id_words(const struct file_id *id, const struct file_id *other)
{
	if (id->filesystem == other->filesystem)
		return xasprintf("%llu", (unsigned long long)id->inode);
	return xasprintf("%llu of %u:%u", (unsigned long long)id->inode,
			 major(id->filesystem), minor(id->filesystem));
}

static char *compare_move_other_file_words(const char *path, const struct file_id *runs,
					   const struct file_id *named)
{
	_cleanup_free_ char *name = path_encode(path);
	_cleanup_free_ char *old = compare_move_id_words(runs, named);
	_cleanup_free_ char *new = compare_move_id_words(named, runs);

	if (!named->inode)
		return xasprintf("%s will be a new file (it runs on inode %s)",
				 name, old);
	return xasprintf("%s is another file now (inode %s, it runs on %s)",
			 name, new, old);
}

char *move_other_file(const struct table *old, const struct table *new)
{
	unsigned int i, j;

	for (i = 0; i < new->nr; i++)
		for (j = 0; j < old->nr; j++) {
			const struct target *a = &old->targets[j];
			const struct target *b = &new->targets[i];

			if (compare_same_path(a, b) &&
			    file_id_differs(&a->id, &b->id))
				return compare_move_other_file_words(b->path, &a->id, &b->id);
		}
	return NULL;
}

static void compare_move_add(struct strbuf *b, const char *words)
{
	strbuf_add(b, "%s%s", b->len ? ", and " : "", words);
}

static void compare_move_add_shrinking(struct strbuf *b, const struct table *old,
				       const struct table *new)
{
	_cleanup_free_ char *from = size_format(table_sectors(old));
	_cleanup_free_ char *to = size_format(table_sectors(new));

	if (table_sectors(new) < table_sectors(old))
		strbuf_add(b, "shrinks from %s to %s", from, to);
}

char *move_describe(const struct table *old, const struct table *new)
{
	_cleanup_free_ char *other = move_other_file(old, new);
	struct strbuf b = { 0 };

	compare_move_add_shrinking(&b, old, new);
	if (other)
		compare_move_add(&b, other);
	else if (!table_same_mapping(old, new))
		compare_move_add(&b, "its sectors move to another place");
	return b.len ? strbuf_take(&b) : NULL;
}
