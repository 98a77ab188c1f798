/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What crash-write leaves for crash-replay, a line each: an I/O when it is submitted, or
 * that one is confirmed by that record of the journal. The journal is a sector of the
 * device that is cut; its version is the number of the last record.
 */
#ifndef CRASH_H
#define CRASH_H

#define WRITE	'w'	/* w VERSION SECTOR SECTORS */
#define DISCARD	'd'	/* d VERSION SECTOR SECTORS */
#define CONFIRM	'c'	/* c VERSION RECORD 0 */
#define LINE	"%c %lu %lu %lu\n"

#endif
