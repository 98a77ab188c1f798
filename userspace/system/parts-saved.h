/* SPDX-License-Identifier: GPL-2.0-only */
/* The parts of saved devices. These parts count as used while the saved device is not active. */
#ifndef NOCLONE_PARTS_SAVED_H
#define NOCLONE_PARTS_SAVED_H

#include "system/parts.h"

/* Add the parts of all saved devices. part_counts() decides later which of these parts count. */
void parts_add_saved(struct parts *parts);

#endif /* NOCLONE_PARTS_SAVED_H */
