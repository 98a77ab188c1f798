/* SPDX-License-Identifier: GPL-2.0-only */
/* How much room there is on a disk after a part of it. */
#ifndef NOCLONE_FREE_ROOM_H
#define NOCLONE_FREE_ROOM_H

#include "model/facts.h"

/**
 * free_room - sectors that no mapped device, saved device or partition uses
 * @f: the device
 * @end: the sector of it where the search begins
 * @next: set to the name of what ends the room: a new string, NULL if that is the
 *	end of the device
 */
uint64_t free_room(const struct device_facts *f, uint64_t end, char **next);

#endif /* NOCLONE_FREE_ROOM_H */
