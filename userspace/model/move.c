// SPDX-License-Identifier: GPL-2.0-only
/*
 * The path of a backing file may have been renamed over or recreated since the
 * device was created, and then the same table maps other data.  So files are
 * compared by inode wherever both are known.
 */
#include "model/move.h"

#include <sys/sysmacros.h>

#include "base/size.h"
#include "base/util.h"
#include "model/facts.h"
#include "model/name.h"
#include "model/table-compare.h"

/* Inode number, and the file system if that differs. */
static char *move_id_words(const struct file_id *id, const struct file_id *other)
{
	if (id->filesystem == other->filesystem)
		return xasprintf("%llu", (unsigned long long)id->inode);
	return xasprintf("%llu of %u:%u", (unsigned long long)id->inode,
			 major(id->filesystem), minor(id->filesystem));
}

static char *move_other_file_words(const char *path, const struct file_id *runs,
				   const struct file_id *named)
{
	_cleanup_free_ char *name = path_encode(path);
	_cleanup_free_ char *old = move_id_words(runs, named);
	_cleanup_free_ char *new = move_id_words(named, runs);

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

			if (target_same_path(a, b) &&
			    file_id_differs(&a->id, &b->id))
				return move_other_file_words(b->path, &a->id, &b->id);
		}
	return NULL;
}

static void move_add(struct strbuf *b, const char *words)
{
	strbuf_add(b, "%s%s", b->len ? ", and " : "", words);
}

static void move_add_shrinking(struct strbuf *b, const struct table *old,
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

	move_add_shrinking(&b, old, new);
	if (other)
		move_add(&b, other);
	else if (!table_same_mapping(old, new))
		move_add(&b, "its sectors move to another place");
	return b.len ? strbuf_take(&b) : NULL;
}
