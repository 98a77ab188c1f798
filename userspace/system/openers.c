// SPDX-License-Identifier: GPL-2.0-only
/* Who has a block device open: what the kernel knows of, and processes in /proc. */
#include "system/openers.h"

#include <ctype.h>
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/read.h"
#include "base/util.h"
#include "model/facts.h"
#include "model/uses.h"
#include "system/blockdev.h"
#include "system/device-uses.h"

/* Nobody reads a longer list. */
#define MAX_NAMED	5

static bool has_open(const char *pid, dev_t devno)
{
	_cleanup_free_ char *folder = xasprintf("/proc/%s/fd", pid);
	DIR *dir = opendir(folder);
	bool found = false;
	struct dirent *entry;

	while (dir && !found && (entry = readdir(dir))) {
		_cleanup_free_ char *path = xasprintf("%s/%s", folder, entry->d_name);
		struct stat st;

		found = !stat(path, &st) && S_ISBLK(st.st_mode) && st.st_rdev == devno;
	}
	if (dir)
		closedir(dir);
	return found;
}

static void add(struct strbuf *b, const char *text)
{
	strbuf_add(b, "%s%s", b->len ? ", " : "", text);
}

static void add_process(struct strbuf *b, const char *pid)
{
	_cleanup_free_ char *path = xasprintf("/proc/%s/comm", pid);
	_cleanup_free_ char *comm = read_line_of(path);
	_cleanup_free_ char *text = xasprintf("open in process %s (%s)", pid,
					      comm ? comm : "?");

	add(b, text);
}

static void add_processes(struct strbuf *b, dev_t devno)
{
	DIR *dir = opendir("/proc");
	unsigned int found = 0;
	struct dirent *entry;

	while (dir && found < MAX_NAMED && (entry = readdir(dir)))
		if (isdigit((unsigned char)*entry->d_name) &&
		    has_open(entry->d_name, devno)) {
			add_process(b, entry->d_name);
			found++;
		}
	if (dir)
		closedir(dir);
}

char *openers_lasting(dev_t devno)
{
	_cleanup_facts_ struct device_facts f = { 0 };
	struct use_query query = { .facts = &f, .unread = true };
	_cleanup_uses_ struct uses uses = { 0 };
	struct strbuf b = { 0 };
	unsigned int i;

	if (blockdev_lookup_number(devno, &f))
		return strbuf_take(&b);
	query.sectors = f.sectors;
	device_uses_collect(&uses, &query);
	for (i = 0; i < MIN(uses.nr, MAX_NAMED); i++) {
		_cleanup_free_ char *text = NULL;

		/* one that maps other sectors only holds the device all the same */
		uses.use[i].harmless = false;
		text = use_describe(&uses.use[i]);
		add(&b, text);
	}
	return strbuf_take(&b);
}

char *openers_processes(dev_t devno)
{
	struct strbuf b = { 0 };

	add_processes(&b, devno);
	return strbuf_take(&b);
}
