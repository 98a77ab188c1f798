// SPDX-License-Identifier: GPL-2.0-only
/*
 * Read facts about block devices from sysfs. Such reads open no device, and so disturb no program.
 */
#include "system/blockdev.h"

#include <blkid/blkid.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/ask.h"
#include "base/log.h"
#include "base/util.h"
#include "model/facts.h"
#include "system/sysfs.h"

#define READAHEAD	"queue/read_ahead_kb"

char *blockdev_sysfs(dev_t devno, const char *attribute)
{
	return xasprintf("/sys/dev/block/%u:%u/%s", major(devno), minor(devno),
			 attribute);
}

char *blockdev_attribute(dev_t devno, const char *attribute)
{
	_cleanup_free_ char *path = blockdev_sysfs(devno, attribute);

	return sysfs_line(path);
}

char *blockdev_attribute_now(dev_t devno, const char *attribute)
{
	_cleanup_free_ char *path = blockdev_sysfs(devno, attribute);

	return read_line_of(path);
}

static uint64_t blockdev_sysfs_number(dev_t devno, const char *attribute)
{
	_cleanup_free_ char *text = blockdev_attribute(devno, attribute);

	return text ? strtoull(text, NULL, 10) : 0;
}

uint64_t blockdev_readahead(dev_t devno)
{
	_cleanup_free_ char *kib = blockdev_attribute_now(devno, READAHEAD);

	return kib ? strtoull(kib, NULL, 10) : 0;
}

void blockdev_set_readahead(dev_t devno, uint64_t kib)
{
	_cleanup_free_ char *path = blockdev_sysfs(devno, READAHEAD);
	_cleanup_close_ int fd = open(path, O_WRONLY | O_CLOEXEC);

	if (fd < 0 || dprintf(fd, "%llu", (unsigned long long)kib) < 0)
		log_verbose("%s: %s", path, strerror(errno));
}

dev_t blockdev_parse_number(const char *text)
{
	unsigned int maj, min;
	char rest;

	if (!text || sscanf(text, "%u:%u%c", &maj, &min, &rest) != 2)
		return 0;
	return makedev(maj, min);
}

dev_t blockdev_at(const char *path)
{
	struct stat st;

	if (!path || stat(path, &st) || !S_ISBLK(st.st_mode))
		return 0;
	return st.st_rdev;
}

/* Return: a word of an uevent, such as "sda1" behind "DEVNAME=", a new string, or NULL. */
static char *blockdev_uevent(const char *line, const char *key)
{
	while (line && !str_starts(line, key)) {
		line = strchr(line, '\n');
		line += !!line;
	}
	return line ? first_line(line + strlen(key)) : NULL;
}

/*
 * Return: the WWID of a SCSI or NVMe disk. Two disks with the same WWID are two paths of one disk.
 */
static char *blockdev_wwid(dev_t disk)
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

/* Read a number from the folder "queue" in sysfs. A partition uses the queue of its disk. */
static uint64_t blockdev_queue_number(const struct device_facts *f, const char *name)
{
	_cleanup_free_ char *attribute = xasprintf("queue/%s", name);

	return blockdev_sysfs_number(f->disk, attribute);
}

void blockdev_limits(struct device_facts *f)
{
	_cleanup_free_ char *zoned = blockdev_attribute(f->disk, "queue/zoned");

	f->wwid = blockdev_wwid(f->disk);
	f->logical_block = MAX(blockdev_queue_number(f, "logical_block_size"), SECTOR_SIZE);
	f->physical_block = MAX(blockdev_queue_number(f, "physical_block_size"),
				f->logical_block);
	f->minimum_io = blockdev_queue_number(f, "minimum_io_size");
	f->optimal_io = blockdev_queue_number(f, "optimal_io_size");
	f->discard_granularity = blockdev_queue_number(f, "discard_granularity");
	if (zoned && strcmp(zoned, "none"))
		f->zone_sectors = blockdev_queue_number(f, "chunk_sectors");
}

/* Set the path and number of a device, its disk, and its first sector on the disk. */
static int blockdev_place(dev_t devno, struct device_facts *f)
{
	_cleanup_free_ char *path = blockdev_sysfs(devno, "uevent");
	const char *uevent = sysfs_text(path);
	_cleanup_free_ char *name = blockdev_uevent(uevent, "DEVNAME=");
	_cleanup_free_ char *type = blockdev_uevent(uevent, "DEVTYPE="), *disk = NULL;

	memset(f, 0, sizeof(*f));
	if (!name)
		return -ENXIO;
	f->path = xasprintf("/dev/%s", name);
	f->devno = f->disk = devno;
	if (!type || strcmp(type, "partition"))
		return 0;
	disk = blockdev_attribute(devno, "../dev");
	f->disk = blockdev_parse_number(disk);
	f->offset = blockdev_sysfs_number(devno, "start");
	return 0;
}

static void blockdev_take_size(struct device_facts *f)
{
	f->sectors = blockdev_sysfs_number(f->devno, "size");
	f->readonly = blockdev_sysfs_number(f->devno, "ro");
}

int blockdev_lookup_number(dev_t devno, struct device_facts *f)
{
	int r = blockdev_place(devno, f);

	if (!r)
		blockdev_take_size(f);
	return r;
}

static void blockdev_answer_tag(int out, void *data)
{
	_cleanup_free_ char *path = chdir("/") ? NULL : blkid_evaluate_tag(data, NULL, NULL);

	if (path)
		dprintf(out, "%s", path);
}

/*
 * Find the device for a tag such as UUID=. A separate process calls libblkid: if udev has no link
 * for the tag, libblkid reads from all disks, even from those that do not answer. Return: 0 or a
 * negative errno.
 */
static int blockdev_find_tag(const char *name, char **path)
{
	_cleanup_answer_ struct answer a = { 0 };
	int r = ask(blockdev_answer_tag, (char *)name, name, &a);

	if (!r && !a.length)
		r = -ENOENT;
	*path = r ? NULL : xstrdup(a.text);
	return r;
}

/*
 * Set @path to the path for a name such as UUID=, or to a copy of any other name. Return: 0 or a
 * negative errno.
 */
static int blockdev_find_name(const char *name, char **path)
{
	if (*name != '/' && strchr(name, '='))
		return blockdev_find_tag(name, path);
	*path = xstrdup(name);
	return 0;
}

int blockdev_locate(const char *name, struct device_facts *f)
{
	_cleanup_free_ char *found = NULL, *real = NULL;
	dev_t devno = blockdev_parse_number(name);
	struct stat st;
	int r;

	memset(f, 0, sizeof(*f));
	if (devno)
		return blockdev_place(devno, f);
	r = blockdev_find_name(name, &found);
	if (r)
		return r;
	real = realpath(found, NULL);
	if (!real || stat(real, &st))
		return -errno;
	if (!S_ISBLK(st.st_mode))
		return -ENOTBLK;
	r = blockdev_place(st.st_rdev, f);
	if (!r) {
		free(f->path);
		f->path = xstrdup(real);
	}
	return r;
}

int blockdev_lookup(const char *name, struct device_facts *f)
{
	int r = blockdev_locate(name, f);

	if (!r)
		blockdev_take_size(f);
	return r;
}

dev_t blockdev_number(const char *name)
{
	_cleanup_free_ char *found = NULL;
	dev_t devno = blockdev_parse_number(name);

	return devno || blockdev_find_name(name, &found) ? devno : sysfs_node(found);
}

int blockdev_range(const char *name, uint64_t first, uint64_t sectors, struct disk_range *range)
{
	_cleanup_facts_ struct device_facts f = { 0 };
	int r = blockdev_place(blockdev_number(name), &f);

	if (!r)
		*range = facts_range(&f, first, sectors);
	return r;
}

dev_t blockdev_kernel_number(const char *name)
{
	_cleanup_free_ char *path = xasprintf("/sys/class/block/%s/dev", name);
	_cleanup_free_ char *number = sysfs_line(path);

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
		found = sysfs_line(path);
		if (found && !strcmp(found, name))
			devno = blockdev_kernel_number(entry);
	}
	return devno;
}
