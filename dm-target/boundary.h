/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The boundary of noclone-file. A file of file/ includes no other header of the rest of the module,
 * except those of include/, and uses only what this list names; tests/style/walls compares both.
 *
 *	constructor, destructor	noclone_target_alloc, noclone_dev_add_target, noclone_target_free
 *	callbacks of dm core	noclone_target_presuspend, noclone_target_resume,
 *				noclone_target_message, noclone_status_emit,
 *				noclone_target_is_first, noclone_no_disk
 *	the sentinel in .map	noclone_sentinel_is, noclone_sentinel_keep
 *	bios			noclone_io_slab_alloc, noclone_count, noclone_inflight_put
 *	work that may sleep	noclone_work_queue, noclone_fastpath_deny_writes
 *
 * In the other direction, the rest of the module calls file/ by struct noclone_target_ops.
 */
#ifndef DM_NOCLONE_BOUNDARY_H
#define DM_NOCLONE_BOUNDARY_H

#include "dev.h"
#include "device-state.h"
#include "fastpath-attach.h"
#include "fastpath-status.h"
#include "inflight.h"
#include "io.h"
#include "no-disk.h"
#include "sentinel.h"
#include "target.h"
#include "work.h"

#endif /* DM_NOCLONE_BOUNDARY_H */
