/* SPDX-License-Identifier: GPL-2.0-only */
/* A short measurement of a block device by reads. */
#ifndef NOCLONE_MEASURE_H
#define NOCLONE_MEASURE_H

#include <stdint.h>

#include "model/advise.h"

/**
 * measure_reads - measure a part of a device
 * @path: device; it is opened read-only and read directly, one I/O at a time
 * @first: first sector
 * @sectors: how many
 * @ms: for how long: half of it 4 KiB at random places, half 1 MiB in sequence
 * @measured: filled in
 *
 * Return: 0, or a negative errno after a message.
 */
int measure_reads(const char *path, uint64_t first, uint64_t sectors, unsigned int ms,
		  struct measured *measured);

#endif /* NOCLONE_MEASURE_H */
