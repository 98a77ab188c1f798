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

static bool users_file_is_it(const struct file_facts *f, const char *path)
{
	const struct file_id ours = file_facts_id(f);
	const struct file_id theirs = path ? file_id_at(path) : (struct file_id) { 0 };

	return file_id_same(&ours, &theirs);
}

static void users_file_collect_swaps(struct uses *uses, const struct file_facts *f)
{
	struct libmnt_table *table = mnt_new_table();
	struct libmnt_iter *iter = mnt_new_iter(MNT_ITER_FORWARD);
	_cleanup_free_ char *name = path_encode(f->path);
	struct libmnt_fs *fs;

	if (table && iter && !mnt_table_parse_swaps(table, NULL))
		while (!mnt_table_next_fs(table, iter, &fs))
			if (users_file_is_it(f, mnt_fs_get_srcpath(fs)))
				uses_add(uses, USE_SWAP, name, false);
	mnt_free_iter(iter);
	mnt_unref_table(table);
}

static void users_file_collect_loops(struct uses *uses, const struct file_facts *f)
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
		if (users_file_is_it(f, file))
			uses_add(uses, USE_HOLDER, by, false);
	}
	if (dir)
		closedir(dir);
}

/* By inode; an older module reports the path only, which may be another file. */
static bool users_file_runs_on(const struct target *t, const void *data)
{
	const struct file_facts *f = data;
	const struct file_id id = file_facts_id(f);

	return t->id.known ? file_id_same(&t->id, &id) : users_file_is_it(f, t->path);
}

static bool users_file_pins(const struct target *t, const void *data)
{
	return t->engine == ENGINE_EXTENT && users_file_runs_on(t, data);
}

/* Does a device have a target on the file, or one that pins it? */
static bool users_file_maps_named(const char *name, const struct file_facts *f,
				  bool pinned)
{
	_cleanup_live_ struct live live = { 0 };

	live_get(name, &live);
	return table_any(&live.table, pinned ? users_file_pins : users_file_runs_on, f);
}

/* As soon as it is resumed: another command may be between the two. */
static bool users_file_will_be_mapped(const char *name, const struct file_facts *f)
{
	_cleanup_table_ struct table inactive = { 0 };

	return !live_inactive_table(name, &inactive) && table_any(&inactive, users_file_runs_on, f);
}

bool file_uses_is_pinned(const struct file_facts *f, dev_t devno)
{
	_cleanup_free_ char *name = devno ? blockdev_mapped_name(devno) : NULL;

	return name && users_file_maps_named(name, f, true);
}

/* May another device use the file as well, if that only reads, too? */
static bool users_file_only_reads(const char *name, const struct file_facts *f)
{
	_cleanup_devmap_device_ struct devmap_device dev = { 0 };

	return !devmap_info(name, &dev) && dev.readonly && !users_file_maps_named(name, f, true);
}

struct mapped_search {
	struct uses *uses;
	const struct file_facts *facts;
	const char *self;
	bool shares;
};

static void users_file_add_if_mapped(const char *name, void *data)
{
	const struct mapped_search *s = data;

	if (s->self && !strcmp(s->self, name))
		return;
	if (users_file_will_be_mapped(name, s->facts) ||
	    (users_file_maps_named(name, s->facts, false) &&
	     !(s->shares && users_file_only_reads(name, s->facts))))
		uses_add(s->uses, USE_HOLDER, name, false);
}

static void users_file_collect_mapped(struct uses *uses, const struct file_facts *f,
				      dev_t self, bool shares)
{
	_cleanup_free_ char *own = self ? blockdev_mapped_name(self) : NULL;
	struct mapped_search search = { uses, f, own, shares };

	devmap_for_each(users_file_add_if_mapped, &search);
}

void file_uses_collect(struct uses *uses, const struct file_facts *f, dev_t self,
		       bool shares)
{
	users_file_collect_swaps(uses, f);
	users_file_collect_loops(uses, f);
	users_file_collect_mapped(uses, f, self, shares);
}
