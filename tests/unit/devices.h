/* SPDX-License-Identifier: GPL-2.0-only */
/* Block devices and backing files that exist only in a test, as a source of facts. */
#ifndef NOCLONE_UNIT_DEVICES_H
#define NOCLONE_UNIT_DEVICES_H

#include <errno.h>
#include <sys/sysmacros.h>

#include "base/util.h"
#include "model/facts.h"

#define MIB_SECTORS(n)	((uint64_t)(n) << (20 - SECTOR_SHIFT))

/* A list ends with a device without a name.  @block: the bytes of a logical and physical block */
struct test_device {
	const char *name;
	uint64_t sectors;
	uint32_t block;
};

static const struct test_device *test_devices;

/* Return: a number that no real device has, so that no two devices seem related. */
static inline dev_t test_device_number(const struct test_device *d)
{
	return makedev(4000, d - test_devices);
}

static inline const struct test_device *test_device_find(const char *name)
{
	const struct test_device *d = test_devices;

	for (; d->name; d++)
		if (!strcmp(d->name, name))
			return d;
	return NULL;
}

static inline int test_lookup(const char *name, struct device_facts *facts)
{
	const struct test_device *d = test_device_find(name);

	if (!d)
		return -ENOENT;
	*facts = (struct device_facts) {
		.path = xstrdup(name),
		.devno = test_device_number(d),
		.disk = test_device_number(d),
		.sectors = d->sectors,
		.logical_block = d->block,
		.physical_block = d->block,
	};
	return 0;
}

/* A regular file without holes, on a file system of its own. */
static inline int test_lookup_file(const struct facts_source *src __unused, const char *path,
				   bool map __unused,
				   struct file_facts *facts)
{
	const struct test_device *d = test_device_find(path);

	if (!d)
		return -ENOENT;
	*facts = (struct file_facts) {
		.path = xstrdup(path),
		.id = { true, test_device_number(d), 1 },
		.disk = test_device_number(d),
		.bytes = d->sectors << SECTOR_SHIFT,
		.allocated = d->sectors,
		.align = d->block,
		.align_from = "disk",
		.map = { .known = true },
	};
	return 0;
}

static inline bool test_stands_on(dev_t upper __unused, dev_t lower __unused)
{
	return false;
}

/* The source of facts that reads test_devices. */
#define TEST_SOURCE { test_lookup, test_lookup_file, test_stands_on, NULL }

#endif /* NOCLONE_UNIT_DEVICES_H */
