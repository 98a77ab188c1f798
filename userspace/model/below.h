/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Faults below a device that continues to run.  The subject of a finding is the disk, or the file
 * as in a table.  Its check is one of these words:
 *   stripe-failed    a leg has had errors
 *   device-deleted   the disk of a leg is gone
 *   file-deleted     the file is deleted
 *   file-replaced    the path leads to another file
 *   file-missing     the path leads to no file, because the file has another name
 *   file-short       the file has fewer sectors than its target
 */
#ifndef NOCLONE_BELOW_H
#define NOCLONE_BELOW_H

#include "model/facts.h"
#include "model/finding.h"
#include "model/status.h"
#include "model/table-target.h"

/* Return: a sentence if the file is shorter than its target needs, a new string, or NULL. */
char *below_short_file(const struct target *t, const struct status *s);
/**
 * below_find - find the faults below a target
 * @findings: gets the faults
 * @t: the target, as the kernel prints it
 * @s: its status; empty for targets of other modules
 * @src: facts about the disks and files that exist
 */
void below_find(struct findings *findings, const struct target *t,
		const struct status *s, const struct facts_source *src);
/* Return: all findings in a few words, each once, a new string; empty without findings. */
char *below_brief(const struct findings *findings);

#endif /* NOCLONE_BELOW_H */
