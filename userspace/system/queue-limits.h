/* SPDX-License-Identifier: GPL-2.0-only */
/* Limits of block devices, from sysfs. */
#ifndef NOCLONE_QUEUE_LIMITS_H
#define NOCLONE_QUEUE_LIMITS_H

#include "model/chunk.h"
#include "model/facts.h"

void queue_limits_lookup(const struct device_facts *f, struct queue_limits *limits);

#endif /* NOCLONE_QUEUE_LIMITS_H */
