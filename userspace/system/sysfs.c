// SPDX-License-Identifier: GPL-2.0-only
/* Files of sysfs and device nodes that this command has read. */
#include "system/sysfs.h"

#include <search.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/util.h"

#define SYSFS_MAX	65536

/**
 * struct sysfs_file - a file that was read
 * @path: its path
 * @text: its text, or NULL if the file could not be read
 * @devno: for the path of a device node, the number of the block device; otherwise 0
 */
struct sysfs_file {
	char *path;
	char *text;
	dev_t devno;
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

/* Find a file among the files that were read, or else read it. */
static struct sysfs_file *sysfs_get(const char *path, void (*read)(struct sysfs_file *file))
{
	const struct sysfs_file key = { .path = (char *)path };
	struct sysfs_file **found = tfind(&key, &files, sysfs_compare), *file;

	if (found)
		return *found;
	file = xzalloc(sizeof(*file));
	file->path = xstrdup(path);
	read(file);
	xchecked(tsearch(file, &files, sysfs_compare));
	return file;
}

static void sysfs_read_text(struct sysfs_file *file)
{
	file->text = read_text_file(file->path, SYSFS_MAX);
}

const char *sysfs_text(const char *path)
{
	return sysfs_get(path, sysfs_read_text)->text;
}

static void sysfs_read_node(struct sysfs_file *file)
{
	struct stat st;

	if (!stat(file->path, &st) && S_ISBLK(st.st_mode))
		file->devno = st.st_rdev;
}

dev_t sysfs_node(const char *path)
{
	struct sysfs_file *file = sysfs_get(path, sysfs_read_node);

	/* a node that was missing is looked up again, because udev may have made the node meanwhile */
	if (!file->devno)
		sysfs_read_node(file);
	return file->devno;
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
