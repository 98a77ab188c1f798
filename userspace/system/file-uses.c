// SPDX-License-Identifier: GPL-2.0-only
/* Who uses a file. */
#include "system/file-uses.h"

#include <dirent.h>
#include <libmount/libmount.h>
#include <string.h>

#include "base/read.h"
#include "base/util.h"
#include "model/engine.h"
#include "model/file-id.h"
#include "model/path.h"
#include "model/table.h"
#include "system/blockdev.h"
#include "system/devmap.h"
#include "system/file-lookup.h"
#include "system/live.h"

static bool is_file(const struct file_facts *f, const char *path)
{
	const struct file_id ours = file_facts_id(f);
	const struct file_id theirs = path ? file_id_at(path) : (struct file_id) { 0 };

	return file_id_same(&ours, &theirs);
}

static void collect_swaps(struct uses *uses, const struct file_facts *f)
{
	struct libmnt_table *table = mnt_new_table();
	struct libmnt_iter *iter = mnt_new_iter(MNT_ITER_FORWARD);
	_cleanup_free_ char *name = path_encode(f->path);
	struct libmnt_fs *fs;

	if (table && iter && !mnt_table_parse_swaps(table, NULL))
		while (!mnt_table_next_fs(table, iter, &fs))
			if (is_file(f, mnt_fs_get_srcpath(fs)))
				uses_add(uses, USE_SWAP, name, false);
	mnt_free_iter(iter);
	mnt_unref_table(table);
}

static void collect_loops(struct uses *uses, const struct file_facts *f)
{
	DIR *dir = opendir("/sys/block");
	struct dirent *entry;

	while (dir && (entry = readdir(dir))) {
		_cleanup_free_ char *path = NULL, *file = NULL, *by = NULL;

		if (!str_starts(entry->d_name, "loop"))
			continue;
		path = xasprintf("/sys/block/%s/loop/backing_file",
				 entry->d_name);
		file = read_line_of(path);
		by = xasprintf("/dev/%s", entry->d_name);
		if (is_file(f, file))
			uses_add(uses, USE_HOLDER, by, false);
	}
	if (dir)
		closedir(dir);
}

/* By inode; an older module reports the path only, which may be another file. */
static bool runs_on(const struct target *t, const void *data)
{
	const struct file_facts *f = data;
	const struct file_id id = file_facts_id(f);

	return t->id.known ? file_id_same(&t->id, &id) : is_file(f, t->path);
}

static bool pins(const struct target *t, const void *data)
{
	return t->engine == ENGINE_EXTENT && runs_on(t, data);
}

/* Does a device have a target on the file, or one that pins it? */
static bool maps_file(const char *name, const struct file_facts *f,
		      bool pinned)
{
	_cleanup_live_ struct live live = { 0 };

	live_get(name, &live);
	return table_any(&live.table, pinned ? pins : runs_on, f);
}

/* As soon as it is resumed: another command may be between the two. */
static bool will_map_file(const char *name, const struct file_facts *f)
{
	_cleanup_table_ struct table inactive = { 0 };

	return !live_inactive_table(name, &inactive) && table_any(&inactive, runs_on, f);
}

bool file_uses_is_pinned(const struct file_facts *f, dev_t devno)
{
	_cleanup_free_ char *name = devno ? blockdev_mapped_name(devno) : NULL;

	return name && maps_file(name, f, true);
}

/* May another device use the file as well, if that only reads, too? */
static bool only_reads(const char *name, const struct file_facts *f)
{
	_cleanup_devmap_device_ struct devmap_device dev = { 0 };

	return !devmap_info(name, &dev) && dev.readonly && !maps_file(name, f, true);
}

struct mapped_search {
	struct uses *uses;
	const struct file_facts *facts;
	const char *self;
	bool shares;
};

static void add_if_mapped(const char *name, void *data)
{
	const struct mapped_search *s = data;

	if (s->self && !strcmp(s->self, name))
		return;
	if ((maps_file(name, s->facts, false) && !(s->shares && only_reads(name, s->facts))) ||
	    will_map_file(name, s->facts))
		uses_add(s->uses, USE_HOLDER, name, false);
}

static void collect_mapped(struct uses *uses, const struct file_facts *f,
			   dev_t self, bool shares)
{
	_cleanup_free_ char *own = self ? blockdev_mapped_name(self) : NULL;
	struct mapped_search search = { uses, f, own, shares };

	devmap_for_each(add_if_mapped, &search);
}

void file_uses_collect(struct uses *uses, const struct file_facts *f, dev_t self,
		       bool shares)
{
	collect_swaps(uses, f);
	collect_loops(uses, f);
	collect_mapped(uses, f, self, shares);
}
