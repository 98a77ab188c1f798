// SPDX-License-Identifier: GPL-2.0-only
/* Do two tables map the same sectors to the same places? */
#include "model/table-compare.h"

#include <string.h>

#include "base/size.h"
#include "base/util.h"
#include "model/facts.h"
#include "model/name.h"
#include "model/table-text.h"

/* The place of a sector, if the target has its sectors in their order in a file or on one leg. */
static const char *compare_find_place(const struct target *t, uint64_t sector, uint64_t *at)
{
	if (!t->understood || (!t->path && t->nr_legs != 1))
		return NULL;
	*at = sector - t->start + (t->path ? t->file_start : t->legs[0].start);
	return t->path ? t->path : t->legs[0].device;
}

/* Do both have that sector, and what follows as long as both last, at the same place? */
static bool compare_targets(const struct target *a, const struct target *b, uint64_t sector)
{
	_cleanup_free_ char *ours = NULL, *theirs = NULL;
	uint64_t x = 0, y = 0;
	const char *on = compare_find_place(a, sector, &x);
	const char *other = compare_find_place(b, sector, &y);

	if (!a->path != !b->path || file_id_differs(&a->id, &b->id))
		return false;
	if (on && other)
		return x == y && (file_id_same(&a->id, &b->id) || !strcmp(on, other));
	ours = target_params(a, true, NULL, NULL);
	theirs = target_params(b, true, NULL, NULL);
	return a->start == b->start && !strcmp(ours, theirs) &&
	       !strcmp(target_stock_type(a), target_stock_type(b));
}

/* Two tables agree up to the next end of a target if they agree on the sector before. */
bool table_same_mapping(const struct table *t, const struct table *other)
{
	unsigned int i = 0, j = 0;
	uint64_t sector = 0;

	while (i < t->nr && j < other->nr) {
		const struct target *a = &t->targets[i], *b = &other->targets[j];
		uint64_t a_end = a->start + a->length, b_end = b->start + b->length;

		if (!compare_targets(a, b, sector))
			return false;
		sector = MIN(a_end, b_end);
		i += sector == a_end;
		j += sector == b_end;
	}
	return true;
}

/*
 * The path of a backing file may have been renamed over or recreated since the
 * device was created, and then the same table maps other data.  So files are
 * compared by inode wherever both are known.
 */
char *move_other_file(const struct table *old, const struct table *new)
{
	unsigned int i, j;

	for (i = 0; i < new->nr; i++)
		for (j = 0; j < old->nr; j++) {
			const struct target *a = &old->targets[j], *b = &new->targets[i];
			_cleanup_free_ char *name = b->path ? path_encode(b->path) : NULL;

			if (a->path && b->path && !strcmp(a->path, b->path) &&
			    file_id_differs(&a->id, &b->id))
				return xasprintf("%s %s", name, b->id.inode ?
						 "is another file now" : "will be a new file");
		}
	return NULL;
}

char *move_describe(const struct table *old, const struct table *new)
{
	_cleanup_free_ char *file = move_other_file(old, new);
	_cleanup_free_ char *from = size_format(table_sectors(old));
	_cleanup_free_ char *to = size_format(table_sectors(new));
	bool shrinks = table_sectors(new) < table_sectors(old);
	const char *other = file;
	struct strbuf b = { 0 };

	if (!other && !table_same_mapping(old, new))
		other = "its sectors move to another place";
	if (shrinks)
		strbuf_add(&b, "shrinks from %s to %s", from, to);
	if (other)
		strbuf_add(&b, "%s%s", shrinks ? ", and " : "", other);
	return b.text;
}
