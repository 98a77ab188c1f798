// SPDX-License-Identifier: GPL-2.0-only
/*
 * Files below /etc/noclone: those of saved devices, and the policy.
 *
 * A new file is on disk beside the old one, under a name that nothing reads, before the
 * device changes.  A rename then puts it in its place in one step.
 */
#include "system/saved-file.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <libgen.h>
#include <linux/major.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/child.h"
#include "base/util.h"
#include "model/table.h"
#include "system/lookup.h"
#include "system/identity.h"
#include "system/signatures.h"

#define SAVED_MAX	(16U << 20)

/* Files that are replaced in one step: a second file, fsync() and rename(). */

static char *saved_file_staged(const char *path)
{
	return xasprintf("%s.new", path);
}

/* The folder of a file keeps a change of names once it is on disk itself. */
static int saved_file_sync_folder(const char *path)
{
	_cleanup_free_ char *copy = xstrdup(path);
	_cleanup_close_ int fd = open(dirname(copy), O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	return fd < 0 || fsync(fd) ? -errno : 0;
}

/* A file that was hidden stays hidden; a new one can be read by all. */
static int saved_file_take_mode(int fd, const char *path)
{
	struct stat st;

	if (stat(path, &st))
		return fchmod(fd, 0644) ? -errno : 0;
	if (fchown(fd, st.st_uid, st.st_gid) && errno != EPERM)
		return -errno;
	return fchmod(fd, st.st_mode & 07777) ? -errno : 0;
}

static int saved_file_write(int fd, const char *text)
{
	size_t left = strlen(text);
	ssize_t n;

	for (; left; text += n, left -= n) {
		n = write(fd, text, left);
		if (n < 0)
			return -errno;
	}
	return fsync(fd) ? -errno : 0;
}

/* Write the new file beside the old one, under its name and ".new". */
static int saved_file_write_new(const char *path, const char *text)
{
	_cleanup_free_ char *staged = saved_file_staged(path);
	_cleanup_close_ int fd = -1;
	int r;

	/* what a command that was killed has left */
	if (unlink(staged) && errno != ENOENT)
		return -errno;
	fd = open(staged, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0)
		return -errno;
	r = saved_file_take_mode(fd, path);
	if (!r)
		r = saved_file_write(fd, text);
	if (!r)
		r = saved_file_sync_folder(path);
	if (r)
		unlink(staged);
	return r;
}

int replace_commit(const char *path)
{
	_cleanup_free_ char *staged = saved_file_staged(path);

	saved_file_forget(NULL);
	return rename(staged, path) ? -errno : saved_file_sync_folder(path);
}

void replace_drop(const char *path)
{
	_cleanup_free_ char *staged = saved_file_staged(path);
	struct stat st;

	/* on a read-only file system, unlink() fails also without a file */
	if (!lstat(staged, &st) && unlink(staged) && errno != ENOENT)
		log_warn("%s: %s", staged, strerror(errno));
}

int replace_file(const char *path, const char *text)
{
	int r = saved_file_write_new(path, text);

	if (r)
		return r;
	r = replace_commit(path);
	if (r)
		replace_drop(path);
	return r;
}

/* Locks that last as long as a process. */

/* longer than another one waits for udev, but for its option */
#define LOCK_SECONDS	60
#define LOCK_WAIT_US	100000

int run_lock_for(const char *path, unsigned int seconds)
{
	unsigned int tries = seconds * (1000000 / LOCK_WAIT_US);
	int fd, r = 0;

	if (mkdir(RUN_DIR, 0700) && errno != EEXIST)
		return -errno;
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0)
		return -errno;
	while (flock(fd, LOCK_EX | LOCK_NB) && !r) {
		r = errno != EWOULDBLOCK ? -errno : tries-- ? 0 : -EBUSY;
		usleep(LOCK_WAIT_US);
	}
	if (r)
		close(fd);
	return r ? r : fd;
}

int run_lock(const char *path, const char *what)
{
	int fd = run_lock_for(path, LOCK_SECONDS);

	if (fd == -EBUSY)
		log_err("%s: another noclone has been busy with it for a minute: try again, or see which process has %s open",
			what, path);
	else if (fd == -EACCES || fd == -EPERM)
		log_err("%s: only root may change it", what);
	else if (fd < 0)
		log_err("%s: %s", path, strerror(-fd));
	return fd;
}

/* Those of saved devices. */

bool saved_file_exists(const char *name)
{
	_cleanup_free_ char *path = saved_path(name);
	struct stat st;

	return !saved_name_problem(name) && !lstat(path, &st);
}

/* Why the text is damaged: a new string, or NULL. */
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

/* Files that were read, by name; when all were, also by UUID: trees of tsearch(3) */
static void *files_by_name, *files_by_uuid;
static bool files_all;

static int saved_file_compare_names(const void *a, const void *b)
{
	return strcmp(((const struct saved_file *)a)->name, ((const struct saved_file *)b)->name);
}

static int saved_file_compare_uuids(const void *a, const void *b)
{
	return strcmp(((const struct saved_file *)a)->saved.uuid,
		      ((const struct saved_file *)b)->saved.uuid);
}

static void saved_file_free(void *data)
{
	struct saved_file *file = data;

	free(file->name);
	free(file->text);
	saved_free(&file->saved);
	free(file->damage);
	free(file);
}

static struct saved_file *saved_file_read(const char *name)
{
	_cleanup_free_ char *path = saved_path(name);
	struct saved_file *file = xzalloc(sizeof(*file));

	file->name = xstrdup(name);
	file->text = read_text_file(path, SAVED_MAX);
	file->damage = file->text ? saved_file_parse(path, file->text, &file->saved) :
		       xasprintf("%s: %s", path, read_text_problem(path, errno));
	return file;
}

const struct saved_file *saved_file_get(const char *name)
{
	const struct saved_file key = { .name = (char *)name };
	struct saved_file **found = tfind(&key, &files_by_name, saved_file_compare_names);

	if (!found)
		found = xchecked(tsearch(saved_file_read(name), &files_by_name,
					 saved_file_compare_names));
	return *found;
}

static void saved_file_keep(void *data __unused)
{
}

void saved_file_forget(const char *name)
{
	struct saved_file key = { .name = (char *)name }, *file = &key;
	struct saved_file **found = name ? tfind(&key, &files_by_name, saved_file_compare_names) :
					   NULL;

	tdestroy(files_by_uuid, saved_file_keep);
	files_by_uuid = NULL;
	files_all = false;
	if (!name)
		tdestroy(files_by_name, saved_file_free);
	if (!name)
		files_by_name = NULL;
	if (!found)
		return;
	file = *found;
	tdelete(&key, &files_by_name, saved_file_compare_names);
	saved_file_free(file);
}

/* If two files have one UUID, the first one is found. */
static void saved_file_get_all(void)
{
	_cleanup_names_ struct names names = { 0 };
	unsigned int i;

	saved_file_names(&names);
	for (i = 0; i < names.nr; i++) {
		const struct saved_file *file = saved_file_get(names.name[i]);

		/* a damaged file has the UUID that can still be read */
		if (file->saved.uuid)
			xchecked(tsearch(file, &files_by_uuid, saved_file_compare_uuids));
	}
	files_all = true;
}

const struct saved_file *saved_file_find(const char *name, const char *uuid)
{
	const struct saved_file key = { .saved.uuid = (char *)uuid }, *own = NULL;
	struct saved_file **found;

	if (*uuid && saved_file_exists(name))
		own = saved_file_get(name);
	if (own && own->saved.uuid && !strcmp(own->saved.uuid, uuid))
		return own;
	if (*uuid && !files_all)
		saved_file_get_all();
	found = tfind(&key, &files_by_uuid, saved_file_compare_uuids);
	return found ? *found : NULL;
}

char *saved_file_peek(const char *name, struct saved *s)
{
	const struct saved_file *file = saved_file_get(name);
	_cleanup_free_ char *path = saved_path(name);

	return file->text ? saved_file_parse(path, file->text, s) : xstrdup(file->damage);
}

bool saved_file_says(const char *name, const char *text)
{
	const char *now = saved_file_get(name)->text;

	return now && !strcmp(now, text);
}

char *saved_file_of(const char *name, const char *uuid)
{
	const struct saved_file *file = saved_file_find(name, uuid);

	if (!file && *uuid && saved_file_exists(name) && !saved_file_get(name)->saved.uuid)
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
			log_warn("%s is ignored, because no device of that name can be saved: rename or remove it",
				 path);
	}
	said = true;
	globfree(&found);
	if (r == GLOB_ABORTED)
		log_err(SAVED_DIR ": it cannot be read");
	return r == GLOB_ABORTED ? -EIO : 0;
}

/* The file of a loop device may have been deleted or replaced since. */
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

/* @live is what "noclone activate" makes without the module: linear on loop devices. */
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

/* Do the tables differ in hidden arguments only? */
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
	/* hidden arguments may name a device in two ways, as a path and as a number */
	if (table_hidden(&a) && saved_file_is_alike(&a, &b))
		return SAVED_UNKNOWN;
	/* a disk that has dropped out is missing on both sides */
	missing = signatures_missing(saved);
	below = missing ? signatures_missing(live) : NULL;
	return !live->nr || below ? SAVED_UNKNOWN : SAVED_DIFFERS;
}

/* The saved file itself is replaced, and a lock of it with it. */
int saved_file_lock(const char *name)
{
	_cleanup_free_ char *path = xasprintf(RUN_DIR "/%s.lock", name);
	int fd = run_lock(path, name);

	saved_file_forget(name);
	return fd;
}

int saved_file_stage(const char *name, const char *text)
{
	_cleanup_free_ char *path = saved_path(name);

	if (!mkdir(SAVED_DIR, 0755))
		saved_file_sync_folder(SAVED_DIR);
	else if (errno != EEXIST)
		return -errno;
	return saved_file_write_new(path, text);
}

char *saved_file_leftover(const char *name, const char *uuid)
{
	_cleanup_free_ char *path = saved_path(name), *left = saved_file_staged(path), *why = NULL;
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
	/* a rename would replace the link, and leave the file that it leads to as it is */
	return S_ISLNK(st.st_mode) ? "it is a symbolic link: put a copy of the file in its place" :
	       S_ISDIR(st.st_mode) ? "it is a folder: move it away" :
	       "it is not a regular file: move it away";
}

/* A file that is immutable, or on a file system that is read-only, cannot be written. */
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
	int r = unlink(path) ? -errno : saved_file_sync_folder(path);

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

/*
 * The unit of a saved device, which removes the device in its turn at shutdown.
 *
 * The unit of a device that is activated by hand, or is saved while it is active, has to
 * be active as well.  A rule of udev could start it, but its event comes at any later time:
 * after "noclone deactivate", it would bring the device back.  So the tool starts the unit
 * and waits for it.
 */

/* noclone-device@.service sets it. */
#define IN_UNIT		"NOCLONE_UNIT"
/* A job may wait for the unit of a leg, which is missing. */
#define WAIT_SECONDS	"10"

/* A job that conflicts with one of a shutdown fails instead of cancelling that. */
void saved_unit(const char *verb, const char *name)
{
	_cleanup_child_output_ struct child_output output = { 0 };
	_cleanup_free_ char *unit = saved_unit_name(name);
	sigset_t before;
	char *argv[] = {
		(char *)"timeout", (char *)WAIT_SECONDS, (char *)"systemctl", (char *)verb,
		(char *)"--job-mode=fail", (char *)"--quiet", (char *)"--", unit, NULL,
	};

	if (getenv(IN_UNIT) || access("/run/systemd/system", F_OK))
		return;
	/* ^C would leave a job of which nothing here knows how it ends */
	signals_block(&before);
	if (child_run(argv, true, &output) || output.status)
		log_verbose("systemctl %s %s failed", verb, unit);
	signals_unblock(&before);
}
