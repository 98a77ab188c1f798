// SPDX-License-Identifier: GPL-2.0-only
/* The running system as a source of facts. */
#include "system/lookup.h"

#include <glob.h>

#include "base/util.h"
#include "system/blockdev.h"
#include "system/file-lookup.h"
#include "system/sysfs.h"

#define STANDS_ON_DEPTH	32

static int lookup_device(const char *name, struct device_facts *f)
{
	int r = blockdev_lookup(name, f);

	if (!r)
		blockdev_limits(f);
	return r;
}

static int lookup_file(const struct facts_source *src __unused, const char *path, bool map,
		       struct file_facts *facts)
{
	return file_lookup(path, map, facts);
}

/*
 * Return: the disk below a loop device, or 0. The folder "slaves" in sysfs does not list this disk.
 */
static dev_t lookup_disk_below_loop(dev_t loop)
{
	_cleanup_file_facts_ struct file_facts f = { 0 };
	_cleanup_free_ char *path = blockdev_attribute(loop, "loop/backing_file");

	return path && !file_lookup(path, false, &f) ? f.disk : 0;
}

/* Does the upper device stand on the lower one? A partition stands on its disk. */
static bool lookup_stands_on(dev_t upper, dev_t lower, unsigned int depth)
{
	_cleanup_free_ char *pattern = blockdev_sysfs(upper, "{slaves/*,..}/dev");
	dev_t below = lookup_disk_below_loop(upper);
	bool found = upper == lower;
	glob_t paths = { 0 };
	size_t i;

	if (found || !depth)
		return found;
	if (below)
		return lookup_stands_on(below, lower, depth - 1);
	glob(pattern, GLOB_BRACE, NULL, &paths);
	for (i = 0; !found && i < paths.gl_pathc; i++) {
		_cleanup_free_ char *number = sysfs_line(paths.gl_pathv[i]);
		dev_t next = blockdev_parse_number(number);

		found = next && lookup_stands_on(next, lower, depth - 1);
	}
	globfree(&paths);
	return found;
}

static bool lookup_source_stands_on(dev_t upper, dev_t lower)
{
	return lookup_stands_on(upper, lower, STANDS_ON_DEPTH);
}

const struct facts_source system_facts = {
	.lookup = lookup_device,
	.lookup_file = lookup_file,
	.stands_on = lookup_source_stands_on,
};
