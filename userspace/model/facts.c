// SPDX-License-Identifier: GPL-2.0-only
/* Facts about devices and files. */
#include "model/facts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "model/file-map.h"

void facts_free(struct device_facts *facts)
{
	free(facts->path);
	free(facts->wwid);
	facts->path = facts->wwid = NULL;
}

struct disk_range facts_range(const struct device_facts *f, uint64_t first, uint64_t sectors)
{
	struct disk_range range = { f->disk, f->offset + first, 0 };

	if (__builtin_add_overflow(range.first, sectors, &range.end))
		range.end = UINT64_MAX;
	return range;
}

bool facts_ranges_meet(const struct disk_range *a, const struct disk_range *b)
{
	return a->disk == b->disk && a->first < b->end && b->first < a->end;
}

void facts_free_file(struct file_facts *facts)
{
	free(facts->path);
	free(facts->silence);
	facts->path = facts->silence = NULL;
	file_map_free(&facts->map);
}

char *facts_file_error(const struct file_facts *facts, int r)
{
	return facts->silence ? xasprintf("cannot be read: %s", facts->silence) :
	       xstrdup(strerror(-r));
}

const char *facts_error(int r)
{
	/*
	 * libblkid reads all disks to find a name such as UUID=..., and any of them may not answer
	 */
	return r == -ETIMEDOUT ? "a disk does not answer" : strerror(-r);
}

char *facts_suggest_path(const struct facts_source *src, const char *word)
{
	static const char *const folders[] = { "/dev", "/dev/mapper" };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(folders) && *word && !strchr("./", *word); i++) {
		char *path = xasprintf("%s/%s", folders[i], word);
		_cleanup_facts_ struct device_facts f = { 0 };

		if (!src->lookup(path, &f))
			return path;
		free(path);
	}
	return NULL;
}
