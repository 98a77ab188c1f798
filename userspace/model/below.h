/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Faults below a mapped device that continues to run. The subject of each finding is the name of
 * the disk, or the path of the backing file, encoded as in a table. The check of each finding is
 * one of these words:
 *
 *	stripe-failed    a leg has had errors
 *	device-deleted   the disk of a leg no longer exists
 *	file-deleted     the backing file is deleted
 *	file-replaced    the path of the backing file leads to another file
 *	file-missing     the path leads to no file, because the backing file has another name
 *	file-short       the backing file ends before the last sector that its target maps
 */
#ifndef NOCLONE_BELOW_H
#define NOCLONE_BELOW_H

#include "model/facts.h"
#include "model/finding.h"
#include "model/status.h"
#include "model/table-target.h"

/*
 * Return: a sentence about the backing file of @t if the file has fewer sectors than @t needs, a
 * new string; otherwise NULL. @s: the status of @t.
 */
char *below_short_file(const struct target *t, const struct status *s);
/**
 * below_find - find the faults below a target
 * @findings: gets a finding for each fault
 * @t: the target, from the table that the kernel prints, which names a disk by its number
 * @s: the status of @t; empty if the module does not report a status for @t
 * @src: the source of facts about disks and files
 */
void below_find(struct findings *findings, const struct target *t,
		const struct status *s, const struct facts_source *src);
/*
 * Return: a list that names each faulty disk or file once, with its first fault, such as "/dev/sda
 * (failed), /srv/disk.img (deleted)", a new string. Without findings the string is empty.
 */
char *below_brief(const struct findings *findings);

#endif /* NOCLONE_BELOW_H */
