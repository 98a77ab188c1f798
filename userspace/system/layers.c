// SPDX-License-Identifier: GPL-2.0-only
/* Mapped devices above and below one another, from "holders" and "slaves" in sysfs. */
#include "system/layers.h"

#include <glob.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "model/origin.h"
#include "model/table-target.h"
#include "system/blockdev.h"
#include "system/devmap.h"
#include "system/mount.h"
#include "system/sysfs.h"

#define ORIGIN	"-real"
#define MAX_DEPTH	32

static bool layers_same_group(dev_t devno, dev_t other)
{
	_cleanup_free_ char *uuid = blockdev_attribute(devno, "dm/uuid");
	_cleanup_free_ char *other_uuid = blockdev_attribute(other, "dm/uuid");

	return uuid && other_uuid && origin_same_group(uuid, other_uuid);
}

void layers_below(dev_t devno, struct names *names)
{
	_cleanup_free_ char *path = blockdev_sysfs(devno, "slaves");
	_cleanup_dir_ DIR *dir = opendir(path);
	const char *entry;

	while ((entry = read_name(dir))) {
		dev_t below = blockdev_kernel_number(entry);
		_cleanup_free_ char *name = blockdev_mapped_name(below);

		if (!name || !layers_same_group(devno, below))
			continue;
		names_add(names, name);
		layers_below(below, names);
	}
}

static char *layers_lv(dev_t devno, const char *name)
{
	_cleanup_free_ char *uuid = blockdev_attribute(devno, "dm/uuid");

	return uuid && origin_is_lvm(uuid) ? devmap_lv_of_name(name) : NULL;
}

/*
 * Is @name the layer of an origin, such as vg0-root-real, and is @above another volume than this
 * origin? The origin itself, vg0-root, is also above its layer.
 */
static bool layers_is_origin_of_another(const char *name, const char *above)
{
	size_t length = strlen(name), suffix = strlen(ORIGIN);

	if (length <= suffix || strcmp(name + length - suffix, ORIGIN))
		return false;
	return strlen(above) != length - suffix || !str_starts(name, above);
}

struct layers_search {
	const struct policy *policy;
	struct policy_names names;
	const struct policy_line *found;
};

static void layers_find_above(struct layers_search *r, dev_t devno, const char *name)
{
	_cleanup_free_ char *path = blockdev_sysfs(devno, "holders");
	_cleanup_dir_ DIR *dir = opendir(path);
	const char *entry;

	while ((entry = read_name(dir))) {
		dev_t above = blockdev_kernel_number(entry);
		_cleanup_free_ char *volume = blockdev_mapped_name(above);
		_cleanup_free_ char *lv = volume ? layers_lv(above, volume) : NULL;
		const struct policy_names names = { volume, lv };

		if (!lv || !layers_same_group(devno, above) ||
		    layers_is_origin_of_another(name, volume))
			continue;
		r->found = policy_find_part(r->policy, &r->names, &names, r->found);
		layers_find_above(r, above, volume);
	}
}

const struct policy_line *layers_rule(dev_t devno, const struct policy *p)
{
	_cleanup_free_ char *name = p->nr ? blockdev_mapped_name(devno) : NULL;
	_cleanup_free_ char *lv = name ? layers_lv(devno, name) : NULL;
	struct layers_search r = { p, { name, lv }, NULL };

	if (!name)
		return NULL;
	r.found = policy_find(p, &r.names);
	layers_find_above(&r, devno, name);
	return r.found;
}

static char *layers_suspended_at(dev_t devno, unsigned int depth);

/*
 * Look below a file. @path: the backing file of a loop device, which may be a device node, or the
 * backing file of a noclone-file target
 */
static char *layers_suspended_below_file(const char *path, unsigned int depth)
{
	dev_t disk = str_starts(path, "/dev/") ? blockdev_at(path) : 0;

	if (!disk)
		disk = mount_device(path);
	return disk ? layers_suspended_at(disk, depth - 1) : NULL;
}

/*
 * Look below the files of a loop device or of noclone-file targets. The folder "slaves" in sysfs
 * does not list the disks of these files.
 */
static char *layers_suspended_below_files(dev_t devno, unsigned int depth)
{
	_cleanup_free_ char *loop = blockdev_attribute(devno, "loop/backing_file");
	_cleanup_free_ char *mapped = blockdev_mapped_name(devno);
	char *name = loop ? layers_suspended_below_file(loop, depth) : NULL;
	_cleanup_table_ struct table t = { 0 };
	struct target *target = NULL;
	unsigned int i;

	if (mapped)
		devmap_table(mapped, DEVMAP_TABLE, &t);
	while (!name && (target = table_next_leg(&t, target, &i)))
		if (target->path)
			name = layers_suspended_below_file(target->path, depth);
	return name;
}

static char *layers_suspended_at(dev_t devno, unsigned int depth)
{
	_cleanup_free_ char *state = blockdev_attribute(devno, "dm/suspended");
	_cleanup_free_ char *pattern = blockdev_sysfs(devno, "{slaves/*,..}/dev");
	char *name = state && *state == '1' ? blockdev_mapped_name(devno) : NULL;
	glob_t paths = { 0 };
	size_t i;

	if (name || !depth)
		return name;
	glob(pattern, GLOB_BRACE, NULL, &paths);
	for (i = 0; !name && i < paths.gl_pathc; i++) {
		_cleanup_free_ char *number = sysfs_line(paths.gl_pathv[i]);
		dev_t below = blockdev_parse_number(number);

		if (below)
			name = layers_suspended_at(below, depth - 1);
	}
	globfree(&paths);
	return name ? name : layers_suspended_below_files(devno, depth);
}

char *layers_suspended(dev_t devno)
{
	return devno ? layers_suspended_at(devno, MAX_DEPTH) : NULL;
}
