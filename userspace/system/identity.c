// SPDX-License-Identifier: GPL-2.0-only
/* Names of a block device, from udev. */
#include "system/identity.h"

#include <errno.h>
#include <libudev.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/util.h"
#include "system/blockdev.h"

/*
 * Do several devices have this link? Namespaces of an NVMe disk may share a link with the serial
 * number of the disk. After each boot, such a link may lead to another namespace.
 */
static bool identity_is_shared(struct udev_device *dev, const char *link)
{
	struct udev_enumerate *e = udev_enumerate_new(udev_device_get_udev(dev));
	struct udev_list_entry *entry;
	unsigned int i;
	bool shared;

	/* in the list of links, the link may be alone, first, last, or between other links */
	for (i = 0; i < 4; i++) {
		_cleanup_free_ char *links = xasprintf("%s%s%s", i & 1 ? "* " : "", link,
						       i & 2 ? " *" : "");

		udev_enumerate_add_match_property(e, "DEVLINKS", links);
	}
	udev_enumerate_add_match_subsystem(e, "block");
	udev_enumerate_scan_devices(e);
	entry = udev_enumerate_get_list_entry(e);
	shared = entry && udev_list_entry_get_next(entry);
	udev_enumerate_unref(e);
	return shared;
}

/*
 * Return: the best link of the device, in the order of this list. Links that name the content, such
 * as by-uuid, do not count, because udev finds the file system of a mapped device also on the first
 * leg of that device. A multipath device and its partitions get the link with their UUID. Their
 * names would come from /etc/multipath/bindings, and an initramfs has its own copy of this file.
 */
static char *identity_stable_link(struct udev_device *dev)
{
	static const char * const order[] = {
		"/dev/disk/by-id/dm-uuid-mpath-", "/dev/disk/by-id/dm-uuid-part",
		"/dev/mapper/", "/dev/disk/by-id/wwn-", "/dev/disk/by-id/nvme-eui",
		"/dev/disk/by-id/", "/dev/disk/by-partuuid/", "/dev/disk/by-path/",
	};
	dev_t devno = udev_device_get_devnum(dev);
	struct udev_list_entry *entry;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(order); i++)
		udev_list_entry_foreach(entry,
					udev_device_get_devlinks_list_entry(dev)) {
			const char *link = udev_list_entry_get_name(entry);

			/*
			 * if two disks have the same serial number, the link leads to only one of
			 * them; in a table, "#" begins a comment
			 */
			if (str_starts(link, order[i]) && blockdev_at(link) == devno &&
			    !strchr(link, '#') &&
			    !str_starts(link, "/dev/disk/by-id/lvm-pv-") &&
			    !identity_is_shared(dev, link))
				return xstrdup(link);
		}
	return NULL;
}

char *identity_path(const char *name)
{
	_cleanup_facts_ struct device_facts f = { 0 };

	return xstrdup(blockdev_locate(name, &f) ? name : f.path);
}

char *identity_persistent(const char *name)
{
	_cleanup_facts_ struct device_facts f = { 0 };
	struct udev *udev = udev_new();
	struct udev_device *dev;
	char *link = NULL;

	if (!blockdev_locate(name, &f)) {
		dev = udev_device_new_from_devnum(udev, 'b', f.devno);
		link = dev ? identity_stable_link(dev) : NULL;
		udev_device_unref(dev);
	}
	udev_unref(udev);
	return link ? link : xstrdup(f.path ? f.path : name);
}

char *identity_number(const char *name)
{
	dev_t devno = blockdev_number(name);

	return devno ? xasprintf("%u:%u", major(devno), minor(devno)) : xstrdup(name);
}

/* dm removes backslashes from a table, a blank ends a word, and "#" begins a comment. */
char *identity_loadable(const char *name)
{
	return strpbrk(name, "\\# \t\n\v\f\r") ? identity_number(name) : xstrdup(name);
}

bool identity_is_noscan(dev_t devno)
{
	struct udev *udev = udev_new();
	struct udev_device *dev = udev_device_new_from_devnum(udev, 'b', devno);
	const char *value = dev ? udev_device_get_property_value(dev, "NOCLONE_NOSCAN") : NULL;
	bool is = value && !strcmp(value, "1");

	udev_device_unref(dev);
	udev_unref(udev);
	return is;
}
