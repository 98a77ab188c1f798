// SPDX-License-Identifier: GPL-2.0-only
/* Does a new table move data? */
#include "model/move.h"

#include <string.h>

#include "model/facts.h"
#include "model/name.h"
#include "model/table-target.h"
#include "model/table.h"

/*
 * Find a path in both tables that leads to another file now. If a backing file was replaced, or
 * deleted and created again, after the live table was loaded, a new table with the same path maps
 * other data. So the files are compared by inode if both inodes are known.
 */
char *move_other_file(const struct table *old, const struct table *new)
{
	unsigned int i, j;

	for (i = 0; i < new->nr; i++)
		for (j = 0; j < old->nr; j++) {
			const struct target *a = &old->targets[j], *b = &new->targets[i];
			_cleanup_free_ char *name = b->path ? name_encode_path(b->path) : NULL;

			if (a->path && b->path && !strcmp(a->path, b->path) &&
			    file_id_differs(&a->id, &b->id))
				return xasprintf("%s %s", name, b->id.inode ?
						 "leads to another file now" : "will be a new file");
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
