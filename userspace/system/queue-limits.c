// SPDX-License-Identifier: GPL-2.0-only
/* Limits and properties of block devices, from sysfs. */
#include "system/queue-limits.h"

#include <stdlib.h>
#include <string.h>

#include "base/read.h"
#include "base/util.h"
#include "system/blockdev.h"

/* A partition has the queue of its disk. */
static char *queue_attribute(const struct device_facts *f, const char *name)
{
	_cleanup_free_ char *attribute = xasprintf("queue/%s", name);

	return blockdev_attribute(f->disk, attribute);
}

static uint64_t queue_number(const struct device_facts *f, const char *name)
{
	_cleanup_free_ char *text = queue_attribute(f, name);

	return text ? strtoull(text, NULL, 10) : 0;
}

/* The node is an attribute of the controller, some folders above the disk. */
static int node_of(dev_t disk)
{
	_cleanup_free_ char *link = blockdev_sysfs(disk, "");
	_cleanup_free_ char *path = realpath(link, NULL);
	char *slash;

	while (path && (slash = strrchr(path, '/')) && slash - path > (int)strlen("/sys")) {
		_cleanup_free_ char *name = xasprintf("%s/numa_node", path);
		_cleanup_free_ char *node = read_line_of(name);

		if (node)
			return atoi(node);
		*slash = 0;
	}
	return -1;
}

void queue_limits_lookup(const struct device_facts *f, struct queue_limits *l)
{
	_cleanup_free_ char *zoned = queue_attribute(f, "zoned");
	_cleanup_free_ char *offset = blockdev_attribute(f->devno, "alignment_offset");

	*l = (struct queue_limits) {
		.physical_block = f->physical_block,
		.minimum_io = queue_number(f, "minimum_io_size"),
		.optimal_io = queue_number(f, "optimal_io_size"),
		.max_io = MIN(queue_number(f, "max_hw_sectors_kb"), UINT32_MAX >> 10) << 10,
		.discard_granularity = queue_number(f, "discard_granularity"),
		.alignment_offset = offset ? strtoll(offset, NULL, 10) : 0,
		.rotational = queue_number(f, "rotational"),
		.dax = queue_number(f, "dax"),
		.zoned = zoned && strcmp(zoned, "none"),
		.node = node_of(f->disk),
	};
}
