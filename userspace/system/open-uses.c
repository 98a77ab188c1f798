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

typedef bool (*process_test)(struct uses *uses, const char *pid, dev_t devno);

static char *process_words(const char *pid)
{
	_cleanup_free_ char *path = xasprintf("/proc/%s/comm", pid);
	_cleanup_free_ char *comm = read_line_of(path);

	return xasprintf("process %s (%s)", pid, comm ? comm : "?");
}

static bool is_device(const char *path, dev_t devno)
{
	struct stat st;

	return !stat(path, &st) && S_ISBLK(st.st_mode) && st.st_rdev == devno;
}

/* Others are not looked at: stat() of a file waits for its server, perhaps for ever. */
static bool is_below_dev(const char *fd)
{
	char target[sizeof("/dev/")] = "";

	return readlink(fd, target, sizeof(target) - 1) > 0 && !strcmp(target, "/dev/");
}

/* By one of its file descriptors. */
static bool find_opener(struct uses *uses, const char *pid, dev_t devno)
{
	_cleanup_free_ char *path = xasprintf("/proc/%s/fd", pid);
	DIR *dir = opendir(path);
	struct dirent *entry;
	bool found = false;

	while (dir && !found && (entry = readdir(dir))) {
		_cleanup_free_ char *fd = xasprintf("%s/%s", path, entry->d_name);

		found = is_below_dev(fd) && is_device(fd, devno);
	}
	if (dir)
		closedir(dir);
	if (found) {
		_cleanup_free_ char *by = process_words(pid);

		uses_add(uses, USE_PROCESS, by, false);
	}
	return false;
}

/* A line is "36 35 98:0 /root /mount/point ...". */
static bool find_foreign_mount(struct uses *uses, const char *pid, dev_t devno)
{
	_cleanup_free_ char *path = xasprintf("/proc/%s/mountinfo", pid);
	_cleanup_free_ char *number = xasprintf("%u:%u", major(devno), minor(devno));
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
		who = process_words(pid);
		by = xasprintf("%s in the mount namespace of %s", w.word[4], who);
		uses_add(uses, USE_MOUNT, by, false);
		return true;
	}
	return false;
}

/* Until @test returns true. */
static void for_each_process(struct uses *uses, dev_t devno, process_test test)
{
	DIR *dir = opendir("/proc");
	struct dirent *entry;
	bool found = false;

	while (dir && !found && (entry = readdir(dir)))
		if (isdigit((unsigned char)entry->d_name[0]))
			found = test(uses, entry->d_name, devno);
	if (dir)
		closedir(dir);
}

static void collect_loops(struct uses *uses, dev_t devno)
{
	DIR *dir = opendir("/sys/block");
	struct dirent *entry;

	while (dir && (entry = readdir(dir))) {
		_cleanup_free_ char *path = xasprintf("/sys/block/%s/loop/backing_file",
						      entry->d_name);
		_cleanup_free_ char *file = read_line_of(path);
		_cleanup_free_ char *by = xasprintf("/dev/%s", entry->d_name);

		if (file && str_starts(file, "/dev/") && is_device(file, devno))
			uses_add(uses, USE_LOOP, by, false);
	}
	if (dir)
		closedir(dir);
}

void open_uses_lasting(struct uses *uses, dev_t devno)
{
	_cleanup_facts_ struct device_facts f = { 0 };
	struct use_query query = { .facts = &f };

	if (!blockdev_lookup_number(devno, &f)) {
		query.sectors = f.sectors;
		device_uses_collect_live(uses, &query);
	}
	collect_loops(uses, devno);
}

void open_uses_processes(struct uses *uses, dev_t devno)
{
	for_each_process(uses, devno, find_opener);
}

void open_uses_collect(struct uses *uses, dev_t devno)
{
	open_uses_lasting(uses, devno);
	open_uses_processes(uses, devno);
	if (!uses->nr)
		for_each_process(uses, devno, find_foreign_mount);
}
