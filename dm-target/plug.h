/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Requests of a leg on the plug of the current task.
 */
#ifndef DM_NOCLONE_PLUG_H
#define DM_NOCLONE_PLUG_H

#include <linux/blk-mq.h>

/* BLK_PLUG_FLUSH_SIZE in bytes. It is private to the block layer, and equal in 6.1 to 7.3. */
#define NOCLONE_PLUG_FLUSH	(128 * 1024)

enum noclone_plug {
	NOCLONE_PLUG_NONE,		/* there is no plug */
	NOCLONE_PLUG_EMPTY,		/* no request of the plug ends where the bio begins */
	NOCLONE_PLUG_TAKES,		/* a request ends there, and has room for the bio */
	NOCLONE_PLUG_FULL,		/* a request ends there, and has no room for the bio */
};

enum noclone_plug noclone_plug_look(struct block_device *bdev, sector_t sector,
				    unsigned int sectors, unsigned int segments,
				    blk_opf_t opf);

#endif /* DM_NOCLONE_PLUG_H */
