// SPDX-License-Identifier: GPL-2.0-only
/* The running system as a source of facts. */
#include "system/system-facts.h"

#include <dirent.h>

#include "base/util.h"
#include "system/blockdev.h"
#include "system/file-lookup.h"

#define STANDS_ON_DEPTH	32

static int facts_source_lookup(const struct facts_source *src __unused,
			       const char *name, struct device_facts *facts)
{
	return blockdev_lookup(name, facts);
}

static int facts_source_lookup_file(const struct facts_source *src __unused,
				    const char *path, bool map,
				    struct file_facts *facts)
{
	return file_lookup(path, map, facts);
}

/* The disk below a loop device is not among its slaves in sysfs. */
static dev_t facts_disk_below_loop(dev_t loop)
{
	_cleanup_file_facts_ struct file_facts f = { 0 };
	_cleanup_free_ char *path = blockdev_attribute(loop, "loop/backing_file");

	return path && !file_lookup(path, false, &f) ? f.disk : 0;
}

static bool facts_stands_on(dev_t upper, dev_t lower, unsigned int depth)
{
	_cleanup_free_ char *path = blockdev_sysfs(upper, "slaves");
	_cleanup_free_ char *disk = blockdev_attribute(upper, "../dev");
	dev_t below = facts_disk_below_loop(upper);
	bool found = false;
	struct dirent *entry;
	DIR *dir;

	if (upper == lower || !depth)
		return upper == lower;
	/* a partition stands on its disk */
	if (disk && blockdev_parse_number(disk))
		return facts_stands_on(blockdev_parse_number(disk), lower, depth - 1);
	if (below)
		return facts_stands_on(below, lower, depth - 1);

	dir = opendir(path);
	while (dir && !found && (entry = readdir(dir))) {
		_cleanup_free_ char *attribute = NULL, *number = NULL;

		if (entry->d_name[0] == '.')
			continue;
		attribute = xasprintf("slaves/%s/dev", entry->d_name);
		number = blockdev_attribute(upper, attribute);
		found = number && facts_stands_on(blockdev_parse_number(number), lower,
						  depth - 1);
	}
	if (dir)
		closedir(dir);
	return found;
}

static bool facts_source_stands_on(const struct facts_source *src __unused,
				   dev_t upper, dev_t lower)
{
	return facts_stands_on(upper, lower, STANDS_ON_DEPTH);
}

const struct facts_source system_facts = {
	.lookup = facts_source_lookup,
	.lookup_file = facts_source_lookup_file,
	.stands_on = facts_source_stands_on,
};
