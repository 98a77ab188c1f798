/* SPDX-License-Identifier: GPL-2.0-only */
/* Who keeps a block device open: everything that makes its removal fail. */
#ifndef NOCLONE_OPEN_USES_H
#define NOCLONE_OPEN_USES_H

#include <sys/types.h>

#include "model/uses.h"

/* Mounts, swap, holders and loop devices. */
void open_uses_lasting(struct uses *uses, dev_t devno);
/* Processes, which may have closed it a moment later.  Not complete without root. */
void open_uses_processes(struct uses *uses, dev_t devno);
/* All of these; and, if there are none, mounts in other mount namespaces. */
void open_uses_collect(struct uses *uses, dev_t devno);

/* A process that may write to a block device, in words. */
struct writer {
	dev_t devno;
	char *by;
};

struct writers {
	struct writer *writer;
	unsigned int nr;
};

/* All that there are.  Not complete without root. */
void open_uses_writers(struct writers *writers);
void open_uses_writers_free(struct writers *writers);

#endif /* NOCLONE_OPEN_USES_H */
