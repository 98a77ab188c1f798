// SPDX-License-Identifier: GPL-2.0-only
/*
 * Who keeps a block device open.
 *
 * The kernel counts openers and does not say who they are: processes are found by
 * their file descriptors in /proc, and containers by what they have mounted.
 */
#include "system/open-uses.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/read.h"
#include "base/util.h"
#include "system/blockdev.h"
#include "system/device-uses.h"

#define MOUNTINFO_MAX	(4U << 20)
#define FDINFO_MAX	(64U << 10)

/* What is looked for: a device, and who uses it. */
struct search {
	struct uses *uses;
	dev_t devno;
};

typedef bool (*process_test)(const char *pid, void *data);
typedef bool (*fd_test)(const char *pid, const char *fd, dev_t devno, void *data);

static char *users_process_words(const char *pid)
{
	_cleanup_free_ char *path = xasprintf("/proc/%s/comm", pid);
	_cleanup_free_ char *comm = read_line_of(path);

	return xasprintf("process %s (%s)", pid, comm ? comm : "?");
}

/*
 * Of a block device, whatever its node is called.  stat() of a file waits for its server,
 * perhaps for ever; what is no file has no path.
 */
static dev_t users_number_of_fd(const char *fd)
{
	struct statx st;
	char target;

	if (readlink(fd, &target, 1) != 1 || target != '/' ||
	    statx(AT_FDCWD, fd, AT_STATX_DONT_SYNC, STATX_TYPE, &st) || !S_ISBLK(st.stx_mode))
		return 0;
	return makedev(st.stx_rdev_major, st.stx_rdev_minor);
}

/* Does @test hold for one of its file descriptors of block devices? */
static bool users_any_fd(const char *pid, fd_test test, void *data)
{
	_cleanup_free_ char *path = xasprintf("/proc/%s/fd", pid);
	DIR *dir = opendir(path);
	struct dirent *entry;
	bool found = false;

	while (dir && !found && (entry = readdir(dir))) {
		_cleanup_free_ char *fd = xasprintf("%s/%s", path, entry->d_name);
		dev_t devno = users_number_of_fd(fd);

		found = devno && test(pid, entry->d_name, devno, data);
	}
	if (dir)
		closedir(dir);
	return found;
}

static bool users_is_opener(const char *pid __unused, const char *fd __unused, dev_t devno,
			    void *data)
{
	const struct search *s = data;

	return devno == s->devno;
}

static bool users_find_opener(const char *pid, void *data)
{
	const struct search *s = data;

	if (users_any_fd(pid, users_is_opener, data)) {
		_cleanup_free_ char *by = users_process_words(pid);

		uses_add(s->uses, USE_PROCESS, by, false);
	}
	return false;
}

/* The line "flags:" has them as open(2), in octal. */
static bool users_may_write(const char *pid, const char *fd)
{
	_cleanup_free_ char *path = xasprintf("/proc/%s/fdinfo/%s", pid, fd);
	_cleanup_close_ int info = open(path, O_RDONLY | O_CLOEXEC);
	_cleanup_free_ char *text = info < 0 ? NULL : read_stream(info, FDINFO_MAX);
	const char *flags = text ? strstr(text, "flags:") : NULL;

	return flags && (strtoul(flags + strlen("flags:"), NULL, 8) & O_ACCMODE) != O_RDONLY;
}

/* As NBD has it, a thread of the process that serves the disk has made it. */
static bool users_serves(const char *pid, dev_t devno)
{
	_cleanup_free_ char *server = blockdev_attribute(devno, "pid");
	_cleanup_free_ char *path = server ? xasprintf("/proc/%s/task/%s", pid, server) : NULL;

	return path && !access(path, F_OK);
}

static bool users_add_writer(const char *pid, const char *fd, dev_t devno, void *data)
{
	_cleanup_free_ char *by = users_may_write(pid, fd) && !users_serves(pid, devno) ?
				  users_process_words(pid) : NULL;
	struct writers *w = data;
	unsigned int i;

	for (i = 0; by && i < w->nr; i++)
		if (w->writer[i].devno == devno && !strcmp(w->writer[i].by, by))
			return false;
	if (!by)
		return false;
	GROW(w->writer, w->nr);
	w->writer[w->nr++] = (struct writer) { devno, xstrdup(by) };
	return false;
}

static bool users_find_writers(const char *pid, void *data)
{
	/* the tool writes to none that it may have inherited */
	return atoi(pid) != getpid() && users_any_fd(pid, users_add_writer, data);
}

/* A line is "36 35 98:0 /root /mount/point ...". */
static bool users_find_foreign_mount(const char *pid, void *data)
{
	const struct search *s = data;
	_cleanup_free_ char *path = xasprintf("/proc/%s/mountinfo", pid);
	_cleanup_free_ char *number = xasprintf("%u:%u", major(s->devno), minor(s->devno));
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	_cleanup_free_ char *text = fd < 0 ? NULL : read_stream(fd, MOUNTINFO_MAX);
	char *save = NULL, *line;

	for (line = text ? strtok_r(text, "\n", &save) : NULL; line;
	     line = strtok_r(NULL, "\n", &save)) {
		_cleanup_words_ struct words w = { 0 };
		_cleanup_free_ char *who = NULL, *by = NULL;

		words_split(&w, line);
		if (w.nr < 5 || strcmp(w.word[2], number))
			continue;
		who = users_process_words(pid);
		by = xasprintf("%s in the mount namespace of %s", w.word[4], who);
		uses_add(s->uses, USE_MOUNT, by, false);
		return true;
	}
	return false;
}

/* Until @test returns true. */
static void users_for_each_process(process_test test, void *data)
{
	DIR *dir = opendir("/proc");
	struct dirent *entry;
	bool found = false;

	while (dir && !found && (entry = readdir(dir)))
		if (isdigit((unsigned char)entry->d_name[0]))
			found = test(entry->d_name, data);
	if (dir)
		closedir(dir);
}

void open_uses_lasting(struct uses *uses, dev_t devno)
{
	_cleanup_facts_ struct device_facts f = { 0 };
	struct use_query query = { .facts = &f };

	if (blockdev_lookup_number(devno, &f))
		return;
	query.sectors = f.sectors;
	device_uses_collect_live(uses, &query);
}

void open_uses_processes(struct uses *uses, dev_t devno)
{
	users_for_each_process(users_find_opener, &(struct search) { uses, devno });
}

void open_uses_collect(struct uses *uses, dev_t devno)
{
	open_uses_lasting(uses, devno);
	open_uses_processes(uses, devno);
	if (!uses->nr)
		users_for_each_process(users_find_foreign_mount, &(struct search) { uses, devno });
}

void open_uses_writers(struct writers *writers)
{
	users_for_each_process(users_find_writers, writers);
}

void open_uses_writers_free(struct writers *writers)
{
	unsigned int i;

	for (i = 0; i < writers->nr; i++)
		free(writers->writer[i].by);
	free(writers->writer);
}
