// SPDX-License-Identifier: GPL-2.0-only
/* Limits of block devices, from sysfs. */
#include "system/queue-limits.h"

#include <stdlib.h>

#include "base/util.h"
#include "system/blockdev.h"

/* A partition has the queue of its disk. */
static uint64_t blockdev_queue_number(const struct device_facts *f, const char *name)
{
	_cleanup_free_ char *attribute = xasprintf("queue/%s", name);
	_cleanup_free_ char *text = blockdev_attribute(f->disk, attribute);

	return text ? strtoull(text, NULL, 10) : 0;
}

void queue_limits_lookup(const struct device_facts *f, struct queue_limits *l)
{
	*l = (struct queue_limits) {
		.physical_block = f->physical_block,
		.minimum_io = blockdev_queue_number(f, "minimum_io_size"),
		.optimal_io = blockdev_queue_number(f, "optimal_io_size"),
		.discard_granularity = blockdev_queue_number(f, "discard_granularity"),
	};
}
