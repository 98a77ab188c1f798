// SPDX-License-Identifier: GPL-2.0-only
/* Files of sysfs that this command has read. */
#include "system/sysfs.h"

#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"

#define SYSFS_MAX	65536

/**
 * struct sysfs_file - a file that was read
 * @path: its path
 * @text: its text, or NULL if the file could not be read
 */
struct sysfs_file {
	char *path;
	char *text;
};

/* The files that were read: a tree of tsearch(3), sorted by their paths. */
static void *files;

static int sysfs_compare(const void *a, const void *b)
{
	return strcmp(((const struct sysfs_file *)a)->path, ((const struct sysfs_file *)b)->path);
}

static void sysfs_free(void *file)
{
	free(((struct sysfs_file *)file)->path);
	free(((struct sysfs_file *)file)->text);
	free(file);
}

const char *sysfs_text(const char *path)
{
	const struct sysfs_file key = { .path = (char *)path };
	struct sysfs_file **found = tfind(&key, &files, sysfs_compare), *file;

	if (found)
		return (*found)->text;
	file = xzalloc(sizeof(*file));
	file->path = xstrdup(path);
	file->text = read_text_file(path, SYSFS_MAX);
	xchecked(tsearch(file, &files, sysfs_compare));
	return file->text;
}

char *sysfs_line(const char *path)
{
	const char *text = sysfs_text(path);

	return text ? first_line(text) : NULL;
}

void sysfs_forget(void)
{
	tdestroy(files, sysfs_free);
	files = NULL;
}
