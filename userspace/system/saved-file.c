// SPDX-License-Identifier: GPL-2.0-only
/* The files of saved devices, below /etc/noclone. */
#include "system/saved-file.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <linux/major.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

#include "base/log.h"
#include "base/util.h"
#include "model/finding.h"
#include "model/partition.h"
#include "model/table-target.h"
#include "model/table-text.h"
#include "model/table.h"
#include "system/blockdev.h"
#include "system/file-lookup.h"
#include "system/identity.h"
#include "system/replace.h"
#include "system/run-lock.h"
#include "system/signatures.h"

#define SAVED_MAX	(16U << 20)

bool saved_file_exists(const char *name)
{
	_cleanup_free_ char *path = saved_path(name);
	struct stat st;

	return !saved_name_problem(name) && !lstat(path, &st);
}

/*
 * Parse @text into @s. Return: why the text is damaged, a new string that begins with @path, or
 * NULL.
 */
static char *saved_file_parse(const char *path, const char *text, struct saved *s)
{
	_cleanup_findings_ struct findings findings = { 0 };
	unsigned int i;

	saved_parse(s, text, &findings);
	for (i = 0; i < findings.nr; i++)
		if (findings.finding[i].level == FINDING_ERROR)
			return finding_words(&findings.finding[i], path);
	return NULL;
}

/*
 * Two trees of tsearch(3). files_by_name has each file that was read, by its name. files_by_uuid
 * has the files with a UUID, by their UUIDs. saved_file_get_all() fills files_by_uuid and sets
 * files_all.
 */
static void *files_by_name, *files_by_uuid;
static bool files_all;

static int saved_file_compare_names(const void *a, const void *b)
{
	return strcmp(((const struct saved_file *)a)->name, ((const struct saved_file *)b)->name);
}

static int saved_file_compare_uuids(const void *a, const void *b)
{
	return strcmp(((const struct saved_file *)a)->uuid, ((const struct saved_file *)b)->uuid);
}

static void saved_file_free(void *data)
{
	struct saved_file *file = data;

	free(file->name);
	free(file->text);
	free(file->uuid);
	saved_free(&file->saved);
	free(file->damage);
	free(file);
}

/*
 * files_young: a file counts as young if it was written at this time or later; 0 if no file was
 * read yet. This time is set when the command reads its first file, and not again for each of
 * perhaps thousands of files. A file that is written later also counts as young.
 */
static time_t files_young;

/*
 * Was the file last written some seconds ago? Some file systems store times with a resolution of
 * two seconds. So a file that was written later may be written once more without a change of its
 * times.
 */
static bool saved_file_is_old(const struct stat *st)
{
	if (!files_young)
		files_young = time(NULL) - 3;
	return st->st_mtim.tv_sec < files_young && st->st_ctim.tv_sec < files_young;
}

static struct saved_file *saved_file_read(const char *name)
{
	_cleanup_free_ char *path = saved_path(name);
	struct saved_file *file = xzalloc(sizeof(*file));

	file->name = xstrdup(name);
	file->text = read_text_file_stat(path, SAVED_MAX, &file->seen);
	if (file->text) {
		file->settled = saved_file_is_old(&file->seen);
		file->uuid = saved_find_uuid(file->text);
	} else {
		file->damage = xasprintf("%s: %s", path, read_text_problem(path, errno));
		file->parsed = true;
	}
	return file;
}

/* Parse the file if it was not parsed yet. */
static const struct saved_file *saved_file_parsed(struct saved_file *file)
{
	_cleanup_free_ char *path = saved_path(file->name);

	if (!file->parsed)
		file->damage = saved_file_parse(path, file->text, &file->saved);
	file->parsed = true;
	return file;
}

static bool saved_file_same_time(const struct timespec *a, const struct timespec *b)
{
	return a->tv_sec == b->tv_sec && a->tv_nsec == b->tv_nsec;
}

/*
 * Is the text that was read still the text of the file? Each write changes the times of the inode,
 * and a rename puts a file with another inode in the place of the old file.
 */
static bool saved_file_is_unchanged(const struct saved_file *file)
{
	_cleanup_free_ char *path = saved_path(file->name);
	const struct stat *seen = &file->seen;
	struct stat now;

	return file->text && file->settled && !stat(path, &now) &&
	       now.st_dev == seen->st_dev && now.st_ino == seen->st_ino &&
	       now.st_size == seen->st_size &&
	       saved_file_same_time(&now.st_mtim, &seen->st_mtim) &&
	       saved_file_same_time(&now.st_ctim, &seen->st_ctim);
}

static void saved_file_drop(struct saved_file *file)
{
	tdelete(file, &files_by_name, saved_file_compare_names);
	saved_file_free(file);
}

/*
 * Find a file in the list of all files that were read. If the file is stale, and may have changed
 * on the disk, it is removed from the list. Return: NULL if the file is not in the list
 */
static struct saved_file **saved_file_known(const char *name)
{
	const struct saved_file key = { .name = (char *)name };
	struct saved_file **found = tfind(&key, &files_by_name, saved_file_compare_names);

	if (found && (*found)->stale && !saved_file_is_unchanged(*found)) {
		saved_file_drop(*found);
		return NULL;
	}
	if (found)
		(*found)->stale = false;
	return found;
}

/*
 * Find a file in the list of all files that were read, or else read the file. The text is not
 * parsed.
 */
static struct saved_file *saved_file_load(const char *name)
{
	struct saved_file **found = saved_file_known(name);

	if (!found)
		found = xchecked(tsearch(saved_file_read(name), &files_by_name,
					 saved_file_compare_names));
	return *found;
}

const struct saved_file *saved_file_get(const char *name)
{
	return saved_file_parsed(saved_file_load(name));
}

static void saved_file_keep(void *data __unused)
{
}

static void saved_file_set_stale(const void *node, VISIT visit, int depth __unused)
{
	if (visit == preorder || visit == leaf)
		(*(struct saved_file **)node)->stale = true;
}

void saved_file_forget(const char *name)
{
	const struct saved_file key = { .name = (char *)name };
	struct saved_file **found = name ? tfind(&key, &files_by_name, saved_file_compare_names) :
					   NULL;

	tdestroy(files_by_uuid, saved_file_keep);
	files_by_uuid = NULL;
	files_all = false;
	files_young = 0;
	if (!name)
		twalk(files_by_name, saved_file_set_stale);
	if (found)
		saved_file_drop(*found);
}

/*
 * Read all files, and look only for their UUIDs. The files are not parsed, because there may be
 * thousands of files, and few of them belong to the devices that a command shows. If two files have
 * the same UUID, the first one in the order of their names counts.
 */
static void saved_file_get_all(void)
{
	_cleanup_names_ struct names names = { 0 };
	unsigned int i;

	saved_file_names(&names);
	for (i = 0; i < names.nr; i++) {
		const struct saved_file *file = saved_file_load(names.name[i]);

		/* a damaged file also gets into the tree, if its UUID can still be read */
		if (file->uuid)
			xchecked(tsearch(file, &files_by_uuid, saved_file_compare_uuids));
	}
	files_all = true;
}

/*
 * Return: the file of the name @name, or NULL. If no such file exists, the result may be a struct
 * without a UUID. After saved_file_get_all(), this function reads no more files.
 */
static struct saved_file *saved_file_own(const char *name)
{
	struct saved_file **found = saved_file_known(name);

	if (found)
		return *found;
	return !files_all && !saved_name_problem(name) ? saved_file_load(name) : NULL;
}

const struct saved_file *saved_file_find(const char *name, const char *uuid)
{
	struct saved_file *own = *uuid ? saved_file_own(name) : NULL;
	const struct saved_file key = { .uuid = (char *)uuid };
	struct saved_file **found;

	if (own && own->uuid && !strcmp(own->uuid, uuid))
		return saved_file_parsed(own);
	if (*uuid && !files_all)
		saved_file_get_all();
	found = tfind(&key, &files_by_uuid, saved_file_compare_uuids);
	return found ? saved_file_parsed(*found) : NULL;
}

char *saved_file_peek(const char *name, struct saved *s)
{
	const struct saved_file *file = saved_file_get(name);
	_cleanup_free_ char *path = saved_path(name);

	return file->text ? saved_file_parse(path, file->text, s) : xstrdup(file->damage);
}

bool saved_file_says(const char *name, const char *text)
{
	const char *now = saved_file_load(name)->text;

	return now && !strcmp(now, text);
}

char *saved_file_of(const char *name, const char *uuid)
{
	const struct saved_file *file = saved_file_find(name, uuid);

	if (!file && *uuid && saved_file_exists(name) && !saved_file_load(name)->uuid)
		return xstrdup(name);
	return file ? xstrdup(file->name) : NULL;
}

int saved_file_names(struct names *names)
{
	glob_t found = { 0 };
	int r = access(SAVED_DIR, F_OK) ? GLOB_NOMATCH :
		glob(SAVED_DIR "/*" SAVED_SUFFIX, GLOB_ERR, NULL, &found);
	static bool said;
	size_t i;

	for (i = 0; !r && i < found.gl_pathc; i++) {
		const char *path = found.gl_pathv[i];
		_cleanup_free_ char *name = saved_name(path + strlen(SAVED_DIR "/"));

		if (name)
			names_add(names, name);
		else if (!said)
			log_warn("%s is ignored, because a device of this name cannot be saved: rename or remove the file",
				 path);
	}
	said = true;
	globfree(&found);
	if (r == GLOB_ABORTED)
		log_err("the folder " SAVED_DIR " cannot be read");
	return r == GLOB_ABORTED ? -EIO : 0;
}

/* Does the saved device have a partition whose device has the name @name? */
static bool saved_file_has_partition(const char *disk, const char *name)
{
	_cleanup_free_ char *prefix = partition_prefix(disk);
	const char *numbers = str_starts(name, prefix) ? saved_file_get(disk)->saved.partitions : NULL;

	return numbers && partition_has_name(disk, numbers, name);
}

char *saved_file_with_partition(const char *name)
{
	_cleanup_names_ struct names names = { 0 };
	unsigned int i;

	saved_file_names(&names);
	for (i = 0; i < names.nr; i++)
		if (saved_file_has_partition(names.name[i], name))
			return xstrdup(names.name[i]);
	return NULL;
}

/*
 * Is @device a loop device on the file @path? The file may have been deleted or replaced after the
 * loop device was made.
 */
static bool saved_file_is_loop_on(const char *device, const char *path)
{
	_cleanup_free_ char *file = NULL, *gone = xasprintf("%s (deleted)", path);
	dev_t devno = blockdev_number(device);
	struct file_id a, b;

	if (major(devno) != LOOP_MAJOR)
		return false;
	file = blockdev_attribute(devno, "loop/backing_file");
	if (!file)
		return false;
	a = file_id_of(file);
	b = file_id_of(path);
	return !strcmp(file, path) || !strcmp(file, gone) || file_id_same(&a, &b);
}

/*
 * Is @live the table that "noclone activate" makes for @saved if the module is missing? In that
 * table, linear targets on loop devices take the place of targets on files.
 */
static bool saved_file_stands_in(const struct table *saved, const struct table *live)
{
	unsigned int i;

	if (!table_has_file(saved) || saved->nr != live->nr)
		return false;
	for (i = 0; i < saved->nr; i++) {
		const struct target *t = &live->targets[i];
		const char *path = saved->targets[i].path;

		if (path && (t->nr_legs != 1 || !saved_file_is_loop_on(t->legs[0].device, path)))
			return false;
	}
	return true;
}

/* Are the tables equal, except for hidden arguments, which may contain a key? */
static bool saved_file_is_alike(const struct table *a, const struct table *b)
{
	_cleanup_free_ char *ours = table_print(a, true, NULL), *theirs = table_print(b, true, NULL);

	return !strcmp(ours, theirs);
}

enum saved_match saved_file_compare(const struct table *saved, const struct table *live)
{
	_cleanup_table_ struct table a = { 0 }, b = { 0 };
	_cleanup_free_ char *missing = NULL, *below = NULL;

	if (saved_file_stands_in(saved, live))
		return SAVED_UNKNOWN;
	table_copy(saved, &a);
	table_copy(live, &b);
	table_rename_devices(&a, identity_number);
	table_rename_devices(&b, identity_number);
	if (live->nr && table_sectors(&a) == table_sectors(&b) && table_same_mapping(&a, &b))
		return SAVED_SAME;
	/*
	 * the hidden arguments of one table may name a device by its path, those of the other by
	 * its number
	 */
	if (table_hidden(&a) && saved_file_is_alike(&a, &b))
		return SAVED_UNKNOWN;
	/*
	 * if a disk was removed, both tables have a leg that does not exist, and cannot be compared
	 */
	missing = signatures_missing(saved);
	below = missing ? signatures_missing(live) : NULL;
	return !live->nr || below ? SAVED_UNKNOWN : SAVED_DIFFERS;
}

/*
 * Return: the path of the file that is locked in place of a saved file, a new string. A rename
 * replaces the saved file itself, so the lock is on another file.
 */
static char *saved_file_lock_path(const char *name)
{
	return xasprintf(RUN_DIR "/%s.lock", name);
}

int saved_file_lock(const char *name)
{
	_cleanup_free_ char *path = saved_file_lock_path(name);
	int fd = run_lock(path, name);

	saved_file_forget(name);
	return fd;
}

bool saved_file_is_locked(const char *name)
{
	_cleanup_free_ char *path = saved_file_lock_path(name);

	return run_lock_is_held(path);
}

int saved_file_stage(const char *name, const char *text)
{
	_cleanup_free_ char *path = saved_path(name);

	if (!mkdir(SAVED_DIR, 0755))
		replace_sync_folder(SAVED_DIR);
	else if (errno != EEXIST)
		return -errno;
	return replace_stage(path, text);
}

int saved_file_commit(const char *name)
{
	_cleanup_free_ char *path = saved_path(name);

	saved_file_forget(NULL);
	return replace_commit(path);
}

int saved_file_replace(const char *name, const char *text)
{
	_cleanup_free_ char *path = saved_path(name);

	saved_file_forget(NULL);
	return replace_file(path, text);
}

char *saved_file_leftover(const char *name, const char *uuid)
{
	_cleanup_free_ char *path = saved_path(name), *left = replace_staged(path), *why = NULL;
	_cleanup_saved_ struct saved s = { 0 };
	_cleanup_free_ char *text = uuid ? read_text_file(left, SAVED_MAX) : NULL;

	if (!uuid)
		return access(left, F_OK) ? NULL : xstrdup(left);
	if (text)
		why = saved_file_parse(left, text, &s);
	return text && !why && !strcmp(s.uuid, uuid) ? xstrdup(left) : NULL;
}

const char *saved_file_misplaced(const char *name)
{
	_cleanup_free_ char *path = saved_path(name);
	struct stat st;

	if (lstat(path, &st) || S_ISREG(st.st_mode))
		return NULL;
	/* a rename would replace the link, and leave the file to which the link points unchanged */
	return S_ISLNK(st.st_mode) ? "it is a symbolic link: put a copy of the file in its place" :
	       S_ISDIR(st.st_mode) ? "it is a folder: move it away" :
	       "it is not a regular file: move it away";
}

/*
 * Return: why the file cannot be written, or NULL. The file may be immutable, or on a read-only
 * file system.
 */
const char *saved_file_unwritable(const char *name)
{
	_cleanup_free_ char *path = saved_path(name);
	const char *folder = access(SAVED_DIR, F_OK) ? "/etc" : SAVED_DIR;
	struct stat st;

	if (faccessat(AT_FDCWD, folder, W_OK, AT_EACCESS))
		return strerror(errno);
	if (saved_file_misplaced(name))
		return saved_file_misplaced(name);
	if (lstat(path, &st))
		return errno == ENOENT ? NULL : strerror(errno);
	return faccessat(AT_FDCWD, path, W_OK, AT_EACCESS) ? strerror(errno) : NULL;
}

int saved_file_remove(const char *name)
{
	_cleanup_free_ char *path = saved_path(name);
	int r = unlink(path) ? -errno : replace_sync_folder(path);

	saved_file_forget(name);
	replace_drop(path);
	if (r)
		log_err("removing %s failed: %s", path, strerror(-r));
	return r;
}

void saved_file_set_forced(const char *name, bool forced)
{
	_cleanup_free_ char *path = xasprintf(RUN_DIR "/%s.forced", name);
	_cleanup_close_ int fd = -1;

	if (!forced && !unlink(path))
		return;
	if (forced)
		fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0 && errno != ENOENT)
		log_warn("%s: %s", path, strerror(errno));
}

bool saved_file_is_forced(const char *name)
{
	_cleanup_free_ char *path = xasprintf(RUN_DIR "/%s.forced", name);

	return !access(path, F_OK);
}
