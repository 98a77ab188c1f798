/* SPDX-License-Identifier: GPL-2.0-only */
/* What is wrong below a device that keeps running. */
#ifndef NOCLONE_TROUBLE_H
#define NOCLONE_TROUBLE_H

#include "model/facts.h"
#include "model/status.h"
#include "model/table.h"

/**
 * enum trouble_kind - what has happened
 * @TROUBLE_STRIPE: a leg has had errors
 * @TROUBLE_DEVICE: the disk of a leg is gone
 * @TROUBLE_DELETED: the file is deleted, from here on its path does not lead to it
 * @TROUBLE_REPLACED: its path names another file
 * @TROUBLE_MISSING: its path names no file; it has another name
 */
enum trouble_kind {
	TROUBLE_STRIPE,
	TROUBLE_DEVICE,
	TROUBLE_DELETED,
	TROUBLE_REPLACED,
	TROUBLE_MISSING,
};

/**
 * struct trouble - one thing that is wrong
 * @kind: what
 * @start: of the target, in the mapped device
 * @name: the disk, or the file as in a table
 * @brief: a few words: "/dev/sdb failed"
 * @text: a sentence
 */
struct trouble {
	enum trouble_kind kind;
	uint64_t start;
	char *name;
	char *brief;
	char *text;
};

struct troubles {
	struct trouble *trouble;
	unsigned int nr;
};

/**
 * troubles_find - what is wrong below a target?
 * @troubles: gets it
 * @t: the target, as the kernel prints it
 * @s: its status; empty for targets of other modules
 * @src: facts about the disks and files that exist
 */
void troubles_find(struct troubles *troubles, const struct target *t,
		   const struct status *s, const struct facts_source *src);
const char *trouble_kind_name(enum trouble_kind kind);
/* All of them in a few words, each once: a new string, empty if there are none. */
char *troubles_brief(const struct troubles *troubles);
/* "/dev/sdb failed", or simply the name of a disk or file without trouble */
const char *troubles_head(const struct troubles *troubles, const char *name);
void troubles_free(struct troubles *troubles);

#define _cleanup_troubles_ __attribute__((cleanup(troubles_free)))

#endif /* NOCLONE_TROUBLE_H */
