// SPDX-License-Identifier: GPL-2.0-only
/*
 * Facts come from sysfs, so asking for them opens nothing and cannot disturb
 * a device; only device_probe() opens one, read-only.
 */
#include "system/device.h"

#include <blkid/blkid.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <libudev.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/read.h"
#include "base/util.h"
#include "system/file.h"

#define STANDS_ON_DEPTH	32

char *device_sysfs(dev_t devno, const char *attribute)
{
	return xasprintf("/sys/dev/block/%u:%u/%s", major(devno), minor(devno),
			 attribute);
}

static char *sysfs_read(dev_t devno, const char *attribute)
{
	_cleanup_free_ char *path = device_sysfs(devno, attribute);

	return read_line_of(path);
}

static uint64_t sysfs_number(dev_t devno, const char *attribute)
{
	_cleanup_free_ char *text = sysfs_read(devno, attribute);

	return text ? strtoull(text, NULL, 10) : 0;
}

static dev_t parse_number(const char *text)
{
	unsigned int maj, min;
	char rest;

	if (!text || sscanf(text, "%u:%u%c", &maj, &min, &rest) != 2)
		return 0;
	return makedev(maj, min);
}

/* /dev/NAME as the kernel calls it, for devices known only by number */
static char *path_of_number(dev_t devno)
{
	_cleanup_free_ char *link = device_sysfs(devno, "");
	_cleanup_free_ char *real = realpath(link, NULL);
	char *name, *c;

	if (!real)
		return NULL;
	name = xasprintf("/dev/%s", strrchr(real, '/') + 1);
	/* sysfs writes "!" for the "/" in names such as cciss/c0d0 */
	for (c = name; *c; c++)
		if (*c == '!')
			*c = '/';
	return name;
}

int device_lookup_number(dev_t devno, struct device_facts *f)
{
	_cleanup_free_ char *partition = sysfs_read(devno, "partition");
	_cleanup_free_ char *disk = NULL;
	const char *queue = partition ? "../queue/" : "queue/";
	_cleanup_free_ char *logical = xasprintf("%slogical_block_size", queue);
	_cleanup_free_ char *physical = xasprintf("%sphysical_block_size", queue);
	_cleanup_free_ char *zoned_name = xasprintf("%szoned", queue);
	_cleanup_free_ char *zone_size = xasprintf("%schunk_sectors", queue);
	_cleanup_free_ char *zoned = sysfs_read(devno, zoned_name);

	memset(f, 0, sizeof(*f));
	f->path = path_of_number(devno);
	if (!f->path)
		return -ENXIO;
	if (partition)
		disk = sysfs_read(devno, "../dev");
	f->devno = devno;
	f->disk = disk ? parse_number(disk) : devno;
	f->offset = partition ? sysfs_number(devno, "start") : 0;
	f->sectors = sysfs_number(devno, "size");
	f->logical_block = MAX(sysfs_number(devno, logical), SECTOR_SIZE);
	f->physical_block = MAX(sysfs_number(devno, physical), f->logical_block);
	f->readonly = sysfs_number(devno, "ro");
	if (zoned && strcmp(zoned, "none"))
		f->zone_sectors = sysfs_number(devno, zone_size);
	return 0;
}

int device_lookup(const char *name, struct device_facts *f)
{
	_cleanup_free_ char *tagged = NULL, *real = NULL;
	dev_t devno = parse_number(name);
	struct stat st;
	int r;

	memset(f, 0, sizeof(*f));
	if (devno)
		return device_lookup_number(devno, f);
	if (*name != '/' && strchr(name, '=')) {
		tagged = blkid_evaluate_tag(name, NULL, NULL);
		if (!tagged)
			return -ENOENT;
		name = tagged;
	}

	real = realpath(name, NULL);
	if (!real || stat(real, &st))
		return -errno;
	if (!S_ISBLK(st.st_mode))
		return -ENOTBLK;
	r = device_lookup_number(st.st_rdev, f);
	if (!r) {
		free(f->path);
		f->path = xstrdup(real);
	}
	return r;
}

static int source_lookup(const struct facts_source *src __unused,
			 const char *name, struct device_facts *facts)
{
	return device_lookup(name, facts);
}

static int source_lookup_file(const struct facts_source *src __unused,
			      const char *path, bool map,
			      struct file_facts *facts)
{
	return file_lookup(path, map, facts);
}

/* What a loop device stands on is no slave of it, and dm core looks there only. */
static dev_t disk_below_loop(dev_t loop)
{
	_cleanup_file_facts_ struct file_facts f = { 0 };
	_cleanup_free_ char *path = sysfs_read(loop, "loop/backing_file");

	return path && !file_lookup(path, false, &f) ? f.disk : 0;
}

static bool stands_on(dev_t upper, dev_t lower, unsigned int depth)
{
	_cleanup_free_ char *path = device_sysfs(upper, "slaves");
	_cleanup_free_ char *disk = sysfs_read(upper, "../dev");
	dev_t below = disk_below_loop(upper);
	bool found = false;
	struct dirent *entry;
	DIR *dir;

	if (upper == lower || !depth)
		return upper == lower;
	/* a partition stands on its disk */
	if (disk && parse_number(disk))
		return stands_on(parse_number(disk), lower, depth - 1);
	if (below)
		return stands_on(below, lower, depth - 1);

	dir = opendir(path);
	while (dir && !found && (entry = readdir(dir))) {
		_cleanup_free_ char *attribute = NULL, *number = NULL;

		if (entry->d_name[0] == '.')
			continue;
		attribute = xasprintf("slaves/%s/dev", entry->d_name);
		number = sysfs_read(upper, attribute);
		found = number && stands_on(parse_number(number), lower,
					    depth - 1);
	}
	if (dir)
		closedir(dir);
	return found;
}

static bool source_stands_on(const struct facts_source *src __unused,
			     dev_t upper, dev_t lower)
{
	return stands_on(upper, lower, STANDS_ON_DEPTH);
}

const struct facts_source device_source = {
	.lookup = source_lookup,
	.lookup_file = source_lookup_file,
	.stands_on = source_stands_on,
};

char *device_dm_name(dev_t devno)
{
	return sysfs_read(devno, "dm/name");
}

dev_t device_dm_number(const char *name)
{
	DIR *dir = opendir("/sys/block");
	struct dirent *entry;
	dev_t devno = 0;

	while (dir && !devno && (entry = readdir(dir))) {
		_cleanup_free_ char *path = NULL, *found = NULL;

		path = xasprintf("/sys/block/%s/dm/name", entry->d_name);
		found = read_line_of(path);
		if (found && !strcmp(found, name)) {
			_cleanup_free_ char *number = NULL;

			free(path);
			path = xasprintf("/sys/block/%s/dev", entry->d_name);
			number = read_line_of(path);
			devno = parse_number(number);
		}
	}
	if (dir)
		closedir(dir);
	return devno;
}

static char *value_of(blkid_probe probe, const char *name)
{
	const char *value;

	if (blkid_probe_lookup_value(probe, name, &value, NULL))
		return NULL;
	return xstrdup(value);
}

static int run_probe(blkid_probe probe, int fd, uint64_t first,
		     uint64_t sectors, char **type, char **label)
{
	if (blkid_probe_set_device(probe, fd, first << SECTOR_SHIFT,
				   sectors << SECTOR_SHIFT))
		return -EIO;
	blkid_probe_enable_superblocks(probe, 1);
	blkid_probe_set_superblocks_flags(probe, BLKID_SUBLKS_TYPE |
					  BLKID_SUBLKS_LABEL);
	blkid_probe_enable_partitions(probe, 1);

	switch (blkid_do_safeprobe(probe)) {
	case 0:
		break;
	case 1:
		return 0;
	case -2:
		*type = xstrdup("several conflicting signatures");
		return 1;
	default:
		return -EIO;
	}
	*type = value_of(probe, "TYPE");
	if (!*type)
		*type = value_of(probe, "PTTYPE");
	*label = value_of(probe, "LABEL");
	return *type ? 1 : 0;
}

int device_probe(const char *path, uint64_t first, uint64_t sectors,
		 char **type, char **label)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	blkid_probe probe;
	int r;

	*type = NULL;
	*label = NULL;
	if (fd < 0)
		return -errno;
	probe = blkid_new_probe();
	if (!probe)
		return -ENOMEM;
	r = run_probe(probe, fd, first, sectors, type, label);
	blkid_free_probe(probe);
	return r;
}

static char *property(struct udev_device *dev, const char *name)
{
	const char *value = udev_device_get_property_value(dev, name);

	return value && *value ? xstrdup(value) : NULL;
}

/* Best of the device's links: by-id, and of those one with a real name. */
static char *stable_link(struct udev_device *dev)
{
	static const char * const order[] = {
		"/dev/mapper/", "/dev/disk/by-id/wwn-", "/dev/disk/by-id/nvme-eui",
		"/dev/disk/by-id/", "/dev/disk/by-partuuid/", "/dev/disk/by-path/",
	};
	struct udev_list_entry *entry;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(order); i++)
		udev_list_entry_foreach(entry,
					udev_device_get_devlinks_list_entry(dev))
			if (str_starts(udev_list_entry_get_name(entry), order[i]))
				return xstrdup(udev_list_entry_get_name(entry));
	return NULL;
}

static void ask_udev(dev_t devno, struct device_identity *id)
{
	struct udev *udev = udev_new();
	struct udev_device *dev;

	if (!udev)
		return;
	dev = udev_device_new_from_devnum(udev, 'b', devno);
	if (dev) {
		id->model = property(dev, "ID_MODEL");
		id->wwn = property(dev, "ID_WWN");
		if (!id->wwn)
			id->wwn = property(dev, "ID_SERIAL");
		id->stable = stable_link(dev);
		udev_device_unref(dev);
	}
	udev_unref(udev);
}

void device_identify(const struct device_facts *f, struct device_identity *id)
{
	memset(id, 0, sizeof(*id));
	ask_udev(f->devno, id);
	if (!id->model)
		id->model = sysfs_read(f->disk, "device/model");
	device_probe(f->path, 0, f->sectors, &id->type, &id->label);
}

void device_identity_free(struct device_identity *id)
{
	free(id->model);
	free(id->wwn);
	free(id->stable);
	free(id->type);
	free(id->label);
	memset(id, 0, sizeof(*id));
}

char *device_name_path(const char *name, void *ctx __unused)
{
	_cleanup_facts_ struct device_facts f = { 0 };

	if (device_lookup(name, &f))
		return xstrdup(name);
	return xstrdup(f.path);
}

char *device_name_stable(const char *name, void *ctx __unused)
{
	_cleanup_identity_ struct device_identity id = { 0 };
	_cleanup_facts_ struct device_facts f = { 0 };

	if (device_lookup(name, &f))
		return xstrdup(name);
	ask_udev(f.devno, &id);
	return xstrdup(id.stable ? id.stable : f.path);
}

char *device_name_number(const char *name, void *ctx __unused)
{
	_cleanup_facts_ struct device_facts f = { 0 };

	if (device_lookup(name, &f))
		return xstrdup(name);
	return xasprintf("%u:%u", major(f.devno), minor(f.devno));
}
