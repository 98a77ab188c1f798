/* SPDX-License-Identifier: GPL-2.0-only */
/* Parts of disks and files that belong to saved devices which are not active. */
#ifndef NOCLONE_SAVED_PARTS_H
#define NOCLONE_SAVED_PARTS_H

#include "system/parts.h"

/* Those whose disk or file is there, one device after the other. */
void saved_parts_collect(struct parts *parts);

#endif /* NOCLONE_SAVED_PARTS_H */
