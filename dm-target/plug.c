// SPDX-License-Identifier: GPL-2.0-only
/*
 * Find requests for a leg on the plug of the current task. The result only decides how an I/O is
 * divided into bios, and any result is safe.
 *
 * The list of a plug has no lock, because only its task changes the list: when the task submits a
 * bio, sleeps, or ends the plug. noclone_plug_look() runs in that task, called by its own
 * submission, and does not sleep. Requests on the list have not been dispatched, so they neither
 * change nor go away.
 */
#include "plug.h"

/*
 * Return: the first request of this queue on the plug. The block layer tries to merge with no other
 * request.
 */
static struct request *noclone_plug_find(struct blk_plug *plug, struct request_queue *q)
{
	struct request *rq;

	rq_list_for_each(&plug->mq_list, rq)
		if (rq->q == q)
			return rq;
	return NULL;
}

/**
 * noclone_plug_look - would a bio merge with a request on the plug?
 * @bdev: the leg
 * @sector: the first sector of the bio, on @bdev
 * @sectors: the length of the bio
 * @segments: the number of its segments
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
