/* SPDX-License-Identifier: GPL-2.0-only */
/* Who has a block device open. */
#ifndef NOCLONE_OPENERS_H
#define NOCLONE_OPENERS_H

#include <sys/types.h>

/*
 * Each of these: some of them in words, as "mounted at /mnt, held by dm-3 (b)": a new
 * string, empty if none can be seen.  Mounts, swap, and devices on it; it is not read.
 */
char *openers_lasting(dev_t devno);
/* Processes, which may have closed it a moment later. */
char *openers_processes(dev_t devno);

#endif /* NOCLONE_OPENERS_H */
