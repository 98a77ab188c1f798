/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What is wrong below a device that keeps running.  A finding's subject is the disk, or
 * the file as in a table; its check is one of these:
 *   stripe-failed    a leg has had errors
 *   device-deleted   the disk of a leg is gone
 *   file-deleted     the file is deleted
 *   file-replaced    its path names another file
 *   file-missing     its path names no file; it has another name
 */
#ifndef NOCLONE_BELOW_H
#define NOCLONE_BELOW_H

#include "model/facts.h"
#include "model/finding.h"
#include "model/status.h"
#include "model/table.h"

/**
 * below_find - what is wrong below a target?
 * @findings: gets it
 * @t: the target, as the kernel prints it
 * @s: its status; empty for targets of other modules
 * @src: facts about the disks and files that exist
 */
void below_find(struct findings *findings, const struct target *t,
		const struct status *s, const struct facts_source *src);
/* All of them in a few words, each once: a new string, empty if there are none. */
char *below_brief(const struct findings *findings);

#endif /* NOCLONE_BELOW_H */
