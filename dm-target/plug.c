// SPDX-License-Identifier: GPL-2.0-only
/*
 * Requests of a leg on the plug of the current task. They decide only how an I/O is cut.
 *
 * The list of a plug has no lock: it belongs to its task, which changes it when it submits a
 * bio, sleeps, or ends the plug. noclone_plug_look() runs in that task, called by its own
 * submission, and does not sleep. Requests on the list have not been dispatched, so they
 * neither change nor go away.
 */
#include "plug.h"

/* The block layer looks at no other request of that queue either. */
static struct request *noclone_plug_find(struct blk_plug *plug, struct request_queue *q)
{
	struct request *rq;

	rq_list_for_each(&plug->mq_list, rq)
		if (rq->q == q)
			return rq;
	return NULL;
}

/**
 * noclone_plug_look - would a bio merge with a request that the plug has?
 * @bdev: leg
 * @sector: first sector of the bio, on @bdev
 * @sectors: its length
 * @segments: how many it has
 * @opf: its flags
 *
 * Return: see enum noclone_plug. Context: submit_bio of a bio-based device.
 */
enum noclone_plug noclone_plug_look(struct block_device *bdev, sector_t sector,
				    unsigned int sectors, unsigned int segments,
				    blk_opf_t opf)
{
	struct request_queue *q = bdev_get_queue(bdev);
	struct blk_plug *plug = current->plug;
	struct request *rq;

	if (!plug || !in_task() || noclone_compat_plug_is_for_one(plug))
		return NOCLONE_PLUG_NONE;
	rq = noclone_plug_find(plug, q);
	if (!rq || op_is_write(req_op(rq)) != op_is_write(opf & REQ_OP_MASK) ||
	    blk_rq_pos(rq) + blk_rq_sectors(rq) != sector + get_start_sect(bdev))
		return NOCLONE_PLUG_EMPTY;
	return blk_rq_sectors(rq) + sectors > queue_max_sectors(q) ||
		rq->nr_phys_segments + segments > queue_max_segments(q) ?
		NOCLONE_PLUG_FULL : NOCLONE_PLUG_TAKES;
}
