// SPDX-License-Identifier: GPL-2.0-only
/* Facts come from sysfs: asking for them opens no device and cannot disturb one. */
#include "system/blockdev.h"

#include <blkid/blkid.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/util.h"

char *blockdev_sysfs(dev_t devno, const char *attribute)
{
	return xasprintf("/sys/dev/block/%u:%u/%s", major(devno), minor(devno),
			 attribute);
}

char *blockdev_attribute(dev_t devno, const char *attribute)
{
	_cleanup_free_ char *path = blockdev_sysfs(devno, attribute);

	return read_line_of(path);
}

static uint64_t blockdev_sysfs_number(dev_t devno, const char *attribute)
{
	_cleanup_free_ char *text = blockdev_attribute(devno, attribute);

	return text ? strtoull(text, NULL, 10) : 0;
}

dev_t blockdev_parse_number(const char *text)
{
	unsigned int maj, min;
	char rest;

	if (!text || sscanf(text, "%u:%u%c", &maj, &min, &rest) != 2)
		return 0;
	return makedev(maj, min);
}

/* /dev/NAME as the kernel calls it, for devices known only by number */
static char *blockdev_path_of_number(dev_t devno)
{
	_cleanup_free_ char *link = blockdev_sysfs(devno, "");
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

/* As SCSI and NVMe have it: two disks with the same one are two paths. */
static char *blockdev_wwid_of(dev_t disk)
{
	char *wwid = blockdev_attribute(disk, "device/wwid");

	if (!wwid)
		wwid = blockdev_attribute(disk, "wwid");
	if (wwid && !*wwid) {
		free(wwid);
		wwid = NULL;
	}
	return wwid;
}

/* A partition has the queue of its disk. */
static uint64_t blockdev_queue_number(const struct device_facts *f, const char *name)
{
	_cleanup_free_ char *attribute = xasprintf("queue/%s", name);

	return blockdev_sysfs_number(f->disk, attribute);
}

static void blockdev_lookup_queue(struct device_facts *f)
{
	_cleanup_free_ char *zoned = blockdev_attribute(f->disk, "queue/zoned");

	f->logical_block = MAX(blockdev_queue_number(f, "logical_block_size"), SECTOR_SIZE);
	f->physical_block = MAX(blockdev_queue_number(f, "physical_block_size"),
				f->logical_block);
	f->minimum_io = blockdev_queue_number(f, "minimum_io_size");
	f->optimal_io = blockdev_queue_number(f, "optimal_io_size");
	f->discard_granularity = blockdev_queue_number(f, "discard_granularity");
	if (zoned && strcmp(zoned, "none"))
		f->zone_sectors = blockdev_queue_number(f, "chunk_sectors");
}

int blockdev_lookup_number(dev_t devno, struct device_facts *f)
{
	_cleanup_free_ char *partition = blockdev_attribute(devno, "partition");
	_cleanup_free_ char *disk = partition ? blockdev_attribute(devno, "../dev") : NULL;

	memset(f, 0, sizeof(*f));
	f->path = blockdev_path_of_number(devno);
	if (!f->path)
		return -ENXIO;
	f->devno = devno;
	f->disk = disk ? blockdev_parse_number(disk) : devno;
	f->offset = partition ? blockdev_sysfs_number(devno, "start") : 0;
	f->sectors = blockdev_sysfs_number(devno, "size");
	f->readonly = blockdev_sysfs_number(devno, "ro");
	f->wwid = blockdev_wwid_of(f->disk);
	blockdev_lookup_queue(f);
	return 0;
}

int blockdev_lookup(const char *name, struct device_facts *f)
{
	_cleanup_free_ char *tagged = NULL, *real = NULL;
	dev_t devno = blockdev_parse_number(name);
	struct stat st;
	int r;

	memset(f, 0, sizeof(*f));
	if (devno)
		return blockdev_lookup_number(devno, f);
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
	r = blockdev_lookup_number(st.st_rdev, f);
	if (!r) {
		free(f->path);
		f->path = xstrdup(real);
	}
	return r;
}

dev_t blockdev_kernel_number(const char *name)
{
	_cleanup_free_ char *path = xasprintf("/sys/class/block/%s/dev", name);
	_cleanup_free_ char *number = read_line_of(path);

	return blockdev_parse_number(number);
}

char *blockdev_mapped_name(dev_t devno)
{
	return blockdev_attribute(devno, "dm/name");
}

dev_t blockdev_mapped_number(const char *name)
{
	_cleanup_dir_ DIR *dir = opendir("/sys/block");
	const char *entry;
	dev_t devno = 0;

	while (!devno && (entry = read_name(dir))) {
		_cleanup_free_ char *path = NULL, *found = NULL;

		path = xasprintf("/sys/block/%s/dm/name", entry);
		found = read_line_of(path);
		if (found && !strcmp(found, name))
			devno = blockdev_kernel_number(entry);
	}
	return devno;
}
